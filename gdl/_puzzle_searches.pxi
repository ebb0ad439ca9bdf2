# Part of `_core.pyx`: searches for games of one role. `ggp_agent/puzzles` gives them their shape.

cdef extern from "simulation/breadth_first.hpp" namespace "ggp" nogil:
    cdef enum BreadthFirstStatus "ggp::BreadthFirst::Status":
        pass
    cdef cppclass CBreadthFirst "ggp::BreadthFirst":
        CBreadthFirst(Simulator&, const uint64_t*, const uint64_t*, int, size_t) except +
        void begin(size_t, int, uint64_t) except +
        BreadthFirstStatus run(double, const atomic_bool&) except +
        int best()
        vector[int] line()
        size_t states()
        cbool has_left_out()


cdef extern from "simulation/nested_adaptation.hpp" namespace "ggp" nogil:
    cdef cppclass CNestedAdaptation "ggp::NestedAdaptation":
        CNestedAdaptation(Simulator&, const uint64_t*, int, uint64_t) except +
        cbool run(double, const atomic_bool&) except +
        int best()
        vector[int] line()
        uint64_t lines()


cdef class BreadthFirst(OneAtATime):
    """Meet all states of a game of one role, the nearest first, on a simulator that is its own.

    Args:
        lanes: of the game.
        start: the state to begin with.
        mask: the bits of states that tell them apart; as long as a state.
        target: the goal with which it ends.
        max_states: it ends when it has met more.
    """

    GOES_ON, FOUND_TARGET, SAW_ALL, OUT_OF_MEMORY = range(4)
    ORDERS = 4

    cdef LaneSimulator lanes
    cdef unique_ptr[CBreadthFirst] search

    def __init__(self, LaneSimulator lanes not None, bytes start not None, bytes mask not None, int target,
                 size_t max_states):
        cdef vector[uint64_t] first = lanes.words(start)
        cdef vector[uint64_t] bits = lanes.words(mask)
        self.lanes = lanes
        self.search.reset(new CBreadthFirst(lanes.simulator.get()[0], first.data(), bits.data(), target, max_states))

    def run(self, double cpu_seconds, StopFlag stop not None):
        """Go on for about so many CPU-seconds; return one of GOES_ON, FOUND_TARGET, SAW_ALL, OUT_OF_MEMORY."""
        cdef BreadthFirstStatus status
        self.claim()
        try:
            with nogil:
                status = self.search.get().run(cpu_seconds, stop.flag)
        finally:
            self.release()
        return <int> status

    def begin(self, size_t width, int order, uint64_t seed):
        """Begin anew as a beam that expands so many states of every depth, by one of ORDERS orders; keep the best line."""
        self.check()
        self.search.get().begin(width, order, seed)

    @property
    def best(self):
        """The best goal of the terminal states met, None where there is none; without a single goal it counts as 0."""
        self.check()
        cdef int best = self.search.get().best()
        return None if best < 0 else best

    @property
    def line(self):
        """The numbers of the moves that lead to the first state with the best goal."""
        self.check()
        return list(self.search.get().line())

    @property
    def states(self):
        """The number of states met."""
        self.check()
        return self.search.get().states()

    @property
    def has_left_out(self):
        """Whether the beam left out a state because a depth had more states than its width."""
        return self.search.get().has_left_out()


cdef class NestedAdaptation(OneAtATime):
    """Look for good lines of a game of one role by play-outs whose policy adapts to the best, on a simulator that is its
    own.

    Args:
        lanes: of the game.
        start: the state to begin with.
        target: the goal with which it ends.
        seed: equal seeds find equal lines.
    """

    cdef LaneSimulator lanes
    cdef unique_ptr[CNestedAdaptation] search

    def __init__(self, LaneSimulator lanes not None, bytes start not None, int target, uint64_t seed):
        cdef vector[uint64_t] first = lanes.words(start)
        self.lanes = lanes
        self.search.reset(new CNestedAdaptation(lanes.simulator.get()[0], first.data(), target, seed))

    def run(self, double cpu_seconds, StopFlag stop not None):
        """Go on for about so many CPU-seconds; tell whether the target is reached, or there is nothing to play."""
        cdef cbool ended
        self.claim()
        try:
            with nogil:
                ended = self.search.get().run(cpu_seconds, stop.flag)
        finally:
            self.release()
        return ended

    @property
    def best(self):
        """The best goal of the lines, None where there is none; without a single goal it counts as 0."""
        self.check()
        cdef int best = self.search.get().best()
        return None if best < 0 else best

    @property
    def line(self):
        """The numbers of the moves of the first line with the best goal."""
        self.check()
        return list(self.search.get().line())

    @property
    def lines(self):
        """The number of lines that were played."""
        self.check()
        return self.search.get().lines()

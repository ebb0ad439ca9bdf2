# distutils: language = c++
"""Cython bindings of csrc/simulation; wrapped by perft, benchmarks, puzzles and evaluations of ggp_agent."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int8_t, int32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from gdl._simulator cimport Array, array_of, LaneSimulator, OneAtATime, StopFlag


cdef extern from *:
    """
    #if defined(__clang__)
    #define GGP_COMPILER "Clang " __clang_version__
    #elif defined(__GNUC__)
    #define GGP_COMPILER "GCC " __VERSION__
    #else
    #define GGP_COMPILER "unknown"
    #endif
    """
    const char* GGP_COMPILER


cdef tuple as_tuple(const PlayoutTotals& totals):
    return totals.playouts, totals.states, totals.turns, totals.cpu_seconds, list(totals.goals)


def random_playouts(LaneSimulator lanes not None, double cpu_seconds, uint64_t seed, StopFlag stop not None):
    """Play at random from the initial state for a number of CPU-seconds of this thread.

    Returns:
        (finished play-outs, states stepped, turns of finished play-outs, CPU-seconds, goal sums by role).
    """
    cdef PlayoutTotals totals
    lanes.claim()
    lanes.evaluated = None
    try:
        with nogil:
            totals = c_random_playouts(lanes.simulator.get()[0], cpu_seconds, seed, stop.flag)
    finally:
        lanes.release()
    return as_tuple(totals)


class StuckRoleError(RuntimeError):
    """Report that a role has no legal move in a state that is not terminal.

    Attributes:
        role: the index of the role.
        turns: the number of turns before the state.
    """

    def __init__(self, role, turns):
        super().__init__(f"role {role} has no legal move after {turns} turns")
        self.role = role
        self.turns = turns


def perft(LaneSimulator lanes not None, bytes state not None, int depth, StopFlag stop not None):
    """Count the move sequences of length 1 to depth; return (leaves, terminals) for each.

    Raises:
        StuckRoleError: a role has no legal move in a state that is not terminal.
    """
    cdef vector[uint64_t] words = lanes.words(state)
    cdef vector[PerftLevel] levels
    cdef StuckRole stuck
    lanes.claim()
    lanes.evaluated = None
    try:
        with nogil:
            levels = c_perft(lanes.simulator.get()[0], words.data(), depth, stop.flag, &stuck)
    except RuntimeError:
        if stuck.role < 0:
            raise
        raise StuckRoleError(stuck.role, stuck.turns) from None
    finally:
        lanes.release()
    return [(level.leaves, level.terminals) for level in levels]


cdef class RandomPlayouts(OneAtATime):
    """Random play-outs in all lanes of a simulator that nothing else uses; each run continues the last one.

    Args:
        lanes: the simulator.
        seed: the seed of all random numbers.
        perceives: whether the percepts of each turn are evaluated, if the game has any.
    """

    cdef LaneSimulator lanes
    cdef unique_ptr[CRandomPlayouts] playouts

    def __init__(self, LaneSimulator lanes not None, uint64_t seed, cbool perceives=False):
        self.lanes = lanes
        self.playouts.reset(new CRandomPlayouts(lanes.simulator.get()[0], seed, perceives))

    def run(self, double cpu_seconds, StopFlag stop not None):
        """Play for a number of CPU-seconds of this thread; return the values of `random_playouts`."""
        cdef PlayoutTotals totals
        with self, nogil:
            totals = self.playouts.get().run(cpu_seconds, stop.flag)
        return as_tuple(totals)


def calibrate():
    """Measure the speed of a fixed task of about 0.2 s in this thread; a higher value is faster."""
    cdef CCalibration found
    with nogil:
        found = c_calibrate()
    return found.score


def compiler():
    """Name the compiler that built this module."""
    return GGP_COMPILER.decode().split("(")[0].strip()


cdef class BreadthFirst(OneAtATime):
    """A breadth-first search of the states of a game of one role, on a simulator that nothing else uses.

    Args:
        lanes: a simulator of the game.
        start: the first state.
        mask: the bits that distinguish states; as long as a state.
        target: the goal that ends the search.
        max_states: the number of states after which the search ends.
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
        """Continue for about this number of CPU-seconds; return GOES_ON, FOUND_TARGET, SAW_ALL or OUT_OF_MEMORY."""
        cdef BreadthFirstStatus status
        with self, nogil:
            status = self.search.get().run(cpu_seconds, stop.flag)
        return <int> status

    def begin(self, size_t width, int order, uint64_t seed):
        """Restart as a beam search that expands `width` states of each depth; the best line is kept.

        Args:
            width: the largest number of states of one depth.
            order: the order of the states, 0 .. ORDERS - 1.
            seed: the seed of random orders.
        """
        self.check()
        self.search.get().begin(width, order, seed)

    @property
    def best(self):
        """The best goal of the terminal states found, 0 for a state without a goal; None if none was found."""
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
        """The number of states found."""
        self.check()
        return self.search.get().states()

    @property
    def has_left_out(self):
        """Whether the beam left out a state because a depth had more states than its width."""
        return self.search.get().has_left_out()


cdef class NestedAdaptation(OneAtATime):
    """A search for good lines of a game of one role: the policy of its play-outs adapts to the best line.

    Args:
        lanes: a simulator of the game that nothing else uses.
        start: the first state.
        target: the goal that ends the search.
        seed: the seed; equal seeds find equal lines.
    """

    cdef LaneSimulator lanes
    cdef unique_ptr[CNestedAdaptation] search

    def __init__(self, LaneSimulator lanes not None, bytes start not None, int target, uint64_t seed):
        cdef vector[uint64_t] first = lanes.words(start)
        self.lanes = lanes
        self.search.reset(new CNestedAdaptation(lanes.simulator.get()[0], first.data(), target, seed))

    def run(self, double cpu_seconds, StopFlag stop not None):
        """Continue for about this number of CPU-seconds; return whether the target is reached or no move exists."""
        cdef cbool ended
        with self, nogil:
            ended = self.search.get().run(cpu_seconds, stop.flag)
        return ended

    @property
    def best(self):
        """The best goal of the lines, None without a line; the highest goal of its last state counts, 0 without one."""
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


cdef class SampledPlayouts(OneAtATime):
    """Random play-outs in all lanes of a simulator that store some states of each play-out.

    Args:
        lanes: a simulator of the game that nothing else uses.
        seed: the seed of moves and samples.
        samples: number of states stored of each play-out, at least 1.
        longest: number of turns after which a play-out is dropped, at least 1.

    Raises:
        ValueError: an argument is out of range.
    """

    cdef LaneSimulator lanes
    cdef unique_ptr[CSampledPlayouts] playouts

    def __init__(self, LaneSimulator lanes not None, uint64_t seed, int samples, uint64_t longest):
        cdef CSamplingPlan plan
        plan.seed, plan.samples, plan.longest = seed, samples, longest
        self.lanes = lanes
        self.playouts.reset(new CSampledPlayouts(lanes.simulator.get()[0], plan))

    def run(self, states, goals, movers, double cpu_seconds, StopFlag stop not None):
        """Fill rows until there is no space for another play-out in each lane, or until the time is over.

        Args:
            states: the packed states, [rows, state_words].
            goals: the goals of the roles at the end of the play-out, [rows, roles].
            movers: the only role with several legal moves in each state, -1 without such a role, [rows].
            cpu_seconds: the time limit, in CPU-seconds of this thread.
            stop: the flag that stops the run.

        Returns:
            The number of filled rows.
        """
        cdef CSampledRows rows
        cdef Array packed = array_of(states, b"Q", 2, PyBUF_WRITABLE), ends = array_of(goals, b"b", 2, PyBUF_WRITABLE)
        cdef Array choosing = array_of(movers, b"i", 1, PyBUF_WRITABLE)
        rows.capacity = packed.rows
        if ends.rows != packed.rows or packed.columns != self.lanes.state_words or ends.columns != self.lanes.roles:
            raise ValueError("states must have the shape [rows, state_words] and goals [rows, roles]")
        if choosing.rows != packed.rows:
            raise ValueError("movers must have the shape [rows]")
        if rows.capacity == 0:
            return 0
        rows.states, rows.goals = <uint64_t*> packed.data, <int8_t*> ends.data
        rows.movers = <int32_t*> choosing.data
        cdef size_t kept
        with self, nogil:
            kept = self.playouts.get().run(rows, cpu_seconds, stop.flag)
        return kept

    @property
    def dropped(self):
        """The number of play-outs that were too long or ended without goals."""
        return self.playouts.get().dropped()

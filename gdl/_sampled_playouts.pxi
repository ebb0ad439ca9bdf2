# Part of `_core.pyx`: states of play-outs with the goals at their ends. `ggp_agent/prepare/evaluation` gives them their shape.

cdef extern from "simulation/sampled_playouts.hpp" namespace "ggp" nogil:
    cdef cppclass CSamplingPlan "ggp::SamplingPlan":
        uint64_t seed
        int samples
        uint64_t longest
    cdef cppclass CSampledRows "ggp::SampledRows":
        uint64_t* states
        int8_t* goals
        size_t capacity
    cdef cppclass CSampledPlayouts "ggp::SampledPlayouts":
        CSampledPlayouts(Simulator&, const CSamplingPlan&) except +
        size_t run(const CSampledRows&, double, const atomic_bool&) except +
        uint64_t dropped()


cdef class SampledPlayouts(OneAtATime):
    """Play at random in all lanes of a simulator, which is theirs alone, and keep some states of each play-out.

    Args:
        lanes: of the game.
        seed: of moves and samples.
        samples: states kept of each play-out, at least 1.
        longest: turns after which a play-out is given up, at least 1.

    Raises:
        ValueError: a number is out of range.
    """

    cdef LaneSimulator lanes
    cdef unique_ptr[CSampledPlayouts] playouts

    def __init__(self, LaneSimulator lanes not None, uint64_t seed, int samples, uint64_t longest):
        cdef CSamplingPlan plan
        plan.seed, plan.samples, plan.longest = seed, samples, longest
        self.lanes = lanes
        self.playouts.reset(new CSampledPlayouts(lanes.simulator.get()[0], plan))

    def run(self, uint64_t[:, ::1] states, int8_t[:, ::1] goals, double cpu_seconds, StopFlag stop not None):
        """Fill rows until there is no room for another play-out in each lane, or so many CPU-seconds of this thread are over.

        Args:
            states: [rows, state_words].
            goals: of the roles at the end, [rows, roles].

        Returns:
            The number of rows that were filled.
        """
        cdef CSampledRows rows
        rows.capacity = states.shape[0]
        if goals.shape[0] != states.shape[0] or states.shape[1] != self.lanes.state_words \
                or goals.shape[1] != self.lanes.roles:
            raise ValueError("the arrays do not have a row for each state, with its words and the goals of all roles")
        if rows.capacity == 0:
            return 0
        rows.states = &states[0, 0] if states.shape[1] > 0 else NULL
        rows.goals = &goals[0, 0]
        cdef size_t kept
        self.claim()
        try:
            with nogil:
                kept = self.playouts.get().run(rows, cpu_seconds, stop.flag)
        finally:
            self.release()
        return kept

    @property
    def dropped(self):
        """The number of play-outs that were too long or ended without goals."""
        return self.playouts.get().dropped()

# Part of `_core.pyx`: states as arrays over lanes. `ggp_agent/game/lanes.py` gives them their shape.

cdef class LaneArrays(OneAtATime):
    """Hold n states of one game, evaluated; write arrays over them where they are bound to.

    Shapes and words are those of `csrc/arrays/batch_arrays.hpp`. One thread at a time may use it; a second one gets a
    RuntimeError. What writes an array returns the turn of the states that it wrote.
    """

    cdef unique_ptr[CBatchArrays] arrays
    cdef readonly long long turn, written_turn  # changes of the states so far; that of the latest write_one()
    cdef uint8_t[:, ::1] bound_fluents, bound_movers_legal
    cdef uint8_t[::1] bound_terminal
    cdef int8_t[::1] bound_mover
    cdef int8_t[:, ::1] bound_goals

    @property
    def lanes(self):
        """The number of states."""
        return self.arrays.get().lanes()

    @property
    def parts(self):
        """The number of simulators."""
        return self.arrays.get().parts()

    @property
    def part_words(self):
        """The number of words of a lane mask of a simulator."""
        return self.arrays.get().part_words()

    @property
    def fluents(self):
        """The number of fluents."""
        return self.arrays.get().fluents()

    @property
    def state_words(self):
        """The number of 64-bit words of a packed state."""
        return self.arrays.get().state_words()

    def moves(self, int role):
        """Return the number of moves of a role."""
        return self.arrays.get().moves(role)

    def bind(self, uint8_t[:, ::1] fluents, uint8_t[:, ::1] movers_legal, uint8_t[::1] terminal, int8_t[::1] mover,
             int8_t[:, ::1] goals):
        """Say where `write_...` puts its arrays; they have the right shapes."""
        self.bound_fluents, self.bound_movers_legal = fluents, movers_legal
        self.bound_terminal, self.bound_mover, self.bound_goals = terminal, mover, goals

    def write_fluents(self):
        """Write fluents, [fluents, n]."""
        if self.arrays.get().fluents() == 0:
            return self.turn
        cdef uint8_t* out = &self.bound_fluents[0, 0]
        self.claim()
        try:
            with nogil:
                self.arrays.get().fluent_bytes(out)
        finally:
            self.release()
        return self.turn

    def write_movers_legal(self):
        """Write the legal moves of each mover, [moves of the role with the most, n]."""
        cdef uint8_t* out = &self.bound_movers_legal[0, 0]
        self.claim()
        try:
            with nogil:
                self.arrays.get().movers_legal_bytes(out)
        finally:
            self.release()
        return self.turn

    def write_ends(self):
        """Write what is terminal [n], and the goals of terminal states [roles, n]."""
        cdef uint8_t* terminal = &self.bound_terminal[0]
        cdef int8_t* goals = &self.bound_goals[0, 0]
        self.claim()
        try:
            with nogil:
                self.arrays.get().terminal(terminal)
                self.arrays.get().goals(goals)
        finally:
            self.release()
        return self.turn

    def write_mover(self):
        """Write who is to move, [n]."""
        cdef int8_t* mover = &self.bound_mover[0]
        self.claim()
        try:
            with nogil:
                self.arrays.get().mover(mover)
        finally:
            self.release()
        return self.turn

    def rewards(self, const uint8_t[::1] ended, const int8_t[::1] role, double[::1] rewards, double[:, ::1] worth):
        """Write what the ends of some lanes are worth, (goal - 50) / 50, -1 without a goal value, and 0 in other lanes.

        Args:
            ended: the lanes, whose goals were written.
            role: the role of each lane whose reward counts.
            rewards: [n], of that role.
            worth: [n, roles].
        """
        cdef Py_ssize_t lane, each
        cdef const int8_t[:, ::1] goals = self.bound_goals
        self.check()
        rewards[:] = 0
        worth[:, :] = 0
        for lane in range(ended.shape[0]):
            if not ended[lane]:
                continue
            for each in range(worth.shape[1]):
                worth[lane, each] = (max(<int> goals[each, lane], 0) - 50) / 50.0
            rewards[lane] = worth[lane, role[lane]]

    def legal(self, int role, uint8_t[:, ::1] out):
        """Write the legal moves of a role, [moves, n]."""
        cdef uint8_t* to = &out[0, 0]
        self.claim()
        try:
            with nogil:
                self.arrays.get().legal_bytes(role, to)
        finally:
            self.release()
        return self.turn

    def choice(self, int role, uint8_t[::1] out):
        """Write whether a role has a choice, [n]."""
        self.check()
        self.arrays.get().choice_bytes(role, &out[0])

    def legal_words(self, int role, uint64_t[:, ::1] out):
        """Write the legal moves of a role as words, [moves, parts * part_words]."""
        cdef uint64_t* to = &out[0, 0]
        self.claim()
        try:
            with nogil:
                self.arrays.get().legal_words(role, to)
        finally:
            self.release()
        return self.turn

    def seed(self, const uint64_t[::1] seeds):
        """Start the random numbers of each lane."""
        self.check()
        self.arrays.get().seed(&seeds[0])

    def load(self, const uint8_t[::1] mask, const uint64_t[:, ::1] states):
        """Put states [n, state_words], None for the initial one, into the lanes of a mask [n], None for all."""
        cdef const uint8_t* lanes = NULL
        cdef const uint64_t* source = NULL
        if mask is not None:
            lanes = &mask[0]
        if states is not None and states.shape[1] > 0:
            source = &states[0, 0]
        self.claim()
        self.turn += 1
        try:
            with nogil:
                self.arrays.get().load(lanes, source)
        finally:
            self.release()

    def store(self, uint64_t[:, ::1] states):
        """Write all states, [n, state_words]."""
        if states.shape[1] == 0:
            return
        cdef uint64_t* target = &states[0, 0]
        self.claim()
        try:
            with nogil:
                self.arrays.get().store(target)
        finally:
            self.release()

    def step(self, const int32_t[:, ::1] moves, const uint8_t[::1] held, const uint8_t[::1] fresh, cbool may_draw):
        """Play a turn: moves [roles, n], or [1, n] of the movers where there are more roles; -1 for a random move, which
        is wrong unless `may_draw`.

        Returns None, or what is wrong with the first wrong move: (lane, role, move, whether two roles have a choice).
        Nothing is played then.
        """
        cdef const uint8_t* keep = NULL
        cdef const uint8_t* begin = NULL
        cdef const int32_t* given = &moves[0, 0]
        if held is not None:
            keep = &held[0]
        if fresh is not None:
            begin = &fresh[0]
        cdef cbool of_movers = moves.shape[0] != self.arrays.get().roles()
        cdef CWrongMove wrong
        self.claim()
        try:
            with nogil:
                wrong = self.arrays.get().step(given, of_movers, may_draw, keep, begin)
        finally:
            self.release()
        if wrong.lane < 0:
            self.turn += 1
            return None
        return wrong.lane, wrong.role, wrong.move, wrong.at_once

    def step_one(self, int32_t move):
        """Play a turn of the mover in the only lane, and write all that is bound: `step` for environments of one game.

        Returns what `write_one` does, or of a wrong move what `step` does.
        """
        self.check()
        cdef CWrongMove wrong = self.arrays.get().step(&move, self.arrays.get().roles() > 1, False, NULL, NULL)
        if wrong.lane >= 0:
            return wrong.lane, wrong.role, wrong.move, wrong.at_once
        self.turn += 1
        return self.write_one()

    def write_one(self):
        """Write all that is bound, of one lane; return the roles with a choice, bit r for role r, -1 at the end."""
        self.check()
        self.written_turn = self.turn
        if self.bound_fluents.shape[0] > 0:
            self.arrays.get().fluent_bytes(&self.bound_fluents[0, 0])
        self.arrays.get().movers_legal_bytes(&self.bound_movers_legal[0, 0])
        self.arrays.get().terminal(&self.bound_terminal[0])
        self.arrays.get().mover(&self.bound_mover[0])
        self.arrays.get().goals(&self.bound_goals[0, 0])
        return self.arrays.get().choosers(0)

    def sample(self, int32_t[:, ::1] out):
        """Draw moves as `step` would, [roles, n], or [1, n] of the movers; -1 in terminal lanes."""
        cdef int32_t* to = &out[0, 0]
        cdef cbool of_movers = out.shape[0] != self.arrays.get().roles()
        self.claim()
        try:
            with nogil:
                self.arrays.get().sample(to, of_movers)
        finally:
            self.release()

    def write_fluent_words(self):
        """Write the fluents of all parts to the buffers of `fluent_words`, where they are not there anyway."""
        cdef int part
        self.claim()
        try:
            with nogil:
                for part in range(self.arrays.get().parts()):
                    self.arrays.get().fluent_words(part)
        finally:
            self.release()
        return self.turn

    def fluent_words(self, int part):
        """Return the fluents of a part where they are, a buffer of [fluents, part_words] words, read-only.

        They are those of the present states until the next turn; `write_fluent_words` makes them so again.
        """
        self.check()
        self.arrays.get().fluent_words(part)
        cdef FluentWords words = FluentWords.__new__(FluentWords)
        words.owner = self
        words.part = part
        words.shape[0] = self.arrays.get().fluents()
        words.shape[1] = self.arrays.get().part_words()
        words.strides[0] = 8 * words.shape[1]
        words.strides[1] = 8
        return words


cdef object lane_arrays_of(BatchParts* parts, int threads, int chance):
    if parts.empty() or threads < 1:
        raise ValueError("states and threads are at least 1")
    cdef LaneArrays made = LaneArrays.__new__(LaneArrays)
    made.written_turn = -1
    made.arrays.reset(new CBatchArrays(move(parts[0]), threads, chance))
    return made


cdef class FluentWords:
    """The buffer of `LaneArrays.fluent_words`, which lives as long as somebody looks at it."""

    cdef LaneArrays owner
    cdef int part
    cdef Py_ssize_t[2] shape
    cdef Py_ssize_t[2] strides

    def __getbuffer__(self, Py_buffer* view, int flags):
        if flags & PyBUF_WRITABLE:
            raise BufferError("the words of the fluents are read-only")
        self.owner.check()
        view.buf = <void*> self.owner.arrays.get().fluent_words(self.part)
        view.format = b"Q"
        view.internal = NULL
        view.itemsize = 8
        view.len = 8 * self.shape[0] * self.shape[1]
        view.ndim = 2
        view.obj = self
        view.readonly = 1
        view.shape = self.shape
        view.strides = self.strides
        view.suboffsets = NULL

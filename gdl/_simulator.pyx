# distutils: language = c++
"""Cython bindings of csrc/simulator.hpp, csrc/interfaces and csrc/arrays; wrapped by gdl.machines and ggp_agent.Lanes."""

from cpython.buffer cimport (
    PyBUF_C_CONTIGUOUS, PyBUF_FORMAT, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer)
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp cimport bool as cbool
from libcpp.memory cimport make_shared, shared_ptr, unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector


cdef extern from "Python.h":
    ctypedef struct PyThreadState:
        pass
    PyThreadState* PyThreadState_Get()
    uint64_t PyThreadState_GetID(PyThreadState*)


cdef Array array_of(object values, char type, int dimensions, int flags=0) except *:
    cdef Array array
    cdef Py_buffer view
    cdef char found
    array.columns = 1
    PyObject_GetBuffer(values, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | flags)
    try:
        # Types of 64 bits have two names; an array of truth values is one of bytes.
        found = {b"L": b"Q", b"?": b"B"}.get(view.format, view.format)[0]
        if found != type or view.ndim != dimensions:
            raise ValueError(f"the array must have {dimensions} dimensions and type {chr(type)}, "
                             f"not {view.ndim} and {view.format.decode()}")
        array.data, array.rows = view.buf, view.shape[0]
        if dimensions == 2:
            array.columns = view.shape[1]
        return array
    finally:
        PyBuffer_Release(&view)


cdef class StopFlag:
    """A flag that stops long work in the core, from any thread."""

    def set(self):
        """Stop the work that uses this flag."""
        self.flag.store(True)

    @property
    def is_set(self):
        """Whether the work should stop."""
        return bool(self.flag.load())


cdef class OneAtATime:
    """An object that raises RuntimeError if a second thread uses it while one works without the GIL."""

    def __enter__(self):
        self.claim()

    def __exit__(self, kind, error, trace):
        self.release()


cdef int in_use(OneAtATime what) except -1:
    raise RuntimeError(f"another thread is using this {type(what).__name__}: only one thread at a time may use it")


cdef class Question:
    def __init__(self, stopped):
        self.stopped = stopped


cdef class LaneSimulator(OneAtATime):
    """One simulator: lane 0 for single states, all lanes for other work.

    States are `bytes` of length 8 * state_words. One thread at a time may use a simulator; a second one raises
    RuntimeError.

    Attributes:
        isa: the instruction set of the simulator.
        evaluated: the state of `terminal`, `legal` and `goals`; None after `step` or work in all lanes.
    """

    @property
    def lanes(self):
        """The number of states that advance together."""
        return self.simulator.get().lanes()

    @property
    def roles(self):
        """The number of roles."""
        return self.simulator.get().roles()

    @property
    def state_words(self):
        """The number of 64-bit words of a packed state."""
        return self.simulator.get().state_words()

    @property
    def initial(self):
        """The packed initial state."""
        return PyBytes_FromStringAndSize(<const char*> self.simulator.get().initial(), 8 * self.simulator.get().state_words())

    cdef vector[uint64_t] words(self, bytes state) except *:
        if len(state) != 8 * self.simulator.get().state_words():
            raise ValueError(f"a state of this game has {8 * self.simulator.get().state_words()} bytes, not {len(state)}")
        cdef vector[uint64_t] result
        result.resize(self.simulator.get().state_words() + 1)
        memcpy(result.data(), PyBytes_AS_STRING(state), len(state))
        return result

    def evaluate(self, bytes state not None):
        """Load a state into lane 0 and evaluate it, for `terminal`, `legal` and `goals`."""
        cdef vector[uint64_t] words = self.words(state)
        cdef vector[uint64_t] mask
        mask.resize(self.simulator.get().groups())
        mask[0] = 1
        cdef const uint64_t* source = words.data()
        self.claim()
        self.evaluated = None  # if the evaluation fails
        try:
            with nogil:
                self.simulator.get().load(mask.data(), &source)
                self.simulator.get().evaluate()
        finally:
            self.release()
        self.evaluated = state

    def terminal(self):
        """Return whether the state in lane 0 is terminal."""
        self.check()
        return bool(self.simulator.get().terminal()[0] & 1)

    def legal(self, int role):
        """List the numbers of the legal moves of a role in lane 0, ascending."""
        self.check()
        cdef vector[int] moves
        moves.resize(self.simulator.get().moves(role) + 1)
        cdef int count = self.simulator.get().legal(0, role, moves.data())
        return [moves[i] for i in range(count)]

    def goals(self, int role):
        """List the goal values of a role that hold in lane 0, ascending."""
        self.check()
        cdef int values[101]
        cdef int count = self.simulator.get().goals(0, role, values)
        return [values[i] for i in range(count)]

    @property
    def evaluations(self):
        """The names of the evaluations of states."""
        cdef vector[string] names = names_of(self.simulator.get().optional_interface[Evaluations]())
        return decoded(names)

    def add_evaluation(self, str name not None, fluents, weights, bias):
        """Add an evaluation by weights of fluents (`gdl.machines.compiled`); replace one of the same name.

        Raises:
            ValueError: the weights do not fit this game, or its states do not consist of fluents.
        """
        cdef shared_ptr[CFluentWeights] made = make_shared[CFluentWeights]()
        cdef Array numbers = array_of(fluents, b"I", 1), rows = array_of(weights, b"f", 2), base = array_of(bias, b"f", 1)
        made.get().fluents.assign(<uint32_t*> numbers.data, <uint32_t*> numbers.data + numbers.rows)
        made.get().weights.assign(<float*> rows.data, <float*> rows.data + rows.rows * rows.columns)
        made.get().bias.assign(<float*> base.data, <float*> base.data + base.rows)
        self.check()
        cdef WeightedEvaluations* evaluations = self.simulator.get().optional_interface[WeightedEvaluations]()
        if evaluations == NULL:
            raise ValueError("the states of this game do not consist of fluents, so fluents have no weights")
        evaluations.add_evaluation(name.encode(), <shared_ptr[const CFluentWeights]> made)

    def values(self, str name not None):
        """Return the value of the state in lane 0 for each role, -1..1; the state must not be terminal."""
        cdef vector[float] values
        cdef vector[uint64_t] mask
        self.check()
        if name not in self.evaluations:
            raise ValueError(f"there is no evaluation {name}; known are {', '.join(self.evaluations) or 'none'}")
        values.resize(self.simulator.get().roles() * self.simulator.get().lanes())
        mask.resize(self.simulator.get().groups())
        mask[0] = 1
        cdef Evaluations* evaluations = self.simulator.get().optional_interface[Evaluations]()
        evaluations.values(self.evaluations.index(name), mask.data(), values.data())
        return [values[role] for role in range(self.simulator.get().roles())]

    def percepts(self, moves):
        """Play a joint move in the evaluated lane 0, and list the numbers of the percepts of each role, ascending.

        The lists are empty if the game has no percepts.
        """
        cdef int role
        cdef int roles = self.simulator.get().roles()
        cdef vector[vector[uint32_t]] found
        self.check()
        cdef Percepts* percepts = self.simulator.get().optional_interface[Percepts]()
        found.resize(roles)
        if percepts == NULL:
            return [[] for role in range(roles)]
        self.evaluated = None
        for role in range(roles):
            self.simulator.get().choose(0, role, moves[role])
        self.claim()
        try:
            with nogil:
                percepts.perceive()
                for role in range(roles):
                    percepts.perceived(0, role, found[role])
                self.simulator.get().step()
        finally:
            self.release()
        return [[number for number in numbers] for numbers in found]

    def step(self, moves):
        """Play a joint move (numbers in the order of the roles) in the evaluated lane 0; return the next state."""
        cdef int role
        self.check()
        self.evaluated = None
        for role in range(self.simulator.get().roles()):
            self.simulator.get().choose(0, role, moves[role])
        cdef vector[uint64_t] words, mask
        words.resize(self.simulator.get().state_words() + 1)
        mask.resize(self.simulator.get().groups())
        mask[0] = 1
        cdef uint64_t* target = words.data()
        self.claim()
        try:
            with nogil:
                self.simulator.get().step()
                self.simulator.get().store(mask.data(), &target)
        finally:
            self.release()
        return PyBytes_FromStringAndSize(<const char*> words.data(), 8 * self.simulator.get().state_words())


cdef class EvaluationLanes:
    """Evaluate single states in any thread; each thread has its own simulator.

    Args:
        per_thread: a `PerThread` for simulators.
        make: a weak reference to a function that returns a new simulator; its owner must live during all calls.
    """

    cdef object per_thread, make
    cdef uint64_t owner  # the thread of `lane`, the latest one
    cdef LaneSimulator lane

    def __init__(self, per_thread not None, make not None):
        self.per_thread, self.make = per_thread, make

    def evaluated(self, state):
        """Return the simulator of the calling thread with a state evaluated in lane 0.

        Raises:
            TypeError: the state is not `bytes`.
            ValueError: it is not a state of the game.
        """
        cdef LaneSimulator lane = self.mine()
        if lane.evaluated is not state and lane.evaluated != state:
            if not isinstance(state, bytes):
                raise TypeError(f"a state of a compiled machine is bytes, not {type(state).__name__}")
            lane.evaluate(state)
        return lane

    cpdef LaneSimulator mine(self):
        """Return the simulator of the calling thread."""
        # Numbers of thread states are never used again, unlike identifiers of threads.
        cdef uint64_t thread = PyThreadState_GetID(PyThreadState_Get())
        cdef LaneSimulator lane
        if self.owner != thread or self.lane is None:
            lane = self.per_thread.get(self.make())
            self.owner, self.lane = thread, lane
            return lane
        return self.lane


cdef class LaneArrays(OneAtATime):
    """n evaluated states of one game; methods write their values to bound arrays.

    `csrc/arrays/batch_arrays.hpp` describes shapes and words. One thread at a time may use the object; a second one
    raises RuntimeError. A method that writes an array returns the turn of the written states.

    Attributes:
        lanes: the number of states.
        parts: the number of simulators.
        part_words: the number of words of a lane mask of a simulator.
        fluents: the number of fluents.
        state_words: the number of 64-bit words of a packed state.
    """

    cdef unique_ptr[CBatchArrays] arrays
    cdef readonly int lanes, parts, part_words, fluents, state_words
    cdef readonly long long turn, written_turn  # number of changes of the states; turn of the latest write_one()
    cdef object bound  # the arrays of bind(), which own the memory of the next lines
    cdef uint8_t* fluents_out
    cdef uint8_t* movers_legal_out
    cdef uint8_t* terminal_out
    cdef int8_t* mover_out
    cdef int8_t* goals_out

    def moves(self, int role):
        """Return the number of moves of a role."""
        return self.arrays.get().moves(role)

    def bind(self, fluents, movers_legal, terminal, mover, goals):
        """Set the arrays to which the methods `write_...` write; their shapes must be right."""
        self.check()
        self.bound = fluents, movers_legal, terminal, mover, goals
        self.fluents_out = <uint8_t*> array_of(fluents, b"B", 2, PyBUF_WRITABLE).data
        self.movers_legal_out = <uint8_t*> array_of(movers_legal, b"B", 2, PyBUF_WRITABLE).data
        self.terminal_out = <uint8_t*> array_of(terminal, b"B", 1, PyBUF_WRITABLE).data
        self.mover_out = <int8_t*> array_of(mover, b"b", 1, PyBUF_WRITABLE).data
        self.goals_out = <int8_t*> array_of(goals, b"b", 2, PyBUF_WRITABLE).data

    def write_fluents(self):
        """Write fluents, [fluents, n]."""
        if self.fluents == 0:
            return self.turn
        self.claim()
        with nogil:
            self.arrays.get().fluent_bytes(self.fluents_out)
        self.release()
        return self.turn

    def write_movers_legal(self):
        """Write the legal moves of each mover, [moves of the role with the most, n]."""
        self.claim()
        with nogil:
            self.arrays.get().movers_legal_bytes(self.movers_legal_out)
        self.release()
        return self.turn

    def write_ends(self):
        """Write whether states are terminal, [n], and the goals of terminal states, [roles, n]."""
        self.claim()
        with nogil:
            self.arrays.get().terminal(self.terminal_out)
            self.arrays.get().goals(self.goals_out)
        self.release()
        return self.turn

    def write_mover(self):
        """Write the number of the role to move, [n]."""
        self.claim()
        with nogil:
            self.arrays.get().mover(self.mover_out)
        self.release()
        return self.turn

    def rewards(self, ended, role, rewards, worth):
        """Write the rewards of terminal lanes: (goal - 50) / 50, -1 without a goal value; 0 in other lanes.

        Args:
            ended: whether a lane is terminal, [n]; the goals of these lanes were written before.
            role: the role of each lane that gets a reward, [n].
            rewards: the reward of that role, [n].
            worth: the rewards of all roles, [n, roles].
        """
        cdef Py_ssize_t lane, each
        cdef Array over = array_of(ended, b"B", 1), all_roles = array_of(worth, b"d", 2, PyBUF_WRITABLE)
        cdef Py_ssize_t lanes = over.rows, roles = all_roles.columns
        cdef uint8_t* is_over = <uint8_t*> over.data
        cdef int8_t* of_role = <int8_t*> array_of(role, b"b", 1).data
        cdef double* reward = <double*> array_of(rewards, b"d", 1, PyBUF_WRITABLE).data
        cdef double* value = <double*> all_roles.data
        self.check()
        memset(reward, 0, lanes * sizeof(double))
        memset(value, 0, lanes * roles * sizeof(double))
        for lane in range(lanes):
            if not is_over[lane]:
                continue
            for each in range(roles):
                value[lane * roles + each] = (max(<int> self.goals_out[each * lanes + lane], 0) - 50) / 50.0
            reward[lane] = value[lane * roles + of_role[lane]]

    def legal(self, int role, out):
        """Write the legal moves of a role, [moves, n]."""
        cdef uint8_t* to = <uint8_t*> array_of(out, b"B", 2, PyBUF_WRITABLE).data
        self.claim()
        with nogil:
            self.arrays.get().legal_bytes(role, to)
        self.release()
        return self.turn

    def choice(self, int role, out):
        """Write whether a role has a choice, [n]."""
        self.check()
        self.arrays.get().choice_bytes(role, <uint8_t*> array_of(out, b"B", 1, PyBUF_WRITABLE).data)

    def legal_words(self, int role, out):
        """Write the legal moves of a role as words, [moves, parts * part_words]."""
        cdef uint64_t* to = <uint64_t*> array_of(out, b"Q", 2, PyBUF_WRITABLE).data
        self.claim()
        with nogil:
            self.arrays.get().legal_words(role, to)
        self.release()
        return self.turn

    def percepts(self, int role):
        """Return the number of percepts of a role."""
        return self.arrays.get().percepts(role)

    def record_percepts(self):
        """Let `step` evaluate percepts from now on."""
        self.check()
        self.arrays.get().record_percepts()

    def perceived(self, int role, out):
        """Write what a role perceived in the latest step, [percepts, n]; 0 in lanes that did not play."""
        cdef Array array = array_of(out, b"B", 2, PyBUF_WRITABLE)
        if array.rows == 0:
            return
        cdef uint8_t* to = <uint8_t*> array.data
        self.claim()
        with nogil:
            self.arrays.get().percept_bytes(role, to)
        self.release()

    def seed(self, seeds):
        """Set the seed of the random numbers of each lane."""
        self.check()
        self.arrays.get().seed(<uint64_t*> array_of(seeds, b"Q", 1).data)

    def streams(self, out):
        """Write the present state of the random numbers of each lane, which `seed` accepts."""
        self.check()
        self.arrays.get().streams(<uint64_t*> array_of(out, b"Q", 1, PyBUF_WRITABLE).data)

    def load(self, mask, states):
        """Load states [n, state_words], None for the initial state, into lanes of a mask [n], None for all lanes."""
        cdef const uint8_t* lanes = NULL
        cdef const uint64_t* source = NULL
        if mask is not None:
            lanes = <uint8_t*> array_of(mask, b"B", 1).data
        if states is not None and states.shape[1] > 0:
            source = <uint64_t*> array_of(states, b"Q", 2).data
        self.claim()
        self.turn += 1
        with nogil:
            self.arrays.get().load(lanes, source)
        self.release()

    def store(self, states):
        """Write all states, [n, state_words]."""
        cdef Array array = array_of(states, b"Q", 2, PyBUF_WRITABLE)
        if array.columns == 0:
            return
        cdef uint64_t* target = <uint64_t*> array.data
        self.claim()
        with nogil:
            self.arrays.get().store(target)
        self.release()

    def step(self, moves, held, fresh, cbool may_draw):
        """Play a turn.

        Args:
            moves: the moves of all roles [roles, n] or of the movers [1, n]; -1 is a random move.
            held: whether a lane keeps its state, [n]; None for no lane.
            fresh: whether a lane starts again at the initial state, [n]; None for no lane.
            may_draw: whether random moves are allowed.

        Returns:
            None, or (lane, role, move, whether two roles have a choice) of the first wrong move; it plays nothing.
        """
        cdef const uint8_t* keep = NULL
        cdef const uint8_t* begin = NULL
        if held is not None:
            keep = <uint8_t*> array_of(held, b"B", 1).data
        if fresh is not None:
            begin = <uint8_t*> array_of(fresh, b"B", 1).data
        cdef Array array = array_of(moves, b"i", 2)
        cdef const int32_t* given = <int32_t*> array.data
        cdef cbool of_movers = array.rows != self.arrays.get().roles()
        cdef CWrongMove wrong
        self.claim()
        with nogil:
            wrong = self.arrays.get().step(given, of_movers, may_draw, keep, begin)
        self.release()
        if wrong.lane < 0:
            self.turn += 1
            return None
        return wrong.lane, wrong.role, wrong.move, wrong.at_once

    def step_one(self, int32_t move):
        """Play a turn of the mover in the only lane and write all bound arrays, for environments of one game.

        Returns:
            The result of `write_one`; if the move is wrong, the result of `step`.
        """
        self.check()
        cdef CWrongMove wrong = self.arrays.get().step(&move, self.arrays.get().roles() > 1, False, NULL, NULL)
        if wrong.lane >= 0:
            return wrong.lane, wrong.role, wrong.move, wrong.at_once
        self.turn += 1
        return self.write_one()

    def write_one(self):
        """Write all bound arrays of one lane; return the roles with a choice: bit r for role r, -1 if terminal."""
        self.check()
        self.written_turn = self.turn
        if self.fluents > 0:
            self.arrays.get().fluent_bytes(self.fluents_out)
        self.arrays.get().movers_legal_bytes(self.movers_legal_out)
        self.arrays.get().terminal(self.terminal_out)
        self.arrays.get().mover(self.mover_out)
        self.arrays.get().goals(self.goals_out)
        return self.arrays.get().choosers(0)

    def sample(self, out):
        """Draw random moves of all roles [roles, n] or of the movers [1, n]; -1 in terminal lanes."""
        cdef Array array = array_of(out, b"i", 2, PyBUF_WRITABLE)
        cdef int32_t* to = <int32_t*> array.data
        cdef cbool of_movers = array.rows != self.arrays.get().roles()
        self.claim()
        with nogil:
            self.arrays.get().sample(to, of_movers)
        self.release()

    def write_fluent_words(self):
        """Write the fluents of all parts to the buffers of `fluent_words`, unless they are already there."""
        cdef int part
        self.claim()
        with nogil:
            for part in range(self.parts):
                self.arrays.get().fluent_words(part)
        self.release()
        return self.turn

    def fluent_words(self, int part):
        """Return the fluents of a part as a read-only buffer of [fluents, part_words] words, without a copy.

        The buffer is valid until the next turn; then `write_fluent_words` updates it.
        """
        self.check()
        self.arrays.get().fluent_words(part)
        cdef FluentWords words = FluentWords.__new__(FluentWords)
        words.owner = self
        words.part = part
        words.shape[0] = self.fluents
        words.shape[1] = self.part_words
        words.strides[0] = 8 * words.shape[1]
        words.strides[1] = 8
        return words


cdef object lane_arrays_of(BatchParts* parts, int threads, int chance):
    if parts.empty() or threads < 1:
        raise ValueError("states and threads are at least 1")
    cdef LaneArrays made = LaneArrays.__new__(LaneArrays)
    made.written_turn = -1
    cdef CBatchArrays* arrays = new CBatchArrays(move(parts[0]), threads, chance)
    made.arrays.reset(arrays)
    made.lanes, made.parts, made.part_words = arrays.lanes(), arrays.parts(), arrays.part_words()
    made.fluents, made.state_words = arrays.fluents(), arrays.state_words()
    return made


cdef class FluentWords:
    """The buffer of `LaneArrays.fluent_words`; it lives as long as an object uses it."""

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

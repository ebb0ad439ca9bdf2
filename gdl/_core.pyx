# distutils: language = c++
"""Python face of the compiled core; `gdl.compile.ground` and `gdl.machines.network` give it its shape."""

from cpython.buffer cimport PyBUF_WRITABLE
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport make_shared, shared_ptr, unique_ptr
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport move
from libcpp.vector cimport vector

from gdl._network cimport (
    NETWORK_NOT, NETWORK_OR, CBatchArrays, CBlock, CGroundProgram, CLaneKernel, CLaneProgram, CNetworkSimulator, CRun,
    CWrongMove, CompileOutcome, CompiledNetwork, GroundingRequest, c_best_isa, c_compile_game, c_confine, c_ground,
    find_kernel, in_machine_code, network_parts, read_network, string_view,
)


cdef extern from "Python.h":
    ctypedef struct PyThreadState:
        pass
    PyThreadState* PyThreadState_Get()
    uint64_t PyThreadState_GetID(PyThreadState*)


cdef extern from "simulation/random_playouts.hpp" namespace "ggp" nogil:
    cdef cppclass PlayoutTotals:
        uint64_t playouts, states, turns
        double cpu_seconds
        vector[uint64_t] goals
    PlayoutTotals c_random_playouts "ggp::random_playouts"(
        Simulator&, double, uint64_t, const atomic_bool&) except +


cdef extern from "simulation/perft.hpp" namespace "ggp" nogil:
    cdef cppclass PerftLevel:
        uint64_t leaves, terminals
    vector[PerftLevel] c_perft "ggp::perft"(Simulator&, const uint64_t*, int, const atomic_bool&) except +


cdef class StopFlag:
    """End long work in the core early, from any thread."""

    def set(self):
        """Ask the work that was given this flag to end soon."""
        self.flag.store(True)

    @property
    def is_set(self):
        """Whether the work is to end."""
        return bool(self.flag.load())


cdef class GroundProgram:
    """Hold the rules of a game without variables."""

    cdef CGroundProgram program

    @property
    def rules(self):
        """The number of ground rules."""
        return self.program.rules.size()

    @property
    def atoms(self):
        """The number of ground atoms."""
        return self.program.atoms

    def __str__(self):
        """Print the program, one item a line, in the order in which a reader needs them.

        Atoms are numbers from 1, 0 stands for "always"; fluents and moves are counted from 0 as they come, roles
        too: `role NAME`, `fluent ATOM NAME`, `move ROLE ATOM NAME`, `initial FLUENT`, `next FLUENT ATOM`,
        `legal MOVE ATOM`, `goal ROLE VALUE ATOM`, `terminal ATOM`, `rule HEAD LITERAL ...` (-ATOM: does not hold).
        """
        cdef size_t i, k
        cdef CGroundProgram* p = &self.program
        lines = [f"role {name.decode()}" for name in p.roles]
        for i in range(p.fluents.size()):
            lines.append(f"fluent {p.fluents[i].input} {p.fluents[i].name.decode()}")
        for i in range(p.moves.size()):
            lines.append(f"move {p.moves[i].role} {p.moves[i].input} {p.moves[i].name.decode()}")
        for i in range(p.initial.size()):
            lines.append(f"initial {p.initial[i]}")
        for i in range(p.next.size()):
            lines.append(f"next {p.next[i].index} {p.next[i].atom}")
        for i in range(p.legal.size()):
            lines.append(f"legal {p.legal[i].index} {p.legal[i].atom}")
        for i in range(p.goals.size()):
            lines.append(f"goal {p.goals[i].role} {p.goals[i].value} {p.goals[i].atom}")
        for i in range(p.terminal.size()):
            lines.append(f"terminal {p.terminal[i]}")
        for i in range(p.rules.size()):
            words = ["rule", str(p.rules[i].head)]
            for k in range(p.rules[i].first, p.rules[i].first + p.rules[i].count):
                words.append(str(p.literals[k]))
            lines.append(" ".join(words))
        return "\n".join(lines) + "\n"


cdef GroundingRequest grounding_request(str library, str program, constants, roles, size_t max_rules) except *:
    cdef GroundingRequest request
    request.library = library.encode()
    request.program = program.encode()
    for constant in constants:
        request.constants.push_back(constant.encode())
    for role in roles:
        request.roles.push_back(role.encode())
    request.max_rules = max_rules
    return request


def ground(str library, str program, constants, roles, StopFlag stop, size_t max_rules, double max_seconds):
    """Ground a program for clingo with the clingo in a shared library."""
    cdef GroundingRequest request = grounding_request(library, program, constants, roles, max_rules)
    request.max_seconds = max_seconds
    cdef GroundProgram result = GroundProgram()
    with nogil:
        result.program = c_ground(request, &stop.flag)
    return result


def compile_game(str library, str program, constants, roles, size_t max_rules):
    """Ground and compile a program for clingo, in a process that may be killed.

    Returns one letter and what it tells of, in bytes: N a network, L the limit of size that was met, M that memory was,
    R why the rules are no game, S likewise where something depends on its own negation.
    """
    cdef GroundingRequest request = grounding_request(library, program, constants, roles, max_rules)
    cdef CompileOutcome outcome
    with nogil:
        outcome = c_compile_game(request)
    return bytes([<char> outcome.kind]) + outcome.text


def confine(int parent, double cpu_seconds, uint64_t most_bytes):
    """Bind this process: to CPU-seconds, to the life of its parent, to so much address space; whether the parent lives."""
    return bool(c_confine(parent, cpu_seconds, most_bytes))


def best_isa():
    """Return the widest instruction set of this machine for which there are kernels."""
    return c_best_isa().decode()


def has_kernel(str isa):
    """Tell whether this machine and build have kernels of an instruction set."""
    return find_kernel(isa.encode(), 64) != NULL


cdef tuple decoded(vector[string]& names):
    return tuple([name.decode() for name in names])


cdef class Network:
    """Hold the compiled gate network of a game; immutable, shared by all its simulators."""

    cdef shared_ptr[const CLaneProgram] program
    cdef unordered_map[size_t, shared_ptr[const CLaneProgram]] coded  # by kernel
    cdef readonly tuple fluents, always, moves, groups, passes
    cdef readonly size_t ground_rules, ground_atoms, raw_gates, gates, depth, loop_variables
    cdef readonly double ground_cpu_s, network_cpu_s

    def __init__(self, bytes content not None):
        """Read what `compile_game` has written; RuntimeError where it is nothing that this version has written."""
        cdef const char* begin = content
        cdef size_t size = len(content)
        cdef CompiledNetwork network
        with nogil:
            network = read_network(string_view(begin, size))
            self.program = <shared_ptr[const CLaneProgram]> make_shared[CLaneProgram](move(network.program))
        self.ground_rules = network.ground_rules
        self.ground_atoms = network.ground_atoms
        self.raw_gates = network.raw_gates
        self.gates = self.program.get().gates
        self.depth = self.program.get().depth
        self.loop_variables = network.loop_variables
        self.ground_cpu_s = network.ground_cpu_s
        self.network_cpu_s = network.network_cpu_s
        self.passes = tuple([(one.name.decode(), one.gates, one.cpu_seconds) for one in self.program.get().passes])
        self.fluents = decoded(network.fluents)
        self.always = decoded(network.always)
        self.moves = tuple([decoded(names) for names in network.moves])
        self.groups = tuple([tuple(group) for group in network.groups])

    def gates_of(self, str stage):
        """List the gates of a stage, `legal`, `ahead`, `goal` or `next`, in their order: (value, is an OR, plain inputs,
        complemented inputs), inputs as numbers of values."""
        cdef const CLaneProgram* program = self.program.get()
        cdef const vector[CBlock]* blocks = &program.legal_blocks
        if stage == "next":
            blocks = &program.next_blocks
        elif stage == "goal":
            blocks = &program.goal_blocks
        elif stage == "ahead":
            blocks = &program.ahead_blocks
        cdef size_t i, gate, operand
        cdef uint32_t k, number
        cdef const CRun* run
        result = []
        for i in range(blocks.size()):
            for number in range(blocks.at(i).first_run, blocks.at(i).end_run):
                run = &program.runs[number]
                for gate in range(run.count):
                    operand = run.operand + gate * (run.plain + run.complemented)
                    plain = [program.operands[operand + k] for k in range(run.plain)]
                    operand += run.plain
                    complemented = [program.operands[operand + k] for k in range(run.complemented)]
                    if run.shape == NETWORK_NOT:
                        plain, complemented = [], plain
                    result.append((run.value + gate, run.shape == NETWORK_OR, plain, complemented))
        return result

    def outputs(self):
        """Return the values that answer: (legal by role and move, terminal, goals by role as (goal, value), next fluents
        as (fluent, value, is complemented))."""
        cdef const CLaneProgram* program = self.program.get()
        cdef size_t role, i
        legal, goals, following = [], [], []
        for role in range(program.legal.size()):
            legal.append([program.legal[role][i] for i in range(program.legal[role].size())])
            goals.append([(program.goals[role][i].value, program.goals[role][i].holds)
                          for i in range(program.goals[role].size())])
        for i in range(program.next_plain.size()):
            following.append((program.next_plain[i].target - program.first_fluent, program.next_plain[i].source, False))
        for i in range(program.next_complemented.size()):
            following.append((program.next_complemented[i].target - program.first_fluent,
                              program.next_complemented[i].source, True))
        following.sort()
        return legal, program.terminal, goals, following

    def outlook(self):
        """Return the values that tell what a move leads to: (role, move, kept, wins), kept or wins None where it says
        nothing new."""
        cdef const CLaneProgram* program = self.program.get()
        cdef size_t role, i
        result = []
        for role in range(program.legal.size()):
            wins = {program.wins[role][i].move: program.wins[role][i].holds for i in range(program.wins[role].size())}
            for i in range(program.legal[role].size()):
                kept = program.kept[role][i] if program.kept[role][i] != program.legal[role][i] else None
                if kept is not None or i in wins:
                    result.append((role, i, kept, wins.get(i)))
        return result

    cdef shared_ptr[const CLaneProgram] program_for(self, const CLaneKernel* kernel):
        """Return the program in the form that is fastest on a kernel."""
        cdef shared_ptr[const CLaneProgram] coded
        if self.coded.count(<size_t> kernel) == 0:
            with nogil:
                coded = in_machine_code(self.program, kernel[0])
            self.coded[<size_t> kernel] = coded if coded.get() != NULL else self.program
        return self.coded[<size_t> kernel]

    def machine_code(self, int lanes, str isa):
        """Return the bytes of machine code on a kernel, and the values that it keeps in memory; None where the network is
        interpreted."""
        cdef bytes name = isa.encode()
        cdef const CLaneKernel* kernel = find_kernel(name, lanes)
        if kernel == NULL:
            return None
        cdef const CLaneProgram* program = self.program_for(kernel).get()
        return (program.code.get().bytes(), program.values) if program.code.get() != NULL else None

    def simulator(self, int lanes, str isa):
        """Return a new simulator, or None where this machine has no such kernel."""
        cdef bytes name = isa.encode()
        cdef const CLaneKernel* kernel = find_kernel(name, lanes)
        if kernel == NULL:
            return None
        cdef LaneSimulator result = LaneSimulator.__new__(LaneSimulator)
        cdef CNetworkSimulator* simulator = new CNetworkSimulator(self.program_for(kernel), kernel[0])
        result.simulator.reset(<Simulator*> simulator)
        result.isa = isa
        return result

    def lane_arrays(self, int n, int lanes, str isa not None, int threads, int chance):
        """Return n states as arrays, in simulators of so many lanes; None where this machine has no such kernel."""
        cdef const CLaneKernel* kernel = find_kernel(<bytes> isa.encode(), lanes)
        if kernel == NULL:
            return None
        cdef BatchParts parts = network_parts(self.program_for(kernel), kernel[0], n)
        return lane_arrays_of(&parts, threads, chance)


cdef class OneAtATime:
    """Refuse a second thread with a RuntimeError while one works without the GIL."""


cdef int in_use(OneAtATime what) except -1:
    raise RuntimeError(f"another thread is using this {type(what).__name__}: only one thread at a time may use it")


cdef class LaneSimulator(OneAtATime):
    """Drive one simulator: lane 0 for a state at a time, all lanes for bulk work.

    States are `bytes` of 8 * state_words. One thread at a time may use a simulator; a second one gets a RuntimeError.

    Attributes:
        isa: the instruction set on which it runs.
        evaluated: the state about which `terminal`, `legal` and `goals` answer, until the next `step` or bulk work.
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
        """Put a state into lane 0 and evaluate it; `terminal`, `legal` and `goals` then tell about it."""
        cdef vector[uint64_t] words = self.words(state)
        cdef vector[uint64_t] mask
        mask.resize(self.simulator.get().groups())
        mask[0] = 1
        cdef const uint64_t* source = words.data()
        self.claim()
        self.evaluated = None  # where the evaluation fails
        try:
            with nogil:
                self.simulator.get().load(mask.data(), &source)
                self.simulator.get().evaluate()
        finally:
            self.release()
        self.evaluated = state

    def terminal(self):
        """Tell whether the state in lane 0 is terminal."""
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

    def add_evaluation(self, str name not None, const uint32_t[::1] fluents, const float[:, ::1] weights,
                       const float[::1] bias):
        """Take in an evaluation by weights of fluents (`gdl.machines.fluent_weights`), or another of the same name.

        Raises:
            ValueError: the weights are not those of this game, or its states are not made of fluents.
        """
        cdef shared_ptr[CFluentWeights] made = make_shared[CFluentWeights]()
        cdef Py_ssize_t i, role
        for i in range(fluents.shape[0]):
            made.get().fluents.push_back(fluents[i])
        for i in range(weights.shape[0]):
            for role in range(weights.shape[1]):
                made.get().weights.push_back(weights[i, role])
        for role in range(bias.shape[0]):
            made.get().bias.push_back(bias[role])
        self.check()
        cdef WeightedEvaluations* evaluations = self.simulator.get().optional_interface[WeightedEvaluations]()
        if evaluations == NULL:
            raise ValueError("the states of this game are not made of fluents, so fluents have no weights")
        evaluations.add_evaluation(name.encode(), <shared_ptr[const CFluentWeights]> made)

    def values(self, str name not None):
        """Return what the state in lane 0, which is not terminal, is worth to each role by an evaluation, -1..1."""
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

    def step(self, moves):
        """Play a joint move (numbers in role order) in lane 0, which was just evaluated; return the next state."""
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

    def random_playouts(self, double cpu_seconds, uint64_t seed, StopFlag stop not None):
        """Play at random from the initial state for some CPU-seconds of this thread.

        Returns (finished play-outs, states stepped, turns of finished play-outs, CPU-seconds, goal sums by role).
        """
        cdef PlayoutTotals totals
        self.claim()
        self.evaluated = None
        try:
            with nogil:
                totals = c_random_playouts(self.simulator.get()[0], cpu_seconds, seed, stop.flag)
        finally:
            self.release()
        return totals.playouts, totals.states, totals.turns, totals.cpu_seconds, list(totals.goals)

    def perft(self, bytes state not None, int depth, StopFlag stop not None):
        """Count the move sequences of length 1 to depth; return (leaves, terminals) for each."""
        cdef vector[uint64_t] words = self.words(state)
        cdef vector[PerftLevel] levels
        self.claim()
        self.evaluated = None
        try:
            with nogil:
                levels = c_perft(self.simulator.get()[0], words.data(), depth, stop.flag)
        finally:
            self.release()
        return [(level.leaves, level.terminals) for level in levels]


cdef class EvaluationLanes:
    """Evaluate single states for any thread, each in a lane of its own.

    Args:
        per_thread: a `PerThread` for simulators.
        make: a weak reference to a function that returns a new simulator; what it belongs to lives as long as the calls.
    """

    cdef object per_thread, make
    cdef uint64_t owner  # the thread that used `lane`, the latest one
    cdef LaneSimulator lane

    def __init__(self, per_thread not None, make not None):
        self.per_thread, self.make = per_thread, make

    def evaluated(self, state):
        """Return the simulator of the calling thread with a state evaluated in lane 0.

        Raises:
            TypeError: the state is not `bytes`.
            ValueError: it is no state of the game.
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


cdef extern from "simulation/random_playouts.hpp" namespace "ggp" nogil:
    cdef cppclass CRandomPlayouts "ggp::RandomPlayouts":
        CRandomPlayouts(Simulator&, uint64_t) except +
        PlayoutTotals run(double, const atomic_bool&) except +


cdef extern from "simulation/calibration.hpp" namespace "ggp" nogil:
    cdef cppclass CCalibration "ggp::Calibration":
        double score
    CCalibration c_calibrate "ggp::calibrate"() except +


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


cdef class RandomPlayouts(OneAtATime):
    """Play at random in all lanes of a simulator, which is theirs alone; each run goes on where the last one ended."""

    cdef LaneSimulator lanes
    cdef unique_ptr[CRandomPlayouts] playouts

    def __init__(self, LaneSimulator lanes not None, uint64_t seed):
        self.lanes = lanes
        self.playouts.reset(new CRandomPlayouts(lanes.simulator.get()[0], seed))

    def run(self, double cpu_seconds, StopFlag stop not None):
        """Play for some CPU-seconds of this thread; return what `LaneSimulator.random_playouts` returns."""
        cdef PlayoutTotals totals
        self.claim()
        try:
            with nogil:
                totals = self.playouts.get().run(cpu_seconds, stop.flag)
        finally:
            self.release()
        return totals.playouts, totals.states, totals.turns, totals.cpu_seconds, list(totals.goals)


def calibrate():
    """Do a fixed piece of work in this thread, about 0.2 s of it; return its speed, higher is faster."""
    cdef CCalibration found
    with nogil:
        found = c_calibrate()
    return found.score


def compiler():
    """Name the compiler that built this module."""
    return GGP_COMPILER.decode().split("(")[0].strip()


include "_lane_arrays.pxi"
include "_puzzle_searches.pxi"
include "_sampled_playouts.pxi"

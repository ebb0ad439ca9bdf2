# distutils: language = c++
"""Python face of the compiled core; `gdl.ground` and `gdl.network` give it its shape."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport make_shared, shared_ptr, unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector


cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass atomic_bool "std::atomic<bool>":
        void store(cbool)
        cbool load()


cdef extern from "network/ground_program.hpp" namespace "ggp" nogil:
    cdef cppclass CFluent "ggp::GroundProgram::Fluent":
        string name
        uint32_t input
    cdef cppclass CMove "ggp::GroundProgram::Move":
        int role
        string name
        uint32_t input
    cdef cppclass CDerivation "ggp::GroundProgram::Derivation":
        int index
        uint32_t atom
    cdef cppclass CGoal "ggp::GroundProgram::Goal":
        int role, value
        uint32_t atom
    cdef cppclass CGroundRule "ggp::GroundProgram::Rule":
        uint32_t head, first, count
    cdef cppclass CGroundProgram "ggp::GroundProgram":
        uint32_t atoms
        vector[CGroundRule] rules
        vector[int32_t] literals
        vector[string] roles
        vector[CFluent] fluents
        vector[CMove] moves
        vector[int] initial
        vector[CDerivation] next, legal
        vector[CGoal] goals
        vector[uint32_t] terminal


cdef extern from "network/clingo_grounder.hpp" namespace "ggp" nogil:
    cdef cppclass GroundingRequest:
        string library
        string program
        vector[string] constants
        vector[string] roles
        size_t max_rules
        double max_seconds
    CGroundProgram c_ground "ggp::ground"(const GroundingRequest&, const atomic_bool*) except +


cdef extern from "network/network.hpp" namespace "ggp" nogil:
    cdef cppclass CGateGraph "ggp::GateGraph":
        size_t size()
    cdef cppclass CNetworkFluent "ggp::Network::Fluent":
        string name
    cdef cppclass CNetworkMove "ggp::Network::Move":
        int role
        string name
    cdef cppclass CLoop "ggp::Network::Loop":
        pass
    cdef cppclass CPassReport "ggp::PassReport":
        string name
        uint32_t gates
        double cpu_seconds
    cdef cppclass CNetwork "ggp::Network":
        CGateGraph gates
        vector[string] roles
        vector[CNetworkFluent] fluents
        vector[CNetworkMove] moves
        vector[string] always
        vector[CLoop] loops
    CNetwork build_network(const CGroundProgram&) except +
    CNetwork simplify(const CNetwork&) except +


cdef extern from "network/lane_program.hpp" namespace "ggp" nogil:
    cdef cppclass CLaneProgram "ggp::LaneProgram":
        uint32_t values
        uint32_t gates
        uint32_t depth
        vector[CPassReport] passes
    CLaneProgram compile_network "ggp::compile"(const CNetwork&) except +


cdef extern from "network/lane_kernel.hpp" namespace "ggp" nogil:
    cdef cppclass CLaneKernel "ggp::LaneKernel":
        const char* isa
    const CLaneKernel* find_kernel(const char* isa, int lanes)
    const char* c_best_isa "ggp::best_isa"()


cdef extern from "network/network_simulator.hpp" namespace "ggp" nogil:
    cdef cppclass CNetworkSimulator "ggp::NetworkSimulator":
        CNetworkSimulator(shared_ptr[const CLaneProgram], const CLaneKernel&) except +


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

    cdef atomic_bool flag

    def set(self):
        """Ask the work that was given this flag to end soon."""
        self.flag.store(True)


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


def ground(str library, str program, constants, roles, StopFlag stop, size_t max_rules, double max_seconds):
    """Ground a program for clingo with the clingo in a shared library."""
    cdef GroundingRequest request
    request.library = library.encode()
    request.program = program.encode()
    for constant in constants:
        request.constants.push_back(constant.encode())
    for role in roles:
        request.roles.push_back(role.encode())
    request.max_rules = max_rules
    request.max_seconds = max_seconds
    cdef GroundProgram result = GroundProgram()
    with nogil:
        result.program = c_ground(request, &stop.flag)
    return result


def best_isa():
    """Return the widest instruction set of this machine for which there are kernels."""
    return c_best_isa().decode()


def has_kernel(str isa):
    """Tell whether this machine and build have kernels of an instruction set."""
    return find_kernel(isa.encode(), 64) != NULL


cdef class Network:
    """Hold the compiled gate network of a game; immutable, shared by all its simulators."""

    cdef shared_ptr[const CLaneProgram] program
    cdef readonly tuple fluents, always, moves, passes
    cdef readonly size_t raw_gates, gates, depth, loops

    def __init__(self, GroundProgram ground_program):
        cdef CNetwork raw, network
        cdef shared_ptr[CLaneProgram] program
        with nogil:
            raw = build_network(ground_program.program)
            network = simplify(raw)
            program = make_shared[CLaneProgram](compile_network(network))
        self.program = <shared_ptr[const CLaneProgram]> program
        self.raw_gates = raw.gates.size() - 1
        self.gates = program.get().gates
        self.depth = program.get().depth
        self.loops = network.loops.size()
        self.passes = tuple([(done.name.decode(), done.gates, done.cpu_seconds) for done in program.get().passes])
        self.fluents = tuple([fluent.name.decode() for fluent in network.fluents])
        self.always = tuple([name.decode() for name in network.always])
        moves = [[] for _ in range(network.roles.size())]
        cdef size_t i
        for i in range(network.moves.size()):
            moves[network.moves[i].role].append(network.moves[i].name.decode())
        self.moves = tuple([tuple(names) for names in moves])

    def simulator(self, int lanes, str isa):
        """Return a new simulator, or None where this machine has no such kernel."""
        cdef bytes name = isa.encode()
        cdef const CLaneKernel* kernel = find_kernel(name, lanes)
        if kernel == NULL:
            return None
        cdef LaneSimulator result = LaneSimulator.__new__(LaneSimulator)
        cdef CNetworkSimulator* simulator = new CNetworkSimulator(self.program, kernel[0])
        result.simulator.reset(<Simulator*> simulator)
        result.isa = isa
        return result


cdef class LaneSimulator:
    """Drive one simulator: lane 0 for a state at a time, all lanes for bulk work.

    States are `bytes` of 8 * state_words. One thread at a time may use a simulator.
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
        with nogil:
            self.simulator.get().load(mask.data(), &source)
            self.simulator.get().evaluate()

    def terminal(self):
        """Tell whether the state in lane 0 is terminal."""
        return bool(self.simulator.get().terminal()[0] & 1)

    def legal(self, int role):
        """List the numbers of the legal moves of a role in lane 0, ascending."""
        cdef vector[int] moves
        moves.resize(self.simulator.get().moves(role) + 1)
        cdef int count = self.simulator.get().legal(0, role, moves.data())
        return [moves[i] for i in range(count)]

    def goals(self, int role):
        """List the goal values of a role that hold in lane 0, ascending."""
        cdef int values[101]
        cdef int count = self.simulator.get().goals(0, role, values)
        return [values[i] for i in range(count)]

    def step(self, moves):
        """Play a joint move (numbers in role order) in lane 0, which was just evaluated; return the next state."""
        cdef int role
        for role in range(self.simulator.get().roles()):
            self.simulator.get().choose(0, role, moves[role])
        cdef vector[uint64_t] words, mask
        words.resize(self.simulator.get().state_words() + 1)
        mask.resize(self.simulator.get().groups())
        mask[0] = 1
        cdef uint64_t* target = words.data()
        with nogil:
            self.simulator.get().step()
            self.simulator.get().store(mask.data(), &target)
        return PyBytes_FromStringAndSize(<const char*> words.data(), 8 * self.simulator.get().state_words())

    def random_playouts(self, double cpu_seconds, uint64_t seed, StopFlag stop not None):
        """Play at random from the initial state for some CPU-seconds of this thread.

        Returns (finished play-outs, states stepped, turns of finished play-outs, CPU-seconds, goal sums by role).
        """
        cdef PlayoutTotals totals
        with nogil:
            totals = c_random_playouts(self.simulator.get()[0], cpu_seconds, seed, stop.flag)
        return totals.playouts, totals.states, totals.turns, totals.cpu_seconds, list(totals.goals)

    def perft(self, bytes state not None, int depth, StopFlag stop not None):
        """Count the move sequences of length 1 to depth; return (leaves, terminals) for each."""
        cdef vector[uint64_t] words = self.words(state)
        cdef vector[PerftLevel] levels
        with nogil:
            levels = c_perft(self.simulator.get()[0], words.data(), depth, stop.flag)
        return [(level.leaves, level.terminals) for level in levels]

# distutils: language = c++
"""Cython bindings of csrc/network; wrapped by gdl.compile and gdl.machines.network."""

from libc.stdint cimport uint32_t, uint64_t
from libcpp.memory cimport make_shared, shared_ptr
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport move
from libcpp.vector cimport vector

from gdl._simulator cimport BatchParts, LaneSimulator, Simulator, StopFlag, decoded, lane_arrays_of


cdef class GroundProgram:
    """The ground program of a game: its rules without variables."""

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
        """Print the program with one item per line.

        Items are `role NAME`, `fluent ATOM NAME`, `move ROLE ATOM NAME`, `initial FLUENT`, `next FLUENT ATOM`,
        `legal MOVE ATOM`, `goal ROLE VALUE ATOM`, `sees ROLE ATOM NAME`, `terminal ATOM` and `rule HEAD LITERAL ...`, in this order. Atoms have
        numbers from 1; 0 always holds. A literal is an atom, or -ATOM for its negation. Roles, fluents and moves are
        numbered from 0 in the order of their items.
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
        for i in range(p.percepts.size()):
            lines.append(f"sees {p.percepts[i].role} {p.percepts[i].atom} {p.percepts[i].name.decode()}")
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


def compile_game(str library, str program, constants, roles, size_t max_rules, size_t max_gates):
    """Ground and compile a program for clingo; to be called in a process that may be killed.

    Args:
        library: the path of the library of clingo.
        program: the program.
        constants: the constants of the program.
        roles: the roles in their order.
        max_rules: the limit of ground rules.
        max_gates: the limit of gates before the gates for look-ahead are added.

    Returns:
        A letter and its content, as bytes: N and the network, L and the size limit that was exceeded, M if the memory
        was not sufficient, R and the error of the rules, S and the error if a relation depends on its own negation.
    """
    cdef GroundingRequest request = grounding_request(library, program, constants, roles, max_rules)
    cdef CompileOutcome outcome
    with nogil:
        outcome = c_compile_game(request, max_gates)
    return bytes([<char> outcome.kind]) + outcome.text


def confine(int parent, double cpu_seconds, uint64_t most_bytes):
    """Limit the CPU-seconds and the address space of this process, and end it with its parent.

    Returns:
        Whether the parent still runs.
    """
    return bool(c_confine(parent, cpu_seconds, most_bytes))


def best_isa():
    """Return the widest instruction set of this machine for which there are kernels."""
    return c_best_isa().decode()


def has_kernel(str isa):
    """Return whether this machine and build have kernels of an instruction set."""
    return find_kernel(isa.encode(), 64) != NULL


cdef class Network:
    """The compiled gate network of a game; immutable, shared by all its simulators."""

    cdef shared_ptr[const CLaneProgram] program
    cdef unordered_map[size_t, shared_ptr[const CLaneProgram]] coded  # by kernel
    cdef readonly tuple fluents, always, moves, percepts, groups, phases, passes
    cdef readonly size_t ground_rules, ground_atoms, raw_gates, gates, depth, loop_variables
    cdef readonly double ground_cpu_s, network_cpu_s

    def __init__(self, bytes content not None):
        """Read a network of `compile_game`; raise RuntimeError if this version has not written it."""
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
        # The gates of the program of each phase.
        self.phases = tuple([one.program.get().gates for one in self.program.get().phases])
        self.passes = tuple([(one.name.decode(), one.gates, one.cpu_seconds) for one in self.program.get().passes])
        self.fluents = decoded(network.fluents)
        self.always = decoded(network.always)
        self.moves = tuple([decoded(names) for names in network.moves])
        self.percepts = tuple([decoded(names) for names in network.percepts])
        self.groups = tuple([tuple(group) for group in network.groups])

    def gates_of(self, str stage):
        """List the gates of a stage, `legal`, `ahead`, `goal`, `next` or `sees`, in the order of their evaluation.

        Returns:
            (number of the value, whether it is an OR gate, plain inputs, complemented inputs) for each gate; inputs are
            numbers of values.
        """
        cdef const CLaneProgram* program = self.program.get()
        cdef const vector[CBlock]* blocks = &program.legal_blocks
        if stage == "next":
            blocks = &program.next_blocks
        elif stage == "goal":
            blocks = &program.goal_blocks
        elif stage == "ahead":
            blocks = &program.ahead_blocks
        elif stage == "sees":
            blocks = &program.percept_blocks
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
        """Return the numbers of the output values.

        Returns:
            (legal by role and move, terminal, goals by role as (goal, value), next fluents as (fluent, value,
            whether it is complemented)).
        """
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
        """Return the values that show the result of a move before it is made.

        Returns:
            (role, move, kept, wins) for each move with such values; `kept` or `wins` is None if it adds no information.
        """
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

    @property
    def first_move(self):
        """The number of the value of the first move of role 0; the moves of the roles follow one another."""
        return self.program.get().first_move

    def percept_values(self):
        """Return the numbers of the values of percepts, by role and percept."""
        cdef const CLaneProgram* program = self.program.get()
        cdef size_t role, i
        return [[program.percepts[role][i] for i in range(program.percepts[role].size())]
                for role in range(program.percepts.size())]

    cdef shared_ptr[const CLaneProgram] program_for(self, const CLaneKernel* kernel):
        """Return the fastest form of the program for a kernel."""
        cdef shared_ptr[const CLaneProgram] coded
        if self.coded.count(<size_t> kernel) == 0:
            with nogil:
                coded = in_machine_code(self.program, kernel[0])
            self.coded[<size_t> kernel] = coded if coded.get() != NULL else self.program
        return self.coded[<size_t> kernel]

    def machine_code(self, int lanes, str isa):
        """Return the size of the machine code for a kernel in bytes, and the number of values that it keeps in memory.

        Returns:
            None if the network is interpreted.
        """
        cdef bytes name = isa.encode()
        cdef const CLaneKernel* kernel = find_kernel(name, lanes)
        if kernel == NULL:
            return None
        cdef const CLaneProgram* program = self.program_for(kernel).get()
        return (program.code.get().bytes(), program.values) if program.code.get() != NULL else None

    def simulator(self, int lanes, str isa):
        """Return a new simulator; None if this machine does not have the kernel."""
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
        """Return n states as arrays, in simulators with `lanes` lanes; None if this machine does not have the kernel."""
        cdef const CLaneKernel* kernel = find_kernel(<bytes> isa.encode(), lanes)
        if kernel == NULL:
            return None
        cdef BatchParts parts = network_parts(self.program_for(kernel), kernel[0], n)
        return lane_arrays_of(&parts, threads, chance)

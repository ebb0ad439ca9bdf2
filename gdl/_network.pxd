"""Declarations of csrc/network."""

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from gdl._simulator cimport BatchParts, atomic_bool


cdef extern from "network/circuit/ground_program.hpp" namespace "ggp" nogil:
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
    cdef cppclass CPercept "ggp::GroundProgram::Percept":
        int role
        string name
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
        vector[CPercept] percepts
        vector[uint32_t] terminal


cdef extern from "network/circuit/clingo_grounder.hpp" namespace "ggp" nogil:
    cdef cppclass GroundingRequest:
        string library
        string program
        vector[string] constants
        vector[string] roles
        size_t max_rules
        double max_seconds
    CGroundProgram c_ground "ggp::ground"(const GroundingRequest&, const atomic_bool*) except +


cdef extern from "network/simulator/compile_game.hpp" namespace "ggp" nogil:
    cdef enum CompileOutcomeKind "ggp::CompileOutcome::Kind":
        pass
    cdef cppclass CompileOutcome:
        CompileOutcomeKind kind
        string text
    CompileOutcome c_compile_game "ggp::compile_game"(const GroundingRequest&, size_t)
    cbool c_confine "ggp::confine"(int, double, uint64_t)


cdef extern from "network/simulator/network_file.hpp" namespace "ggp" nogil:
    cdef cppclass CPassReport "ggp::PassReport":
        string name
        uint32_t gates
        double cpu_seconds
    cdef cppclass CShape "ggp::LaneProgram::Shape":
        cbool operator==(CShape)
    CShape NETWORK_OR "ggp::LaneProgram::Shape::kOr"
    CShape NETWORK_NOT "ggp::LaneProgram::Shape::kNot"
    cdef cppclass CRun "ggp::LaneProgram::Run":
        CShape shape
        uint32_t plain, complemented, count, operand, value
    cdef cppclass CBlock "ggp::LaneProgram::Block":
        uint32_t first_run, end_run
    cdef cppclass CCopy "ggp::LaneProgram::Copy":
        uint32_t source "from"
        uint32_t target "to"
    cdef cppclass CGoalValue "ggp::LaneProgram::Goal":
        int value
        uint32_t holds
    cdef cppclass CWin "ggp::LaneProgram::Win":
        uint32_t move, holds
    cdef cppclass CExecutableMemory "ggp::ExecutableMemory":
        size_t bytes()
    cdef cppclass CLaneProgram "ggp::LaneProgram"
    cdef cppclass CPhase "ggp::LaneProgram::Phase":
        shared_ptr[const CLaneProgram] program
    cdef cppclass CLaneProgram "ggp::LaneProgram":
        uint32_t first_fluent, first_move
        vector[CRun] runs
        vector[uint32_t] operands
        vector[CBlock] legal_blocks, next_blocks, goal_blocks, ahead_blocks, percept_blocks
        vector[vector[uint32_t]] legal, kept, percepts
        uint32_t terminal
        vector[vector[CGoalValue]] goals
        vector[vector[CWin]] wins
        vector[CCopy] next_plain, next_complemented
        vector[CPhase] phases
        vector[CPassReport] passes
        uint32_t gates
        uint32_t depth
        uint32_t values
        shared_ptr[const CExecutableMemory] code
    cdef cppclass CompiledNetwork:
        CLaneProgram program
        vector[string] fluents, always
        vector[vector[string]] moves, percepts
        vector[vector[uint32_t]] groups
        uint64_t ground_rules, ground_atoms, raw_gates, loop_variables
        double ground_cpu_s, network_cpu_s
    cdef cppclass string_view "std::string_view":
        string_view(const char*, size_t)
    CompiledNetwork read_network(string_view) except +


cdef extern from "network/program/lane_kernel.hpp" namespace "ggp" nogil:
    cdef cppclass CLaneKernel "ggp::LaneKernel":
        const char* isa
    const CLaneKernel* find_kernel(const char* isa, int lanes)
    const char* c_best_isa "ggp::best_isa"()


cdef extern from "network/program/machine_code.hpp" namespace "ggp" nogil:
    shared_ptr[const CLaneProgram] in_machine_code(const shared_ptr[const CLaneProgram]&, const CLaneKernel&) except +


cdef extern from "network/simulator/network_simulator.hpp" namespace "ggp" nogil:
    cdef cppclass CNetworkSimulator "ggp::NetworkSimulator":
        CNetworkSimulator(shared_ptr[const CLaneProgram], const CLaneKernel&) except +


cdef extern from "network/simulator/network_batch.hpp" namespace "ggp" nogil:
    BatchParts network_parts(const shared_ptr[const CLaneProgram]&, const CLaneKernel&, int) except +

# distutils: language = c++
"""Cython bindings of csrc/reasoner; wrapped by gdl.machines.reasoner.

Terms have the notation of `csrc/reasoner/rules.hpp`.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.memory cimport make_shared, shared_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from gdl._simulator cimport LaneSimulator, Simulator


cdef extern from "reasoner/rules.hpp" namespace "ggp" nogil:
    cdef cppclass CRuleProgram "ggp::RuleProgram":
        pass
    CRuleProgram read_rules(const string&) except +


cdef extern from "reasoner/plan.hpp" namespace "ggp" nogil:
    cdef cppclass CPlan "ggp::Plan":
        pass
    CPlan compile_plan(CRuleProgram) except +


cdef extern from "reasoner/evaluator.hpp" namespace "ggp" nogil:
    cdef cppclass CReasonerLimits "ggp::ReasonerLimits":
        pass


cdef extern from "reasoner/registry.hpp" namespace "ggp" nogil:
    cdef cppclass CRegistry "ggp::Registry":
        CRegistry(shared_ptr[const CPlan], const CReasonerLimits&) except +
        string move_name(int, uint64_t) except +
        string percept_name(int, uint64_t) except +
        uint32_t read_move(int, const string&) except +
        uint32_t read_percept(int, const string&) except +
        vector[string] fluents(uint64_t) except +
        uint64_t read_state(const vector[string]&) except +


cdef extern from "reasoner/reasoner_simulator.hpp" namespace "ggp" nogil:
    cdef cppclass CReasonerSimulator "ggp::ReasonerSimulator":
        CReasonerSimulator(shared_ptr[CRegistry], int) except +


cdef extern from "reasoner/deferred_goals.hpp" namespace "ggp" nogil:
    cdef cppclass CDeferredGoals "ggp::DeferredGoals":
        CDeferredGoals(const Simulator&, shared_ptr[CRegistry], vector[string], vector[string]) except +


cdef class ReasonerProgram:
    """The compiled rules of a game, the numbers of its moves and its packed states.

    Shared by all simulators of the game; any thread may use it.
    """

    cdef shared_ptr[CRegistry] registry

    def __init__(self, str text not None):
        cdef string rules = text.encode()
        cdef shared_ptr[const CPlan] plan
        cdef CReasonerLimits limits
        with nogil:
            plan = <shared_ptr[const CPlan]> make_shared[CPlan](compile_plan(read_rules(rules)))
            self.registry = make_shared[CRegistry](plan, limits)

    def simulator(self, int lanes):
        """Return a new simulator of 64, 128, 256 or 512 lanes."""
        cdef LaneSimulator result = LaneSimulator.__new__(LaneSimulator)
        result.simulator.reset(<Simulator*> new CReasonerSimulator(self.registry, lanes))
        result.isa = "portable"
        return result

    def move_name(self, int role, uint64_t number):
        """Return a move of a role as KIF; raise ValueError if no move has the number."""
        return self.registry.get().move_name(role, number).decode()

    def percept_name(self, int role, uint64_t number):
        """Return a percept of a role as KIF; raise ValueError if no percept has the number."""
        return self.registry.get().percept_name(role, number).decode()

    def move_number(self, int role, str move not None):
        """Return the number of a move; a new move gets a new number."""
        return self.registry.get().read_move(role, move.encode())

    def percept_number(self, int role, str percept not None):
        """Return the number of a percept; a new percept gets a new number."""
        return self.registry.get().read_percept(role, percept.encode())

    def fluents(self, bytes state not None):
        """Return the fluents of a packed state as KIF; raise ValueError if the state does not exist."""
        cdef uint64_t packed
        if len(state) != 8:
            raise ValueError(f"a state of this game has 8 bytes, not {len(state)}")
        memcpy(&packed, PyBytes_AS_STRING(state), 8)
        cdef vector[string] names = self.registry.get().fluents(packed)
        return [name.decode() for name in names]

    def state(self, fluents):
        """Return the packed state in which exactly these fluents hold."""
        cdef vector[string] texts = [fluent.encode() for fluent in fluents]
        cdef uint64_t packed = self.registry.get().read_state(texts)
        return PyBytes_FromStringAndSize(<const char*> &packed, 8)


def deferred_goals(LaneSimulator lanes not None, ReasonerProgram program not None, fluents, always):
    """Return a simulator that plays on a clone of another one and evaluates the rules for goals.

    It is used if the network of a game would be too large with the rules for goals.

    Args:
        lanes: a simulator of the game without goals; its packed states have one bit for each fluent.
        program: the rules of the same game with goals (`gdl.machines.reasoner.reasoner_program`).
        fluents: the fluent of each bit, as `gdl.machines.reasoner.term_text` prints it.
        always: the fluents without a bit, which hold in every state, in the same notation.

    Raises:
        ValueError: there are more fluents than bits, or the numbers of roles differ.
    """
    cdef vector[string] texts = [fluent.encode() for fluent in fluents]
    cdef vector[string] others = [fluent.encode() for fluent in always]
    cdef CDeferredGoals* simulator = new CDeferredGoals(lanes.simulator.get()[0], program.registry, texts, others)
    cdef LaneSimulator result = LaneSimulator.__new__(LaneSimulator)
    result.simulator.reset(<Simulator*> simulator)
    result.isa = lanes.isa
    return result

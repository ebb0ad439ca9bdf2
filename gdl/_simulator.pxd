"""Declarations of csrc/simulator.hpp, csrc/interfaces and csrc/arrays, and the classes that other bindings use."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport shared_ptr, unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "<atomic>" namespace "std" nogil:
    cdef cppclass atomic_bool "std::atomic<bool>":
        void store(cbool)
        cbool load()


cdef extern from "base/fluent_weights.hpp" namespace "ggp" nogil:
    cdef cppclass CFluentWeights "ggp::FluentWeights":
        vector[uint32_t] fluents
        vector[float] weights, bias


cdef extern from "interfaces/evaluations.hpp" namespace "ggp" nogil:
    cdef cppclass Evaluations:
        void values(int evaluation, const uint64_t* mask, float* out)

    cdef cppclass WeightedEvaluations:
        int add_evaluation(const string& name, shared_ptr[const CFluentWeights] weights) except +

    vector[string] names_of(const Evaluations*) except +


cdef extern from "interfaces/fluent_states.hpp" namespace "ggp" nogil:
    cdef cppclass FluentStates:
        int fluents()


cdef extern from "interfaces/percepts.hpp" namespace "ggp" nogil:
    cdef cppclass Percepts:
        void perceive() except +
        void perceived(int lane, int role, vector[uint32_t]& out) except +


cdef extern from "simulator.hpp" namespace "ggp" nogil:
    cdef cppclass Simulator:
        int roles()
        int moves(int role)
        int state_words()
        Interface* optional_interface[Interface]()
        const uint64_t* initial()
        int lanes()
        int groups()
        void load(const uint64_t* mask, const uint64_t* const* states) except +
        void store(const uint64_t* mask, uint64_t* const* states) except +
        void evaluate() except +
        const uint64_t* terminal()
        int goals(int lane, int role, int* out) except +
        int legal(int lane, int role, int* out)
        void choose(int lane, int role, int move)
        void step() except +


cdef extern from "arrays/state_batch.hpp" namespace "ggp" nogil:
    cdef cppclass BatchParts:
        cbool empty()


cdef extern from "arrays/batch_arrays.hpp" namespace "ggp" nogil:
    cdef cppclass CWrongMove "ggp::WrongMove":
        int lane, role, move
        cbool at_once
    cdef cppclass CBatchArrays "ggp::BatchArrays":
        CBatchArrays(BatchParts, int, int) except +
        int lanes()
        int parts()
        int part_words()
        int roles()
        int moves(int)
        int fluents()
        int state_words()
        const uint64_t* fluent_words(int)
        void seed(const uint64_t*)
        void streams(uint64_t*)
        void load(const uint8_t*, const uint64_t*)
        void store(uint64_t*)
        CWrongMove step(const int32_t*, cbool, cbool, const uint8_t*, const uint8_t*)
        void sample(int32_t*, cbool)
        void fluent_bytes(uint8_t*)
        void legal_bytes(int, uint8_t*)
        void movers_legal_bytes(uint8_t*)
        void terminal(uint8_t*)
        void mover(int8_t*)
        void goals(int8_t*)
        void choice_bytes(int, uint8_t*)
        int64_t choosers(int)
        void legal_words(int, uint64_t*)
        int percepts(int)
        void record_percepts()
        void percept_bytes(int, uint8_t*)


# Return the `LaneArrays` of states in parts, which are moved; ValueError without states or threads.
cdef object lane_arrays_of(BatchParts* parts, int threads, int chance)


# An array in memory. Typed memoryviews of Cython would do the same, but each module that has one takes two seconds more
# to compile.
cdef struct Array:
    void* data
    Py_ssize_t rows, columns  # one column if the array has one dimension

# Return the memory of an array, which the caller keeps alive. The type is a character of the module `struct`.
# ValueError unless the array is C-contiguous and has this type and number of dimensions.
cdef Array array_of(object values, char type, int dimensions, int flags=*) except *


cdef class StopFlag:
    cdef atomic_bool flag


# An object that one thread at a time may use. A method that releases the GIL stands in a `with` statement, or calls
# claim() first and release() last; other methods that use the object call check() first. All raise RuntimeError while another call has claimed the object.
cdef class OneAtATime:
    cdef cbool busy

    cdef inline int check(self) except -1:
        return in_use(self) if self.busy else 0

    cdef inline int claim(self) except -1:
        if self.busy:
            return in_use(self)
        self.busy = True
        return 0

    cdef inline void release(self) noexcept:
        self.busy = False


cdef int in_use(OneAtATime what) except -1


# Whether to stop a run of the core, as Python answers. An exception cannot pass through the core, so it is stored.
cdef class Question:
    cdef object stopped  # returns whether to stop, or None
    cdef object error

    cdef inline cbool answer(self, tuple arguments):
        try:
            PyErr_CheckSignals()
            return self.stopped is not None and bool(self.stopped(*arguments))
        except BaseException as error:
            self.error = error
            return True

    cdef inline int raise_error(self) except -1:
        if self.error is not None:
            raise self.error
        return 0


# The function of the core that answers the question `context`.
cdef inline cbool ask(void* context) noexcept with gil:
    return (<Question> context).answer(())


cdef class LaneSimulator(OneAtATime):
    cdef unique_ptr[Simulator] simulator
    cdef readonly str isa
    cdef readonly bytes evaluated  # the evaluated state in lane 0; None without one
    cdef vector[uint64_t] words(self, bytes state) except *


cdef inline tuple decoded(vector[string]& names):
    return tuple([name.decode() for name in names])

"""Declarations of csrc/simulation."""

from libc.stdint cimport int8_t, int32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

from gdl._simulator cimport Simulator, atomic_bool


cdef extern from "simulation/random_playouts.hpp" namespace "ggp" nogil:
    cdef cppclass PlayoutTotals:
        uint64_t playouts, states, turns
        double cpu_seconds
        vector[uint64_t] goals
    PlayoutTotals c_random_playouts "ggp::random_playouts"(
        Simulator&, double, uint64_t, const atomic_bool&) except +
    cdef cppclass CRandomPlayouts "ggp::RandomPlayouts":
        CRandomPlayouts(Simulator&, uint64_t, cbool) except +
        PlayoutTotals run(double, const atomic_bool&) except +


cdef extern from "simulation/perft.hpp" namespace "ggp" nogil:
    cdef cppclass PerftLevel:
        uint64_t leaves, terminals
    cdef cppclass StuckRole:
        int role, turns
    vector[PerftLevel] c_perft "ggp::perft"(
        Simulator&, const uint64_t*, int, const atomic_bool&, StuckRole*) except +


cdef extern from "simulation/calibration.hpp" namespace "ggp" nogil:
    cdef cppclass CCalibration "ggp::Calibration":
        double score
    CCalibration c_calibrate "ggp::calibrate"() except +


cdef extern from "simulation/breadth_first.hpp" namespace "ggp" nogil:
    cdef enum BreadthFirstStatus "ggp::BreadthFirst::Status":
        pass
    cdef cppclass CBreadthFirst "ggp::BreadthFirst":
        CBreadthFirst(Simulator&, const uint64_t*, const uint64_t*, int, size_t) except +
        void begin(size_t, int, uint64_t) except +
        BreadthFirstStatus run(double, const atomic_bool&) except +
        int best()
        vector[int] line()
        size_t states()
        cbool has_left_out()


cdef extern from "simulation/nested_adaptation.hpp" namespace "ggp" nogil:
    cdef cppclass CNestedAdaptation "ggp::NestedAdaptation":
        CNestedAdaptation(Simulator&, const uint64_t*, int, uint64_t) except +
        cbool run(double, const atomic_bool&) except +
        int best()
        vector[int] line()
        uint64_t lines()


cdef extern from "simulation/sampled_playouts.hpp" namespace "ggp" nogil:
    cdef cppclass CSamplingPlan "ggp::SamplingPlan":
        uint64_t seed
        int samples
        uint64_t longest
    cdef cppclass CSampledRows "ggp::SampledRows":
        uint64_t* states
        int8_t* goals
        int32_t* movers
        size_t capacity
    cdef cppclass CSampledPlayouts "ggp::SampledPlayouts":
        CSampledPlayouts(Simulator&, const CSamplingPlan&) except +
        size_t run(const CSampledRows&, double, const atomic_bool&) except +
        uint64_t dropped()

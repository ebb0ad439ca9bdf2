"""Declarations of csrc/search."""

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from gdl._simulator cimport Simulator


cdef extern from "search/config/config.hpp" namespace "ggp" nogil:
    cdef cppclass CConfig "ggp::Config":
        pass
    cdef cppclass CLimits "ggp::Limits":
        uint64_t simulations
        double seconds
        double cpu_seconds
        int settled_role
        cbool (*interrupted)(void*) noexcept nogil
        void* context


# One function of the core with a name for each type of its argument, because Cython chooses conversions by name.
cdef extern from "search/config/config_fields.hpp" namespace "ggp" nogil:
    void set_truth "ggp::set_field"(CConfig&, const string&, cbool) except +
    void set_whole "ggp::set_field"(CConfig&, const string&, uint64_t) except +
    void set_real "ggp::set_field"(CConfig&, const string&, double) except +
    void set_word "ggp::set_field"(CConfig&, const string&, const string&) except +
    string c_describe "ggp::describe"(const CConfig&) except +
    cdef cppclass CFieldEntry "ggp::FieldEntry":
        string key, help, kind, initial
        vector[string] words
        uint64_t low, high
        double least, most
    vector[CFieldEntry] c_field_entries "ggp::field_entries"() except +


cdef extern from "search/driver/statistics.hpp" namespace "ggp" nogil:
    cdef cppclass CTree "ggp::Tree":
        pass
    cdef cppclass CBounds "ggp::Bounds":
        uint8_t pessimistic, optimistic
    cdef cppclass CMoveStatistics "ggp::MoveStatistics":
        pass
    cdef cppclass CRoleStatistics "ggp::RoleStatistics":
        double mean
        CBounds bounds
        vector[CMoveStatistics] moves
    cdef cppclass CStatistics "ggp::Statistics":
        cbool terminal
        uint64_t visits, simulations, nodes, bytes
        uint32_t max_depth
        double seconds
        uint64_t minimax_states
        double minimax_seconds
        vector[CRoleStatistics] roles
        vector[vector[int]] principal_variation
    CStatistics merge(const vector[CStatistics]&) except +
    cdef struct CSampleSums "ggp::SampleSums":
        double count, x, y, xx, yy, xy
    cdef struct CSamples "ggp::Samples":
        CSampleSums plies, backed_up, quality
    cdef cppclass CKnownNodes "ggp::KnownNodes":
        vector[uint64_t] states
        vector[float] rewards
        vector[uint32_t] visits
    CKnownNodes c_known_nodes "ggp::known_nodes"(const CTree&, uint32_t) except +


cdef extern from "search/proof/level_minimax.hpp" namespace "ggp" nogil:
    cdef cppclass CVerdict "ggp::LevelMinimax::Verdict":
        int move
        CBounds bounds
        int plies
    cdef enum CExtent "ggp::LevelMinimax::Extent":
        DECISION "ggp::LevelMinimax::Extent::kDecision"
        EVERY_MOVE "ggp::LevelMinimax::Extent::kEveryMove"
    cdef cppclass CLevelMinimax "ggp::LevelMinimax":
        CLevelMinimax(const Simulator&) except +
        void run(const uint64_t*, int, CExtent) except +
        vector[CVerdict] verdicts()
        uint64_t states()


cdef extern from "search/playout/reward.hpp" namespace "ggp" nogil:
    cdef cppclass CEnding "ggp::Ending":
        const int* goals
        uint32_t tree_plies, playout_plies
        double quality
    cdef cppclass CReward "ggp::Reward":
        void map(const CEnding&, int, double*) except +
        void progress(double, uint64_t)
    unique_ptr[CReward] make_reward(const CConfig&) except +


cdef extern from "search/tree/archive.hpp" namespace "ggp" nogil:
    cdef cppclass CArchive "ggp::Archive":
        CArchive()
        CArchive(const uint8_t*, size_t)
        const vector[uint8_t]& written()


cdef extern from "search/driver/searcher.hpp" namespace "ggp" nogil:
    cdef cppclass CLanes "ggp::Lanes":
        pass
    cdef cppclass CLine "ggp::Searcher::Line":
        int goal
        vector[int] moves
    cdef cppclass CSearcher "ggp::Searcher":
        CSearcher(Simulator&, const CConfig&) except +
        CSearcher(CLanes&, CLanes&, const CConfig&) except +
        void set_root(const uint64_t*) except +
        void advance(const vector[int]&) except +
        CStatistics run(const CLimits&) except +
        void stop()
        CStatistics statistics() except +
        CStatistics statistics_behind(const vector[vector[int]]&, const uint64_t*) except +
        CLine best_line(double) except +
        void keep_samples()
        const CSamples& samples()
        double shared_seconds()
        const vector[uint64_t]& root_state()
        uint64_t tree_hash() except +
        void archive(CArchive&) except +
        const CTree& tree()
        int in_flight()


cdef extern from "search/playout/guided_simulator.hpp" namespace "ggp" nogil:
    cdef cppclass CFunctions "ggp::GuidedSimulator::Functions":
        void* context
        cbool (*choose)(void*, const uint64_t*, const uint64_t*, int32_t*) noexcept nogil
        cbool (*value)(void*, const uint64_t*, const uint64_t*, float*) noexcept nogil
    cdef cppclass CGuidedSimulator "ggp::GuidedSimulator":
        CGuidedSimulator(const Simulator&, CFunctions) except +


cdef extern from "search/driver/side_by_side.hpp" namespace "ggp" nogil:
    cdef cppclass CSideBySide "ggp::SideBySide":
        CSideBySide(Simulator&, Simulator&) except +
        CLanes& lanes()
        CLanes& scout()
        void start(CSearcher&, int, uint64_t) except +
        vector[CSearcher*] run(cbool (*)(void*) noexcept nogil, void*) except +
        void stop()


cdef extern from "search/driver/self_play.hpp" namespace "ggp" nogil:
    cdef struct CSelfPlayOptions "ggp::SelfPlayOptions":
        int games
        uint64_t full_simulations, fast_simulations
        double full_share, noise_share, noise_total, opening_share, half_life, least_temperature, play_on_share
        int opening_plies, most_plies, chance
        uint64_t seed
    cdef cppclass CPlayedPositions "ggp::PlayedPositions":
        vector[uint64_t] states
        vector[int32_t] movers, group_roles, move_numbers
        vector[float] results, searched, probabilities
        vector[uint32_t] group_ends, move_ends
        uint64_t games, plies, simulations, proven
        vector[double] rewards
    cdef cppclass CSelfPlay "ggp::SelfPlay":
        CSelfPlay(Simulator&, Simulator&, const CConfig&, const CSelfPlayOptions&) except +
        CPlayedPositions play(size_t, cbool (*)(void*) noexcept nogil, void*) except +
        void set_start(const uint64_t*, double)

# distutils: language = c++
"""Cython bindings of csrc/hidden, wrapped by ggp_agent.hidden."""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.pair cimport pair
from libcpp.unordered_map cimport unordered_map
from libcpp.utility cimport move as moved
from libcpp.vector cimport vector

from gdl._simulator cimport ask, LaneSimulator, OneAtATime, Question, Simulator


cdef extern from "hidden/turn_player.hpp" namespace "ggp" nogil:
    cdef cppclass CObservation "ggp::Observation":
        int move, refused
        vector[uint32_t] percepts
        cbool terminal


cdef extern from "interfaces/percepts.hpp" namespace "ggp" nogil:
    uint64_t percept_hash "ggp::Percepts::percept_hash"(uint32_t)


cdef extern from "hidden/particles.hpp" namespace "ggp" nogil:
    cdef cppclass CParticles "ggp::Particles":
        size_t size()
        const uint64_t* state(size_t)
        vector[double] weights() except +


cdef extern from "hidden/hidden_game.hpp" namespace "ggp" nogil:
    cdef cppclass CHiddenGame "ggp::HiddenGame":
        CHiddenGame(Simulator&, int) except +
    const uint64_t kFirstKey
    const int32_t kForced
    uint64_t next_key(uint64_t, int32_t, uint64_t)


cdef extern from "hidden/belief.hpp" namespace "ggp" nogil:
    cdef cppclass CMovePolicy "ggp::MovePolicy":
        cbool probabilities(int, uint64_t, const int*, int, double*)
    cdef cppclass CBelief "ggp::Belief":
        CBelief(Simulator&, int, int, size_t, uint64_t) except +
        void observe(const CObservation&, double) except +
        void set_policy(const CMovePolicy*)
        const CParticles& particles()
        cbool is_empty()
        cbool is_complete()
        size_t turns()
        int role()
        CHiddenGame& game()
        vector[pair[int, double]] moves() except +


cdef extern from "hidden/hidden_search.hpp" namespace "ggp" nogil:
    cdef cppclass CLimits "ggp::HiddenLimits":
        uint64_t simulations
        double seconds, cpu_seconds
        cbool (*interrupted)(void*) noexcept nogil
        void* context
    cdef cppclass CMove "ggp::HiddenMove":
        int move
        double probability, value, legal
        uint64_t visits
    cdef cppclass CResult "ggp::HiddenResult":
        uint64_t simulations
        double seconds
        cbool exact
        vector[CMove] moves
    cdef cppclass CSearch "ggp::HiddenSearch":
        CResult run(CBelief&, const CLimits&) except +
        void observe(CBelief&, const CObservation&) except +
        const CMovePolicy* policy()
        void stop()


cdef extern from "hidden/determinised.hpp" namespace "ggp" nogil:
    cdef cppclass CDeterminised "ggp::Determinised"(CSearch):
        CDeterminised(uint64_t)


cdef extern from "hidden/ismcts.hpp" namespace "ggp" nogil:
    cdef cppclass CIsmcts "ggp::Ismcts"(CSearch):
        CIsmcts(const CHiddenGame&, int, uint64_t) except +


cdef extern from "hidden/outcome_sampling.hpp" namespace "ggp" nogil:
    cdef cppclass COutcomeSampling "ggp::OutcomeSampling"(CSearch):
        COutcomeSampling(const CHiddenGame&, int, uint64_t) except +


cdef extern from "hidden/sequence_form.hpp" namespace "ggp" nogil:
    cdef cppclass CDecisionPoint "ggp::DecisionPoint":
        uint64_t key
        uint32_t parent, first, count
    cdef cppclass CDecisionTree "ggp::DecisionTree":
        vector[CDecisionPoint] points
        vector[int32_t] moves
        unordered_map[uint64_t, uint32_t] at
        unordered_map[uint64_t, int32_t] forced
    cdef cppclass CSequenceForm "ggp::SequenceForm":
        const CDecisionTree& tree(int)
        int sum()
    double best_response(const CSequenceForm&, int, const vector[double]&, vector[double]&) except +


cdef extern from "hidden/whole_game.hpp" namespace "ggp" nogil:
    cdef enum CProblem "ggp::WholeGameProblem":
        pass
    cdef cppclass CWholeLimits "ggp::WholeGameLimits":
        size_t histories
        double seconds
        cbool (*interrupted)(void*, size_t) noexcept nogil
        void* context
        cbool sees_moves
    cdef cppclass CWholeGame "ggp::WholeGame":
        unique_ptr[CSequenceForm] form
        CProblem problem
        int role
        int sums[2]
        double histories
        size_t played
        cbool at_once
    CWholeGame play_whole_game(CHiddenGame&, const CWholeLimits&) except +
    uint64_t hash_with_move(uint64_t, int)
    uint64_t key_with_moves(uint64_t, uint64_t)


cdef extern from "hidden/equilibrium.hpp" namespace "ggp" nogil:
    cdef cppclass CEquilibriumLimits "ggp::EquilibriumLimits":
        uint64_t iterations
        double seconds, exploitability
        cbool (*interrupted)(void*) noexcept nogil
        void* context
    cdef cppclass CEquilibriumState "ggp::EquilibriumState":
        uint64_t iterations
        double value, low, high, exploitability
    cdef cppclass CMixedMove "ggp::MixedMove":
        int move
        double probability, value
    cdef cppclass CEquilibrium "ggp::Equilibrium":
        CEquilibrium(const CSequenceForm&) except +
        void run(const CEquilibriumLimits&) except +
        const CEquilibriumState& state()
        vector[CMixedMove] strategy(int, uint32_t) except +


cdef CObservation as_observation(int move, int refused, percepts, cbool terminal) except *:
    cdef CObservation result
    result.move, result.refused, result.terminal = move, refused, terminal
    result.percepts = sorted(set(percepts))
    return result


cdef class Belief(OneAtATime):
    """The particles of one role, on a simulator that only this object and its search use; see csrc/hidden/belief.hpp.

    Args:
        lanes: the simulator.
        chance: the number of the role of chance, -1 without one.
        role: the number of the role.
        particles: the number of particles.
        seed: the seed of all random numbers.

    Raises:
        ValueError: the game has no percepts.
    """

    cdef LaneSimulator lanes
    cdef unique_ptr[CBelief] belief

    def __init__(self, LaneSimulator lanes not None, int chance, int role, size_t particles, uint64_t seed):
        self.lanes = lanes
        self.belief.reset(new CBelief(lanes.simulator.get()[0], chance, role, particles, seed))

    def observe(self, int move, int refused, percepts, cbool terminal, double seconds):
        """Process a turn: numbers of the own move (-1: unknown), of a refused move (-1: none), and of the percepts."""
        cdef CObservation seen = as_observation(move, refused, percepts, terminal)
        with self, nogil:
            self.belief.get().observe(seen, seconds)

    @property
    def size(self):
        """The number of particles."""
        return self.belief.get().particles().size()

    @property
    def is_empty(self):
        """Whether no consistent history was found."""
        return bool(self.belief.get().is_empty())

    @property
    def is_complete(self):
        """Whether the particles are all possible positions with exact weights."""
        return bool(self.belief.get().is_complete())

    @property
    def turns(self):
        """The number of turns."""
        return self.belief.get().turns()

    def particles(self):
        """List the packed states of the particles with their weights; equal states may occur several times."""
        cdef size_t size, i
        self.check()
        cdef const CParticles* found = &self.belief.get().particles()
        cdef vector[double] weights = found.weights()
        size = 8 * self.lanes.simulator.get().state_words()
        return [(PyBytes_FromStringAndSize(<const char*> found.state(i), size), weights[i]) for i in range(found.size())]

    def moves(self):
        """List the numbers of the moves that are legal in some particle, each with the weight of these particles."""
        cdef vector[pair[int, double]] found
        with self, nogil:
            found = self.belief.get().moves()
        return [(each.first, each.second) for each in found]


cdef cbool ask_about(void* context, size_t played) noexcept with gil:
    return (<Question> context).answer((played,))


cdef class Equilibrium(OneAtATime):
    """The whole tree of a game of two players and its equilibrium; see csrc/hidden/whole_game.hpp and equilibrium.hpp.

    Args:
        lanes: the simulator, which only this object uses until `build` returns.
        chance: the number of the role of chance, -1 without one.
        sees_moves: whether players see all moves, in place of percepts.

    Raises:
        ValueError: the game has no percepts.
    """

    cdef LaneSimulator lanes
    cdef int chance
    cdef cbool sees_moves
    cdef CWholeGame whole
    cdef unique_ptr[CEquilibrium] found

    def __init__(self, LaneSimulator lanes not None, int chance, cbool sees_moves):
        self.lanes, self.chance, self.sees_moves = lanes, chance, sees_moves

    def build(self, size_t histories, seconds, stopped):
        """Play all histories, at most a number; `stopped` is called with the number of histories played.

        Returns:
            (problem, its role, sum of the goals, another sum, whether both players move in the same turn somewhere); the
            problem is the number of a `WholeGameProblem`, 0 for none.
        """
        cdef CWholeLimits limits
        cdef unique_ptr[CHiddenGame] game
        cdef Question question = Question(stopped)
        limits.histories, limits.sees_moves = histories, self.sees_moves
        if seconds is not None:
            limits.seconds = seconds
        limits.interrupted, limits.context = ask_about, <void*> question
        with self:
            game.reset(new CHiddenGame(self.lanes.simulator.get()[0], self.chance))
            with nogil:
                self.whole = moved(play_whole_game(game.get()[0], limits))
                if self.whole.form.get() != NULL:
                    self.found.reset(new CEquilibrium(self.whole.form.get()[0]))
        question.raise_error()
        return <int> self.whole.problem, self.whole.role, self.whole.sums[0], self.whole.sums[1], bool(self.whole.at_once)

    def run(self, iterations, seconds, double exploitability, stopped):
        """Iterate until a limit (None: without it); the iterations are counted from the first run."""
        cdef CEquilibriumLimits limits
        cdef Question question = Question(stopped)
        if iterations is not None:
            limits.iterations = iterations
        if seconds is not None:
            limits.seconds = seconds
        limits.exploitability = exploitability
        limits.interrupted, limits.context = ask, <void*> question
        with self, nogil:
            self.found.get().run(limits)
        question.raise_error()

    @property
    def histories(self):
        """The number of histories, and of the histories that were played after merging."""
        return self.whole.histories, self.whole.played

    @property
    def state(self):
        """(iterations, expected goal of the first player, lower and upper bound of its value, exploitability)."""
        cdef CEquilibriumState state = self.found.get().state()
        return state.iterations, state.value, state.low, state.high, state.exploitability

    @property
    def sum(self):
        """The sum of the goals of both players."""
        return self.whole.form.get().sum()

    def points(self, int player):
        """The number of information states in which a player, 0 or 1, has a choice."""
        return self.whole.form.get().tree(player).points.size()

    def forced(self, int player):
        """The number of other information states of a player, except after the end."""
        return self.whole.form.get().tree(player).forced.size()

    @property
    def first_key(self):
        """The key of the information state at the start."""
        return kFirstKey

    def key_after(self, int player, uint64_t key, int move, seen):
        """Return the key after a turn: percepts of the player, or the moves of all other roles if it sees them."""
        cdef uint64_t hash = 0
        cdef uint32_t percept
        if self.whole.form.get().tree(player).at.count(key) == 0:
            move = kForced
        if self.sees_moves:
            for other in seen:
                hash = hash_with_move(hash, other)
            return key_with_moves(next_key(key, move, 0), hash)
        for each in set(seen):
            percept = each
            hash ^= percept_hash(percept)
        return next_key(key, move, hash)

    cdef vector[double] plan_of(self, int player, strategies) except *:
        cdef const CDecisionTree* tree = &self.whole.form.get().tree(player)
        cdef vector[double] plan
        cdef CDecisionPoint point
        cdef size_t number
        plan.resize(tree.moves.size(), 1.0)
        for number in range(tree.points.size()):
            point = tree.points[number]
            given = strategies[point.key]
            for each in range(point.first, point.first + point.count):
                plan[each] = plan[point.parent] * <double> given.get(tree.moves[each], 0.0)
        return plan

    def best_responses(self, first, second):
        """Return the values of the best responses of both players to strategies of the other one.

        The strategies are a dictionary for each player: by key of its information states with a choice, the probabilities
        by move.

        Raises:
            KeyError: an information state is missing.
        """
        cdef vector[double] plans0 = self.plan_of(0, first), plans1 = self.plan_of(1, second), scratch
        self.check()
        cdef CSequenceForm* form = self.whole.form.get()
        return best_response(form[0], 0, plans1, scratch), best_response(form[0], 1, plans0, scratch)

    def best_responses_to(self, Search search not None):
        """Return the values of the best responses of both players to the strategies that a search has learned.

        The strategy is uniform in information states of which the search has learned nothing.
        """
        cdef vector[double] plans[2]
        cdef vector[double] scratch, chances
        cdef const CMovePolicy* policy = search.search.get().policy()
        cdef const CDecisionTree* tree
        cdef const CDecisionPoint* point
        cdef const int* moves
        cdef CSequenceForm* form = self.whole.form.get()
        cdef int player, role = 0
        cdef size_t number
        cdef uint32_t each
        self.check()
        with search.belief, nogil:
            for player in range(2):
                role += role == self.chance
                tree = &form.tree(player)
                plans[player].resize(tree.moves.size(), 1.0)
                for number in range(tree.points.size()):
                    point = &tree.points[number]
                    chances.assign(point.count, 1.0 / point.count)
                    if policy != NULL:
                        moves = <const int*> &tree.moves[point.first]
                        policy.probabilities(role, point.key, moves, point.count, chances.data())
                    for each in range(point.count):
                        plans[player][point.first + each] = plans[player][point.parent] * chances[each]
                role += 1
        return best_response(form[0], 0, plans[1], scratch), best_response(form[0], 1, plans[0], scratch)

    def strategy(self, int player, uint64_t key):
        """List (move, probability, expected goal) in an information state; the goal is None for a forced move.

        The list is empty if no history leads to the information state, or only ends of the game.
        """
        cdef const CDecisionTree* tree = &self.whole.form.get().tree(player)
        cdef vector[CMixedMove] moves
        self.check()
        if tree.at.count(key) != 0:
            moves = self.found.get().strategy(player, tree.at.at(key))
            return [(each.move, each.probability, each.value) for each in moves]
        if tree.forced.count(key) != 0:
            return [(tree.forced.at(key), 1.0, None)]
        return []


cdef class Search:
    """A search from a belief; see csrc/hidden/hidden_search.hpp.

    Args:
        belief: the belief.
        method: `ismcts`, `oos` or `determinised`.
        seed: the seed of all random numbers.
        learned: whether the belief assumes that the other roles play the strategies of the search.
    """

    cdef Belief belief
    cdef unique_ptr[CSearch] search

    def __init__(self, Belief belief not None, str method not None, uint64_t seed, cbool learned):
        self.belief = belief
        cdef CBelief* core = belief.belief.get()
        if method == "ismcts":
            self.search.reset(<CSearch*> new CIsmcts(core.game(), core.role(), seed))
        elif method == "oos":
            self.search.reset(<CSearch*> new COutcomeSampling(core.game(), core.role(), seed))
        else:
            self.search.reset(<CSearch*> new CDeterminised(seed))
        if learned:
            core.set_policy(self.search.get().policy())

    def __dealloc__(self):
        if self.belief is not None and self.belief.belief.get() != NULL:
            self.belief.belief.get().set_policy(NULL)

    def run(self, simulations, seconds, cpu_seconds, stopped):
        """Search until a limit (None: without it).

        Returns:
            (simulations, seconds, whether values are exact, [(move, probability, value, weight of the particles where it is legal, visits)]).
        """
        cdef CLimits limits
        cdef CResult found
        cdef Question question = Question(stopped)
        if simulations is not None:
            limits.simulations = simulations
        if seconds is not None:
            limits.seconds = seconds
        if cpu_seconds is not None:
            limits.cpu_seconds = cpu_seconds
        limits.interrupted, limits.context = ask, <void*> question
        with self.belief, nogil:
            found = self.search.get().run(self.belief.belief.get()[0], limits)
        question.raise_error()
        moves = [(each.move, each.probability, each.value, each.legal, each.visits) for each in found.moves]
        return found.simulations, found.seconds, bool(found.exact), moves

    def observe(self, int move, int refused, percepts, cbool terminal):
        """Follow a turn, before the belief processes it."""
        cdef CObservation seen = as_observation(move, refused, percepts, terminal)
        with self.belief, nogil:
            self.search.get().observe(self.belief.belief.get()[0], seen)

    def stop(self):
        """End the current run; callable from any thread."""
        self.search.get().stop()

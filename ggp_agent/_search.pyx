# distutils: language = c++
"""Cython bindings of csrc/search; wrapped by the searcher of ggp_agent."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport make_unique, unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from dataclasses import asdict

from gdl._simulator cimport Array, array_of, ask, LaneSimulator, OneAtATime, Question, Simulator


cdef CConfig as_config(config) except *:
    """Convert a `ggp_agent.mcts.config.SearchConfig` to the configuration of the core."""
    cdef CConfig result
    cdef string key
    for name, value in config.core_values().items():
        key = name.encode()
        if isinstance(value, bool):
            set_truth(result, key, value)
        elif isinstance(value, str):
            set_word(result, key, value.encode())
        elif isinstance(value, int) and value >= 0:
            set_whole(result, key, value)
        else:
            set_real(result, key, value)
    return result


def describe_config(config):
    """Return a configuration of the core as text: a line of TOML, `key = value`, for each field."""
    return c_describe(as_config(config)).decode()


def config_fields():
    """Return what the core declares of each key of its configuration: `(kind, values, default, help)` by key.

    The kind is flag, whole, real, name or word. The values are the lowest and the highest number, both included, the
    words of a choice, or empty. A highest number of infinity means that any finite number is allowed. The default is
    TOML, empty if the key may be left out.
    """
    fields = {}
    for entry in c_field_entries():
        kind = entry.kind.decode()
        values = tuple([word.decode() for word in entry.words])
        if kind == "whole":
            values = (entry.low, entry.high)
        elif kind == "real":
            values = (entry.least, entry.most)
        fields[entry.key.decode()] = kind, values, entry.initial.decode(), entry.help.decode()
    return fields


cdef bytes as_bytes(const void* numbers, size_t size):
    return PyBytes_FromStringAndSize(<const char*> numbers, size)


cdef tuple as_pair(CBounds bounds):
    return (bounds.pessimistic, bounds.optimistic)


cdef as_statistics(CStatistics found):
    """Convert the `Statistics` of the core to a `ggp_agent.mcts.search_result.RootStatistics`."""
    # Not imported above: the configuration imports this module for its ranges and does not need numpy.
    import numpy as np
    from ggp_agent.mcts.search_result import MOVE_ROW, RoleStatistics, RootStatistics

    if MOVE_ROW.itemsize != sizeof(CMoveStatistics):
        raise ImportError("ggp_agent.mcts.search_result and the compiled search have different layouts of moves")
    roles = []
    for role in found.roles:
        rows = as_bytes(role.moves.data(), role.moves.size() * sizeof(CMoveStatistics))
        roles.append(RoleStatistics(role.mean, as_pair(role.bounds), np.frombuffer(rows, MOVE_ROW)))
    variation = np.array(<list> found.principal_variation, np.int32).reshape(-1, found.roles.size())
    return RootStatistics(bool(found.terminal), found.visits, found.simulations, found.nodes, found.bytes,
                          found.max_depth, found.seconds, tuple(roles), variation, found.minimax_states,
                          found.minimax_seconds)


cdef cbool ask_moves(void* context, const uint64_t* mask, const uint64_t* states, int32_t* moves) noexcept with gil:
    cdef GuidedSimulator guided = <GuidedSimulator> context
    return guided.write_answer(guided.choose, mask, states, <char*> moves)


cdef cbool ask_values(void* context, const uint64_t* mask, const uint64_t* states, float* out) noexcept with gil:
    cdef GuidedSimulator guided = <GuidedSimulator> context
    return guided.write_answer(guided.value, mask, states, <char*> out)


cdef class GuidedSimulator(LaneSimulator):
    """Play on another simulator, with uniform play-outs and evaluations by Python functions.

    Args:
        lanes: the other simulator, which is cloned.
        choose: returns the moves of a play-out, or None for random ones: int32 in bytes, [roles, lanes], -1 for a move
            that is drawn. Its arguments are a lane mask and the packed states of all lanes, in bytes.
        value: returns values of states, or None for no evaluation: float32 in bytes, [lanes, roles]; with the same
            arguments.
    """

    cdef object choose, value
    cdef object error  # what a function has raised

    def __init__(self, LaneSimulator lanes not None, choose, value):
        cdef CFunctions functions
        functions.context = <void*> self
        if choose is not None:
            functions.choose = ask_moves
        if value is not None:
            functions.value = ask_values
        self.choose, self.value = choose, value
        self.simulator.reset(<Simulator*> new CGuidedSimulator(lanes.simulator.get()[0], functions))
        self.isa = lanes.isa

    cdef cbool write_answer(self, function, const uint64_t* mask, const uint64_t* states, char* to):
        cdef Simulator* simulator = self.simulator.get()
        cdef Py_ssize_t size = 4 * simulator.roles() * simulator.lanes()
        try:
            asked = as_bytes(mask, 8 * simulator.groups())
            seen = as_bytes(states, 8 * simulator.state_words() * simulator.lanes())
            answer = function(asked, seen)
            if not isinstance(answer, bytes) or len(answer) != size:
                raise ValueError(f"the answer must have {size} bytes")
            memcpy(to, PyBytes_AS_STRING(answer), size)
            return True
        except BaseException as error:
            self.error = error
            return False

    cdef object take_error(self):
        error, self.error = self.error, None
        return error


cdef class Searcher(OneAtATime):
    """Search one tree with all lanes of a simulator that nothing else uses.

    While one thread runs a method, other threads may call only `stop` and `statistics`; other methods raise
    RuntimeError.
    """

    cdef LaneSimulator lanes
    cdef SideBySide neighbours  # None if it searches alone
    cdef unique_ptr[CSearcher] searcher

    def __init__(self, LaneSimulator lanes not None, config):
        self.lanes = lanes
        self.searcher.reset(new CSearcher(lanes.simulator.get()[0], as_config(config)))

    @property
    def in_flight(self):
        """The number of simulations under way at the same time in the latest run; before a run, the largest number."""
        return self.searcher.get().in_flight()

    @property
    def root_state(self):
        """The packed state of the root."""
        cdef const vector[uint64_t]* words = &self.searcher.get().root_state()
        return as_bytes(words.data(), 8 * words.size())

    def set_root(self, bytes state not None):
        """Drop the tree and start again from a state."""
        cdef vector[uint64_t] words = self.lanes.words(state)
        with self, nogil:
            self.searcher.get().set_root(words.data())

    def advance(self, moves):
        """Play a joint move (numbers in the order of the roles) and keep its subtree."""
        cdef vector[int] numbers = moves
        with self, nogil:
            self.searcher.get().advance(numbers)

    def run(self, limits):
        """Search until a limit of a `ggp_agent.mcts.limits.Limits` is reached or a signal arrives."""
        cdef CLimits c_limits
        cdef CStatistics found
        cdef Question question = Question(limits.stopped)
        if self.neighbours is not None:
            raise RuntimeError("this searcher runs side by side with others: call SideBySide.run")
        if limits.simulations is not None:
            c_limits.simulations = limits.simulations
        if limits.seconds is not None:
            c_limits.seconds = limits.seconds
        if limits.cpu_seconds is not None:
            c_limits.cpu_seconds = limits.cpu_seconds
        if limits.settled_role is not None:
            c_limits.settled_role = limits.settled_role
        c_limits.interrupted, c_limits.context = ask, <void*> question
        if question.answer(()):
            c_limits.simulations = 0
        with self:
            try:
                with nogil:
                    found = self.searcher.get().run(c_limits)
            except RuntimeError:
                error = (<GuidedSimulator> self.lanes).take_error() if isinstance(self.lanes, GuidedSimulator) else None
                if error is not None:
                    raise error from None
                raise
        question.raise_error()
        return as_statistics(found)

    def stop(self):
        """Stop the current run, if any; any thread may call this."""
        self.searcher.get().stop()

    def statistics(self):
        """Return the latest published statistics; any thread may call this."""
        return as_statistics(self.searcher.get().statistics())

    def keep_samples(self):
        """Keep sums over the simulations of each run from now on."""
        self.searcher.get().keep_samples()

    @property
    def shared_seconds(self):
        """The estimated processor time of the latest run, if it was side by side with others."""
        return self.searcher.get().shared_seconds()

    def samples(self):
        """Return the sums of the latest run: for each row of `SAMPLES` the fields of `SampleSums`, as floats."""
        cdef CSamples found = self.searcher.get().samples()
        return [(one.count, one.x, one.y, one.xx, one.yy, one.xy)
                for one in (found.plies, found.backed_up, found.quality)]

    def best_line(self, double seconds):
        """Return the goal and the numbers of the moves of the best line, in a game of one role.

        The goal is -1 if no line is known or if its moves cannot be found within `seconds`.
        """
        cdef CLine line
        with nogil:
            line = self.searcher.get().best_line(seconds)
        return line.goal, line.moves

    def tree_hash(self):
        """Return a hash of the whole tree, 64 bits."""
        return self.searcher.get().tree_hash()

    def dump(self):
        """Return all that later runs depend on, as bytes for `restore`."""
        cdef unique_ptr[CArchive] archive = make_unique[CArchive]()
        with self, nogil:
            self.searcher.get().archive(archive.get()[0])
        return as_bytes(archive.get().written().data(), archive.get().written().size())

    def restore(self, data):
        """Continue from what a searcher of the same game and configuration has dumped.

        Raises:
            ValueError: the bytes do not belong to this searcher, which then is at the initial state.
        """
        cdef Array array = array_of(data, b"B", 1)
        if array.rows == 0:
            raise ValueError("bytes are missing")
        cdef unique_ptr[CArchive] archive = make_unique[CArchive](<const uint8_t*> array.data, <size_t> array.rows)
        with self, nogil:
            self.searcher.get().archive(archive.get()[0])

    def known_nodes(self, uint32_t least_visits):
        """Return the nodes below the root with at least `least_visits` visits; must not be called during a run.

        Returns:
            (states as 64-bit words, rewards -1 .. 1 by role as 32-bit floats, visits as 32-bit integers), each as bytes
            with one node after the other.
        """
        cdef CKnownNodes found
        with self, nogil:
            found = c_known_nodes(self.searcher.get().tree(), least_visits)
        return (as_bytes(found.states.data(), 8 * found.states.size()),
                as_bytes(found.rewards.data(), 4 * found.rewards.size()),
                as_bytes(found.visits.data(), 4 * found.visits.size()))


def merged(searchers):
    """Return the merged statistics of searchers of one position, at least one."""
    cdef vector[CStatistics] parts
    cdef Searcher searcher
    for searcher in searchers:
        parts.push_back(searcher.searcher.get().statistics())
    return as_statistics(merge(parts))


def merged_behind(searchers, path, bytes state not None):
    """Return the merged statistics after legal joint moves (numbers in the order of the roles) that lead to a state."""
    cdef vector[vector[int]] numbers = path
    cdef vector[CStatistics] parts
    cdef vector[uint64_t] words
    cdef Searcher searcher
    for searcher in searchers:
        words = searcher.lanes.words(state)
        with nogil:
            parts.push_back(searcher.searcher.get().statistics_behind(numbers, words.data()))
    return as_statistics(merge(parts))


cdef class SideBySide(OneAtATime):
    """Search many trees side by side in lanes of one simulator; the simulator `scout` evaluates single states."""

    cdef LaneSimulator lanes
    cdef LaneSimulator scout
    cdef unique_ptr[CSideBySide] searches
    cdef dict running  # by address in the core

    def __init__(self, LaneSimulator lanes not None, LaneSimulator scout not None):
        self.lanes = lanes
        self.scout = scout
        self.running = {}
        self.searches.reset(new CSideBySide(lanes.simulator.get()[0], scout.simulator.get()[0]))

    def searcher(self, config):
        """Return a new searcher at the initial state."""
        cdef Searcher made = Searcher.__new__(Searcher)
        made.lanes = self.lanes
        made.neighbours = self
        made.searcher.reset(new CSearcher(self.searches.get().lanes(), self.searches.get().scout(), as_config(config)))
        return made

    def start(self, Searcher searcher not None, int first_lane, uint64_t simulations):
        """Start a run of one of these searchers, in `in_flight` lanes that no other run uses; `run` executes it."""
        if searcher.neighbours is not self:
            raise ValueError("the searcher belongs to other lanes")
        self.check()
        self.searches.get().start(searcher.searcher.get()[0], first_lane, simulations)
        self.running[<uintptr_t> searcher.searcher.get()] = searcher

    def run(self, stopped):
        """Search until some runs have ended; return their searchers, none if `stopped()` became true."""
        cdef vector[CSearcher*] done
        cdef Question question = Question(stopped)
        if not question.answer(()):
            with self:
                try:
                    with nogil:
                        done = self.searches.get().run(ask, <void*> question)
                except BaseException:
                    self.running.clear()
                    raise
        question.raise_error()
        return [self.running.pop(<uintptr_t> done[i]) for i in range(done.size())]

    def stop(self):
        """Stop all runs."""
        self.check()
        self.searches.get().stop()
        self.running.clear()


cdef class LevelMinimax(OneAtATime):
    """A minimax search of a few plies in a game of two roles; see `csrc/search/proof/level_minimax.hpp`."""

    cdef LaneSimulator lanes
    cdef unique_ptr[CLevelMinimax] minimax

    def __init__(self, LaneSimulator lanes not None):
        self.lanes = lanes
        self.minimax.reset(new CLevelMinimax(lanes.simulator.get()[0]))

    @property
    def states(self):
        """The number of successors computed so far."""
        self.check()
        return self.minimax.get().states()

    def run(self, bytes state not None, int plies, *, bint every_move):
        """Search the moves of a state that is not terminal.

        Args:
            state: the packed state.
            plies: the depth of the search.
            every_move: whether to search all moves; otherwise the search ends with the first win, or when only one move
                is not lost.

        Returns:
            (move, (lowest, highest goal of the mover), deciding level or 0) of each legal move; empty unless exactly
            one role is to move.
        """
        cdef vector[uint64_t] words = self.lanes.words(state)
        cdef CExtent extent = EVERY_MOVE if every_move else DECISION
        with self, nogil:
            self.minimax.get().run(words.data(), plies, extent)
        return [(each.move, as_pair(each.bounds), each.plies) for each in self.minimax.get().verdicts()]


def map_rewards(config, endings, double share, double step):
    """Map endings, (goals, plies in the tree, plies of the play-out, quality), to rewards by role.

    The finished share of the search is `share` for the first ending and grows by `step` with each ending.
    """
    cdef unique_ptr[CReward] reward = make_reward(as_config(config))
    cdef CEnding ending
    cdef vector[int] goals
    cdef vector[double] rewards
    cdef uint64_t number
    result = []
    for number, (values, tree_plies, playout_plies, quality) in enumerate(endings):
        goals = values
        rewards.resize(goals.size())
        ending.goals = goals.data()
        ending.tree_plies = tree_plies
        ending.playout_plies = playout_plies
        ending.quality = quality
        reward.get().progress(share + step * number, number)
        reward.get().map(ending, goals.size(), rewards.data())
        result.append(rewards)
    return result


cdef class SelfPlay(OneAtATime):
    """Play games of a search against itself; see csrc/search/driver/self_play.hpp.

    Args:
        lanes, scout: two simulators of the game, which nothing else uses.
        config: the configuration of the search, with `in_flight`.
        options: a `ggp_agent.learning.options.SelfPlayOptions`.
    """

    cdef LaneSimulator lanes, scout
    cdef unique_ptr[CSelfPlay] games

    def __init__(self, LaneSimulator lanes not None, LaneSimulator scout not None, config, options):
        cdef CSelfPlayOptions chosen = asdict(options)
        self.lanes, self.scout = lanes, scout
        self.games.reset(new CSelfPlay(lanes.simulator.get()[0], scout.simulator.get()[0], as_config(config), chosen))

    def set_start(self, bytes state not None, double share):
        """Begin games from now on in a packed state, with the probability `share`."""
        cdef vector[uint64_t] words = self.lanes.words(state)
        with self:
            self.games.get().set_start(words.data(), share)

    def play(self, size_t positions, stopped=None):
        """Play until finished games have at least this number of positions, or `stopped()` becomes true.

        Returns:
            A dictionary: arrays of `ggp_agent.learning.self_play.Positions` as bytes, and the totals `games`, `plies`,
            `simulations`, `proven` and `rewards` (by role) of the finished games.
        """
        cdef CPlayedPositions found
        cdef Question question = Question(stopped)
        with self, nogil:
            found = self.games.get().play(positions, ask, <void*> question)
        question.raise_error()
        return {
            "states": as_bytes(found.states.data(), 8 * found.states.size()),
            "movers": as_bytes(found.movers.data(), 4 * found.movers.size()),
            "results": as_bytes(found.results.data(), 4 * found.results.size()),
            "searched": as_bytes(found.searched.data(), 4 * found.searched.size()),
            "group_ends": as_bytes(found.group_ends.data(), 4 * found.group_ends.size()),
            "group_roles": as_bytes(found.group_roles.data(), 4 * found.group_roles.size()),
            "move_ends": as_bytes(found.move_ends.data(), 4 * found.move_ends.size()),
            "move_numbers": as_bytes(found.move_numbers.data(), 4 * found.move_numbers.size()),
            "probabilities": as_bytes(found.probabilities.data(), 4 * found.probabilities.size()),
            "games": found.games, "plies": found.plies, "simulations": found.simulations, "proven": found.proven,
            "rewards": list(found.rewards),
        }

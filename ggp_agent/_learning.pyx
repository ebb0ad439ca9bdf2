# distutils: language = c++
"""Cython bindings of csrc/learning, for ggp_agent.learning and ggp_agent.mcts."""

from cpython.buffer cimport PyBUF_WRITABLE
from libc.stdint cimport int32_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport make_shared, shared_ptr, unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector

from gdl._simulator cimport Array, array_of, ask, LaneSimulator, OneAtATime, Question, Simulator

import numpy as np


cdef extern from "learning/learned_network.hpp" namespace "ggp" nogil:
    cdef cppclass CShape "ggp::NetworkShape":
        uint32_t features, policies, values, hidden1, hidden2
        cbool direct_policy
    cdef cppclass CWeightArray "ggp::WeightArray":
        string name
        size_t offset, rows, columns, stride
    cdef cppclass CNetwork "ggp::LearnedNetwork":
        CNetwork(const CShape&) except +
        CNetwork(const CNetwork&) except +
        void initialise(uint64_t, double)
        const CShape& shape()
        float* weights()
        size_t size()
        vector[CWeightArray] arrays() except +


cdef extern from "learning/encoding.hpp" namespace "ggp" nogil:
    cdef cppclass CView "ggp::Encoding::View":
        vector[uint16_t] features
        vector[vector[uint16_t]] policies
        vector[uint16_t] values
        vector[float] signs
    cdef cppclass CSymmetry "ggp::Encoding::Symmetry":
        vector[uint16_t] features, policies, values
    cdef cppclass CEncoding "ggp::Encoding":
        vector[CView] views
        vector[CSymmetry] symmetries
    const CEncoding& c_checked "ggp::checked"(const CEncoding&, const CShape&) except +


cdef extern from "learning/learning_kernel.hpp" namespace "ggp" nogil:
    cdef cppclass CLoss "ggp::Loss":
        double squared_error, divergence
        uint64_t samples, groups
    cdef cppclass CKernel "ggp::LearningKernel":
        pass
    const CKernel& learning_kernel(const string&) except +


cdef extern from "learning/samples.hpp" namespace "ggp" nogil:
    cdef cppclass CPositions "ggp::Positions":
        size_t count, state_words, groups, moves
        const uint64_t* states
        const int32_t* movers
        const float* results
        const float* searched
        const uint32_t* group_ends
        const int32_t* group_roles
        const uint32_t* move_ends
        const int32_t* move_numbers
        const float* probabilities


cdef extern from "learning/trainer.hpp" namespace "ggp" nogil:
    cdef cppclass COptions "ggp::TrainerOptions":
        uint32_t batch
        float decay, average
        int threads
        uint64_t seed
    cdef cppclass CTrainer "ggp::Trainer":
        CTrainer(const CNetwork&, CEncoding, const COptions&, const CKernel&) except +
        void keep(size_t samples)
        size_t add(const CPositions&) except +
        CLoss measure(size_t) except +
        CLoss train(uint64_t, float, float, cbool (*)(void*) noexcept nogil, void*) except +
        const CNetwork& average()
        const CNetwork& network()
        uint64_t steps()
        size_t samples()
        size_t bytes()
        float* weights()
        float* averaged_weights()
        float* mean()
        float* square()
        void set_steps(uint64_t)


cdef extern from "learning/learned_simulator.hpp" namespace "ggp" nogil:
    cdef cppclass CGame "ggp::LearnedGame":
        CGame(const CNetwork&, const CEncoding&) except +
        CNetwork network
        CEncoding encoding
    cdef cppclass CLearnedSimulator "ggp::LearnedSimulator":
        CLearnedSimulator(const Simulator&, shared_ptr[const CGame], const CKernel&, string) except +
        void set_game(shared_ptr[const CGame]) except +
        vector[string] evaluations() except +
        void values(int, const uint64_t*, float*)
        void probabilities(int, int, int, const int*, int, float*)
    shared_ptr[CGame] make_game "std::make_shared<ggp::LearnedGame>"(const CGame&) except +


# The number in maps for "no feature" and "no policy".
NONE = 0xFFFF


cdef int* legal_goals(vector[int]& room) except *:
    """Return room for the goals of a role."""
    if room.size() < 101:
        room.resize(101)
    return room.data()


cdef CShape as_shape(shape) except *:
    """Convert a `ggp_agent.evaluation.learned_network.NetworkShape`."""
    cdef CShape result
    result.features, result.policies, result.values = shape.features, shape.policies, shape.values
    result.hidden1, result.hidden2, result.direct_policy = shape.hidden1, shape.hidden2, shape.direct_policy
    return result


cdef CEncoding as_encoding(encoding) except *:
    """Convert a `ggp_agent.evaluation.learned_network.Encoding`."""
    cdef CEncoding result
    cdef CView view
    cdef CSymmetry symmetry
    for each in encoding.views:
        view.features, view.policies = each.features, each.policies
        view.values, view.signs = each.values, each.signs
        result.views.push_back(view)
    for each in encoding.symmetries:
        symmetry.features, symmetry.policies, symmetry.values = each.features, each.policies, each.values
        result.symmetries.push_back(symmetry)
    return result


cdef dict as_arrays(vector[CWeightArray] arrays, const float* weights):
    """Return copies of arrays of weights by name, [rows, columns] or [columns]."""
    found = {}
    cdef size_t row, column
    cdef float* to
    for array in arrays:
        values = np.empty((array.rows, array.columns), np.float32)
        if values.size:
            to = <float*> array_of(values, b"f", 2, PyBUF_WRITABLE).data
            for row in range(array.rows):
                for column in range(array.columns):
                    to[row * array.columns + column] = weights[array.offset + row * array.stride + column]
        name = array.name.decode()
        found[name] = values[0] if name in ("b1", "b2", "bv", "bp") else values
    return found


cdef int set_arrays(vector[CWeightArray] arrays, float* weights, dict values) except -1:
    cdef size_t row, column
    cdef const float* of
    for array in arrays:
        name = array.name.decode()
        given = np.ascontiguousarray(values[name], np.float32).reshape(array.rows, array.columns)
        if not given.size:
            continue
        of = <const float*> array_of(given, b"f", 2).data
        for row in range(array.rows):
            for column in range(array.columns):
                weights[array.offset + row * array.stride + column] = of[row * array.columns + column]
    return 0


def initial_weights(shape, uint64_t seed, double active):
    """Return the random weights of a new network by name; `active` is the mean number of true features of a state."""
    cdef unique_ptr[CNetwork] network
    network.reset(new CNetwork(as_shape(shape)))
    network.get().initialise(seed, active)
    return as_arrays(network.get().arrays(), network.get().weights())


cdef class LearnedGame:
    """The weights and the encoding of a network, for simulators of one game; constant.

    Args:
        shape: the numbers of units.
        encoding: the features, policies and values of the game.
        weights: the arrays of weights by name.

    Raises:
        ValueError: the encoding does not match the shape.
    """

    cdef shared_ptr[const CGame] game

    def __init__(self, shape, encoding, dict weights not None):
        cdef unique_ptr[CNetwork] network
        cdef CEncoding encoded = as_encoding(encoding)
        network.reset(new CNetwork(as_shape(shape)))
        c_checked(encoded, network.get().shape())
        set_arrays(network.get().arrays(), network.get().weights(), weights)
        cdef unique_ptr[CGame] made
        made.reset(new CGame(network.get()[0], encoded))
        self.game = <shared_ptr[const CGame]> make_game(made.get()[0])


cdef class LearnedSimulator(LaneSimulator):
    """Play on a clone of another simulator, with the values and the move probabilities of a network.

    Args:
        lanes: the other simulator.
        game: the network.
        name: the name of the evaluation.

    Raises:
        ValueError: the network belongs to another game, or the rules are not compiled to a network.
    """

    def __init__(self, LaneSimulator lanes not None, LearnedGame game not None, str name not None):
        cdef string isa = lanes.isa.encode(), called = name.encode()
        self.simulator.reset(
            <Simulator*> new CLearnedSimulator(lanes.simulator.get()[0], game.game, learning_kernel(isa), called))
        self.isa = lanes.isa

    def evaluate_states(self, states, values, list probabilities not None):
        """Write the values and move probabilities of states.

        Args:
            states: packed states, [n, words].
            values: the values for each role, -1 .. 1, [n, roles]; the rewards of the goals in terminal states.
            probabilities: for each role, the probabilities of its moves, [n, moves]; 0 for moves that are not legal, and
                in terminal states.
        """
        cdef Simulator* simulator = self.simulator.get()
        cdef CLearnedSimulator* learned = <CLearnedSimulator*> simulator
        cdef int lanes = simulator.lanes(), roles = simulator.roles(), widest = 1
        cdef int lane, role, move, count, own, goal
        cdef Py_ssize_t begin, here, at
        cdef vector[const uint64_t*] of
        cdef vector[uint64_t] mask
        cdef vector[float] found, some
        cdef vector[int] legal
        cdef Array packed = array_of(states, b"Q", 2), array
        cdef float* value = <float*> array_of(values, b"f", 2, PyBUF_WRITABLE).data
        cdef float* out
        self.evaluated = None
        with self:
            own = <int> learned.evaluations().size() - 1
            of.resize(lanes)
            found.resize(lanes * roles)
            for role in range(roles):
                widest = max(widest, simulator.moves(role))
            legal.resize(widest)
            some.resize(widest)
            for begin in range(0, packed.rows, lanes):
                here = min(<Py_ssize_t> lanes, packed.rows - begin)
                mask.assign(simulator.groups(), 0)
                for at in range(here):
                    of[at] = <const uint64_t*> packed.data + (begin + at) * packed.columns
                    mask[at >> 6] |= (<uint64_t> 1) << (at & 63)
                simulator.load(mask.data(), of.data())
                simulator.evaluate()
                for at in range(here):
                    lane = <int> at
                    if not simulator.terminal()[lane >> 6] >> (lane & 63) & 1:
                        continue
                    mask[lane >> 6] &= ~((<uint64_t> 1) << (lane & 63))
                    for role in range(roles):
                        count = simulator.goals(lane, role, legal_goals(legal))
                        goal = legal[count - 1] if count > 0 else 0
                        value[(begin + at) * roles + role] = <float> (goal / 50.0 - 1)
                learned.values(own, mask.data(), found.data())
                for at in range(here):
                    lane = <int> at
                    if not mask[lane >> 6] >> (lane & 63) & 1:
                        continue
                    for role in range(roles):
                        value[(begin + at) * roles + role] = found[lane * roles + role]
                        count = simulator.legal(lane, role, legal.data())
                        learned.probabilities(own, lane, role, legal.data(), count, some.data())
                        array = array_of(probabilities[role], b"f", 2, PyBUF_WRITABLE)
                        out = <float*> array.data + (begin + at) * array.columns
                        for move in range(count):
                            out[legal[move]] = some[move]
                simulator.step()

    def set_game(self, LearnedGame game not None):
        """Replace the network by another one of the same shape and encoding."""
        self.check()
        (<CLearnedSimulator*> self.simulator.get()).set_game(game.game)


cdef tuple as_loss(CLoss loss):
    return (loss.squared_error, loss.samples, loss.divergence, loss.groups)


cdef class Trainer(OneAtATime):
    """Train a network from a window of positions; see csrc/learning/trainer.hpp.

    Args:
        shape, encoding, weights: as for `LearnedGame`.
        options: a `ggp_agent.learning.options.TrainingOptions`.
        isa: the instruction set.
    """

    cdef unique_ptr[CTrainer] trainer
    cdef size_t size

    def __init__(self, shape, encoding, dict weights not None, options, str isa not None):
        cdef unique_ptr[CNetwork] network
        cdef COptions chosen
        cdef string words = isa.encode()
        network.reset(new CNetwork(as_shape(shape)))
        set_arrays(network.get().arrays(), network.get().weights(), weights)
        chosen.batch, chosen.decay, chosen.average = options.batch, options.decay, options.average
        chosen.threads, chosen.seed = options.threads, options.seed
        self.size = network.get().size()
        self.trainer.reset(new CTrainer(network.get()[0], as_encoding(encoding), chosen, learning_kernel(words)))

    @property
    def steps(self):
        """The number of steps so far."""
        return self.trainer.get().steps()

    @property
    def samples(self):
        """The number of samples in the window."""
        return self.trainer.get().samples()

    @property
    def bytes(self):
        """The memory of the window, the weights and the gradients."""
        return self.trainer.get().bytes()

    def add(self, positions):
        """Add a `ggp_agent.learning.self_play.Positions` to the window; return the number of samples.

        Raises:
            ValueError: the positions belong to another game, or a number is out of its range.
        """
        cdef CPositions given
        cdef Array states = array_of(positions.states, b"Q", 2), groups = array_of(positions.group_roles, b"i", 1)
        cdef Array moves = array_of(positions.move_numbers, b"i", 1)
        given.count, given.state_words = states.rows, states.columns
        given.groups, given.moves = groups.rows, moves.rows
        if given.count == 0:
            return 0
        given.states = <const uint64_t*> states.data
        given.movers = <const int32_t*> array_of(positions.movers, b"i", 1).data
        given.results = <const float*> array_of(positions.results, b"f", 2).data
        given.searched = <const float*> array_of(positions.searched, b"f", 2).data
        given.group_ends = <const uint32_t*> array_of(positions.group_ends, b"I", 1).data
        if given.groups > 0:
            given.group_roles, given.move_numbers = <const int32_t*> groups.data, <const int32_t*> moves.data
            given.move_ends = <const uint32_t*> array_of(positions.move_ends, b"I", 1).data
            given.probabilities = <const float*> array_of(positions.probabilities, b"f", 1).data
        cdef size_t added
        with self, nogil:
            added = self.trainer.get().add(given)
        return added

    def keep(self, size_t samples):
        """Remove the oldest positions while the window has more samples, and was added to more than once."""
        with self:
            self.trainer.get().keep(samples)

    def measure(self, size_t most):
        """Return the loss of the averaged network on at most `most` samples of the latest positions.

        The values are compared with the results of the games.

        Returns:
            (sum of squared errors, samples, sum of divergences, groups).
        """
        cdef CLoss loss
        with self, nogil:
            loss = self.trainer.get().measure(most)
        return as_loss(loss)

    def train(self, uint64_t steps, float rate, float mix, stopped=None):
        """Make steps; return the loss before them on the samples that they used, as `measure` does."""
        cdef CLoss loss
        cdef Question question = Question(stopped)
        with self, nogil:
            loss = self.trainer.get().train(steps, rate, mix, ask, <void*> question)
        question.raise_error()
        return as_loss(loss)

    def weights(self):
        """Return the averaged weights by name."""
        self.check()
        cdef CNetwork* network = <CNetwork*> &self.trainer.get().average()
        return as_arrays(network.arrays(), network.weights())

    def state(self):
        """Return the number of steps, and four arrays of all weights: learning, averaged, and both moments."""
        self.check()
        found = [np.empty(self.size, np.float32) for _ in range(4)]
        for number, values in enumerate(found):
            memcpy(array_of(values, b"f", 1, PyBUF_WRITABLE).data, self.part(number), self.size * sizeof(float))
        return self.trainer.get().steps(), found

    def restore(self, uint64_t steps, parts):
        """Continue from a `state`.

        Raises:
            ValueError: an array has another size.
        """
        self.check()
        if len(parts) != 4 or any(part.shape != (self.size,) for part in parts):
            raise ValueError("the stored training belongs to another network")
        for number, part in enumerate(parts):
            values = np.ascontiguousarray(part, np.float32)
            memcpy(self.part(number), array_of(values, b"f", 1).data, self.size * sizeof(float))
        self.trainer.get().set_steps(steps)

    cdef float* part(self, int number):
        cdef CTrainer* trainer = self.trainer.get()
        if number == 0:
            return trainer.weights()
        if number == 1:
            return trainer.averaged_weights()
        return trainer.mean() if number == 2 else trainer.square()

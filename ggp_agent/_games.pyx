# distutils: language = c++
"""Cython bindings of csrc/games; wrapped by the native games of ggp_agent."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector

from gdl._simulation cimport PerftLevel
from gdl._simulator cimport BatchParts, FluentStates, LaneSimulator, Simulator, StopFlag, atomic_bool, lane_arrays_of


cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        string_view(const char*, size_t)


cdef extern from "base/bits.hpp" namespace "ggp" nogil:
    cbool has_fast_bits()


cdef extern from "base/vector_kernels.hpp" namespace "ggp" nogil:
    cdef enum class Vectors:
        kNone, kAvx2, kAvx512
    Vectors widest_vectors()


cdef extern from "games/common/module.hpp" namespace "ggp" nogil:
    cdef cppclass ModuleFacts:
        string name, reference_sheet
        int size
        vector[string] roles, evaluations
    cdef cppclass PlayoutStatistics:
        uint64_t playouts, plies, square_plies, longest, choices
        uint64_t goals[2]
        double quality
    cdef cppclass CModule "ggp::Module":
        ModuleFacts facts()
        unique_ptr[Simulator] simulator(int, cbool, Vectors)
        string move_text(int, int)
        string move_in(const uint64_t*, int)
        int read_move(int, string_view)
        string board(const uint64_t*)
        void read_board(string_view, uint64_t*) except +
        int mover(const uint64_t*)
        vector[int] fluents(const uint64_t*)
        uint64_t hash(const uint64_t*)
        uint64_t hash_anew(const uint64_t*)
        double quality(const uint64_t*)
        double evaluation(const uint64_t*, int)
        vector[PerftLevel] perft(const uint64_t*, int, const atomic_bool&)
        PlayoutStatistics playouts(uint64_t, uint64_t, cbool, const atomic_bool&)


cdef extern from "games/common/module_batch.hpp" namespace "ggp" nogil:
    BatchParts module_parts(const CModule&, int, cbool, int, Vectors) except +


cdef extern from "games/registry.hpp" namespace "ggp" nogil:
    cdef cppclass ModulePointer "std::unique_ptr<const ggp::Module>":
        const CModule* get()
    const vector[ModulePointer]& c_modules "ggp::modules"()


cdef extern from "games/common/agreement.hpp" namespace "ggp" nogil:
    cdef cppclass Agreement:
        uint64_t playouts, turns
        string difference
        vector[uint64_t] module_states, sheet_states
    Agreement c_compare "ggp::compare"(const CModule&, Simulator&, Simulator&,
                                       const vector[vector[vector[vector[int]]]]&, uint64_t, uint64_t, uint64_t) except +


cdef class Module:
    """A native game; its packed states are the states of its simulators, as `bytes`."""

    cdef CModule* module  # constant; lives as long as the program
    cdef readonly str name, reference_sheet
    cdef readonly int size, state_bytes, fluents
    cdef readonly tuple roles, evaluations, moves
    cdef readonly bytes initial

    def simulator(self, int lanes, str isa not None):
        """Return a new simulator for an instruction set: portable, avx2 or avx512."""
        cdef LaneSimulator result = LaneSimulator.__new__(LaneSimulator)
        result.simulator = self.module.simulator(lanes, isa != "portable", _vectors(isa))
        result.isa = isa
        return result

    def lane_arrays(self, int n, int lanes, str isa not None, int threads):
        """Return n states as arrays, in simulators with `lanes` lanes for an instruction set."""
        cdef BatchParts parts = module_parts(self.module[0], lanes, isa != "portable", n, _vectors(isa))
        return lane_arrays_of(&parts, threads, -1)

    cdef vector[uint64_t] words(self, bytes state) except *:
        if len(state) != self.state_bytes:
            raise ValueError(f"a state of this game has {self.state_bytes} bytes, not {len(state)}")
        cdef vector[uint64_t] result
        result.resize(len(state) // 8)
        memcpy(result.data(), PyBytes_AS_STRING(state), len(state))
        return result

    def move_text(self, int role, int number):
        """Print a move of a role, without information of the position; empty if no move has the number.

        Raises:
            IndexError: the number is out of range.
        """
        if not (0 <= role < len(self.roles) and 0 <= number < self.moves[role]):
            raise IndexError(f"there is no move number {number} of role number {role}")
        return self.module.move_text(role, number).decode()

    def move_in(self, bytes state not None, int number):
        """Print a legal move of a state."""
        if not 0 <= number < self.moves[0]:
            raise IndexError(f"there is no move number {number}")
        return self.module.move_in(self.words(state).data(), number).decode()

    def read_move(self, int role, str text not None):
        """Return the number of a move; -1 if the text is not a move."""
        cdef bytes read = text.encode()
        return self.module.read_move(role, string_view(PyBytes_AS_STRING(read), len(read)))

    def board(self, bytes state not None):
        """Print a position."""
        return self.module.board(self.words(state).data()).decode()

    def read_board(self, str text not None):
        """Return the state of a printed position; raise ValueError with one line if it is not a possible position."""
        cdef bytes read = text.encode()
        cdef vector[uint64_t] state
        state.resize(self.state_bytes // 8)
        self.module.read_board(string_view(PyBytes_AS_STRING(read), len(read)), state.data())
        return PyBytes_FromStringAndSize(<const char*> state.data(), self.state_bytes)

    def mover(self, bytes state not None):
        """Return the number of the role whose turn it is."""
        return self.module.mover(self.words(state).data())

    def holding(self, bytes state not None):
        """List the numbers of the fluents that hold, less than `fluents`."""
        return list(self.module.fluents(self.words(state).data()))

    def hash(self, bytes state not None):
        """Return the hash, which moves update."""
        return self.module.hash(self.words(state).data())

    def hash_anew(self, bytes state not None):
        """Compute the hash from the whole position."""
        return self.module.hash_anew(self.words(state).data())

    def quality(self, bytes state not None):
        """Return how convincing the win of a terminal state is, 0..1."""
        return self.module.quality(self.words(state).data())

    def evaluation(self, bytes state not None, int which):
        """Return the value of evaluation number `which` of `evaluations` for the first role, -1..1."""
        if not 0 <= which < len(self.evaluations):
            raise IndexError(f"there is no evaluation function number {which}")
        return self.module.evaluation(self.words(state).data(), which)

    def perft(self, bytes state not None, int depth, StopFlag stop not None):
        """Count the move sequences of length 1 to depth; return (leaves, terminals) for each."""
        cdef vector[uint64_t] words = self.words(state)
        cdef vector[PerftLevel] levels
        with nogil:
            levels = self.module.perft(words.data(), depth, stop.flag)
        return [(level.leaves, level.terminals) for level in levels]

    def playouts(self, uint64_t count, uint64_t seed, cbool by_policy, StopFlag stop not None):
        """Play from the initial state, uniformly or by the policy of the game.

        Returns:
            (play-outs, plies, sum of squared lengths, longest, sum of numbers of legal moves, goal sums, quality sum).
        """
        cdef PlayoutStatistics found
        with nogil:
            found = self.module.playouts(count, seed, by_policy, stop.flag)
        return (found.playouts, found.plies, found.square_plies, found.longest, found.choices,
                (found.goals[0], found.goals[1]), found.quality)

    def compare(self, LaneSimulator fast not None, LaneSimulator sheet not None, turns, uint64_t playouts, uint64_t seed,
                uint64_t sample_every):
        """Play the native game and its reference sheet in parallel, see `csrc/games/common/agreement.hpp`.

        Returns:
            (play-outs, turns, first difference or "", [(state of the native game, state of the sheet)]).
        """
        cdef vector[vector[vector[vector[int]]]] numbers = turns
        cdef Agreement found
        with fast, sheet:
            fast.evaluated = sheet.evaluated = None
            with nogil:
                found = c_compare(self.module[0], fast.simulator.get()[0], sheet.simulator.get()[0], numbers, playouts,
                                  seed, sample_every)
        cdef size_t own = self.state_bytes, other = 8 * sheet.simulator.get().state_words(), i
        pairs = []
        for i in range(8 * found.module_states.size() // own):
            pairs.append((PyBytes_FromStringAndSize(<const char*> found.module_states.data() + i * own, own),
                          PyBytes_FromStringAndSize(<const char*> found.sheet_states.data() + i * other, other)))
        return found.playouts, found.turns, found.difference.decode(), pairs


def modules():
    """Return all games by name."""
    cdef Module made
    cdef ModuleFacts facts
    cdef unique_ptr[Simulator] simulator
    cdef const vector[ModulePointer]* every = &c_modules()
    cdef size_t i
    result = {}
    for i in range(every.size()):
        made = Module.__new__(Module)
        made.module = <CModule*> every.at(i).get()
        facts = made.module.facts()
        simulator = made.module.simulator(64, False, Vectors.kNone)
        made.name = facts.name.decode()
        made.reference_sheet = facts.reference_sheet.decode()
        made.size = facts.size
        made.roles = tuple([role.decode() for role in facts.roles])
        made.evaluations = tuple([name.decode() for name in facts.evaluations])
        made.moves = tuple([simulator.get().moves(role) for role in range(len(made.roles))])
        made.fluents = simulator.get().optional_interface[FluentStates]().fluents()
        made.state_bytes = 8 * simulator.get().state_words()
        made.initial = PyBytes_FromStringAndSize(<const char*> simulator.get().initial(), made.state_bytes)
        result[made.name] = made
    return result


def best_isa():
    """Return the widest instruction set of this processor that has fast bit instructions: portable, avx2 or avx512."""
    if not has_fast_bits():
        return "portable"
    return "avx512" if widest_vectors() == Vectors.kAvx512 else "avx2"


cdef Vectors _vectors(str isa):
    return Vectors.kAvx512 if isa == "avx512" else Vectors.kAvx2 if isa == "avx2" else Vectors.kNone

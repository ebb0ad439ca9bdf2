// The interface of a native game for the rest of the program, independent of its state type.
//
// States are the packed states of its simulators. Texts for people are in the usual notation of the game.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/vector_kernels.hpp"
#include "simulation/perft.hpp"
#include "simulator.hpp"

namespace ggp {

struct ModuleFacts {
  std::string name;                      // the name after "fast:"
  std::string reference_sheet;           // the rule sheet of the catalogue with the same rules
  int size;                              // number of squares along an edge
  std::vector<std::string> roles;        // as in the reference sheet
  std::vector<std::string> evaluations;  // names of the evaluation functions
};

// Statistics of play-outs from the initial state.
struct PlayoutStatistics {
  std::uint64_t playouts = 0;
  std::uint64_t plies = 0;
  std::uint64_t square_plies = 0;  // sum of the squares of the lengths
  std::uint64_t longest = 0;
  std::uint64_t choices = 0;       // sum of the numbers of legal moves over all plies
  std::uint64_t goals[2] = {};     // sums by role
  double quality = 0;              // sum
};

class Module {
 public:
  virtual ~Module() = default;

  virtual ModuleFacts facts() const = 0;
  // `lanes` as in Simulator. `fast` requires has_fast_bits(); then games are played side by side with vectors of the
  // processor, at most `widest`.
  virtual std::unique_ptr<Simulator> simulator(int lanes, bool fast, Vectors widest = Vectors::kAvx512) const = 0;

  // Text of a move of a role by its number, 0 .. Simulator::moves(role) - 1. The last one is "noop", which waits. Empty
  // if the number is not a move, such as a step over the edge.
  virtual std::string move_text(int role, int number) const = 0;
  // Text of a legal move, with details that depend on the position, such as a capture.
  virtual std::string move_in(const std::uint64_t* state, int number) const = 0;
  // Number of the move of a text, in either form, or -1.
  virtual int read_move(int role, std::string_view text) const = 0;

  // The position as text: several lines, of which the last names the role to move. read_board() is the inverse; it
  // throws std::invalid_argument with one line if the text is not a position, or is one that cannot arise.
  virtual std::string board(const std::uint64_t* state) const = 0;
  virtual void read_board(std::string_view text, std::uint64_t* state) const = 0;

  virtual int mover(const std::uint64_t* state) const = 0;
  // The numbers of the fluents that hold, as in FluentStates::true_fluents().
  virtual std::vector<int> fluents(const std::uint64_t* state) const = 0;
  virtual std::uint64_t hash(const std::uint64_t* state) const = 0;        // the hash that play() maintains
  virtual std::uint64_t hash_anew(const std::uint64_t* state) const = 0;
  // Of a terminal state; see Quality::quality().
  virtual double quality(const std::uint64_t* state) const = 0;
  // The value for the first role, -1 .. 1, by the evaluation function with this number.
  virtual double evaluation(const std::uint64_t* state, int which) const = 0;

  // As the function of that name in simulation/perft.hpp.
  virtual std::vector<PerftLevel> perft(const std::uint64_t* state, int depth, const std::atomic<bool>& stop) const = 0;
  // Plays `count` play-outs, with uniform moves or by the policy of the game.
  virtual PlayoutStatistics playouts(std::uint64_t count, std::uint64_t seed, bool by_policy,
                                     const std::atomic<bool>& stop) const = 0;
};

using Modules = std::vector<std::unique_ptr<const Module>>;

// The functions of the games, each of which adds a game on all boards that it has.
void add_amazons(Modules&);           // Amazons (Walter Zamkauskas, 1988)
void add_atari_go(Modules&);          // Atari Go (Yasutoshi Yasuda): the first capture wins
void add_breakthrough(Modules&);      // Breakthrough (Dan Troyka, 2000)
void add_cannon(Modules&);            // Cannon (David Whitcher, 2003)
void add_checkers(Modules&);          // English checkers (draughts), a draw after 50 or 25 quiet turns
void add_chinese_checkers(Modules&);  // Chinese checkers for two on a star of 73 cells, six pieces a side
void add_go(Modules&);                // Go with area scoring, positional superko and komi 7.5
void add_gomoku(Modules&);            // Gomoku: exactly five stones in a row
void add_kalah(Modules&);             // Kalah with six houses a side and four seeds in each
void add_lines_of_action(Modules&);   // Lines of Action (Claude Soucie, about 1960)
void add_pentalath(Modules&);         // Pentalath (Cameron Browne and others, 2009) on a hexagon of side 5

}  // namespace ggp

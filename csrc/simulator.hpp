// The contract of the fast core: one game, W lanes.
//
// A simulator advances W independent states ("lanes") of one game at once, one bit of a machine word
// each. Search and play-outs are written against this page alone and never learn whether a network
// compiled from GDL or a hand-coded module answers.
//
// Lanes come in groups of 64. A lane mask is an array of groups() words; bit (l & 63) of word (l >> 6)
// stands for lane l. Moves of a role are numbered 0 .. moves(role) - 1, for ever; the number is what
// trees and statistics store. A packed state is an array of state_words() words with a layout that is
// the simulator's own; equal states are equal words.
//
// One turn, in this order:
//   evaluate()             makes terminal(), legal_*() and goal() valid for the present state of all lanes;
//   choose(), choose_at_random(), choose_by_rank(), choose_by_policy(), choose_with()
//                          give every role of a lane one move;
//   step()                 replaces the state of every lane by its successor. What was asked after
//                          evaluate() is invalid from here until the next evaluate().
// load() may be called at any time between step() and evaluate(); store() at any time outside
// choose..step. A lane without a complete joint move has an unspecified state after step() and must be
// loaded before it is used again; lanes never disturb one another.
//
// Nothing here allocates once it is warm, or touches Python. Networks and modules never throw. A simulator
// that evaluates rules as they are can run into a limit of time, memory or nesting: evaluate(), step(),
// load() and store() may then throw std::overflow_error, and std::runtime_error where the rules have no
// meaning, each with one line for the user; every lane has to be loaded anew after that, but for store(),
// which leaves the lanes as they are. goal() and goals() may throw the same and leave the lanes as they are.
// A simulator is used by one thread at a time; make one per thread with clone().
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "choices.hpp"
#include "fluent_weights.hpp"
#include "move_ranking.hpp"
#include "rank_choice.hpp"

namespace ggp {

// A move drawn by the policy of a game. It is forced where nothing that was learned should overrule it.
struct PolicyMove {
  int role;
  int move;
  bool forced;
};

// The move that was drawn for the one role whose turn it was; -1 both where nothing had to be drawn, for it had no other.
// A game that draws all the same, as by its policy, tells the move.
struct ToldMove {
  int role;
  int move;
};

class Simulator {
 public:
  virtual ~Simulator() = default;

  // Same game, same number of lanes, fresh states, sharing whatever is immutable.
  virtual std::unique_ptr<Simulator> clone() const = 0;

  // ---- facts of the game; constant over the life of the simulator
  virtual int roles() const = 0;
  virtual int moves(int role) const = 0;
  virtual int state_words() const = 0;
  // The packed initial state, state_words() words.
  virtual const std::uint64_t* initial() const = 0;

  // ---- lanes
  // W: a multiple of 64, at most 512.
  virtual int lanes() const = 0;
  int groups() const { return lanes() / 64; }

  // Puts states[l] into every lane l of the mask; other entries of `states` are not read.
  virtual void load(const std::uint64_t* mask, const std::uint64_t* const* states) = 0;
  // Writes the state of every lane l of the mask to states[l].
  virtual void store(const std::uint64_t* mask, std::uint64_t* const* states) = 0;

  // Starts the lane's own stream of random numbers; equal seeds give equal choices on every simulator
  // of the same game, whatever its width.
  virtual void seed(int lane, std::uint64_t seed) = 0;

  // ---- one turn
  virtual void evaluate() = 0;

  // Lane mask of terminal states. Legal moves of a terminal state may be absent; do not choose there.
  virtual const std::uint64_t* terminal() const = 0;
  // The highest goal value 0..100 that holds for a role, as game managers count several; -1 where none holds. Values of
  // the rules beyond the range count as its nearest end.
  virtual int goal(int lane, int role) = 0;
  // All goal values of a role that hold, ascending; `out` has room for 101. Returns their number.
  virtual int goals(int lane, int role, int* out) {
    out[0] = goal(lane, role);
    return out[0] < 0 ? 0 : 1;
  }
  // How convincing the win of a terminal state is, 0..1 for the winner; NaN where the game does not say.
  virtual double quality(int lane) {
    (void)lane;
    return std::numeric_limits<double>::quiet_NaN();
  }
  // ---- facts of a state one by one, where it is not made of them as that of a network is
  // How many there are, numbered from 0; 0 where the simulator does not tell them.
  virtual int fluents() const { return 0; }
  // Writes the numbers of those that hold in a lane, in any order, and returns how many; `out` has room for fluents().
  virtual int holding(int lane, int* out) const {
    (void)lane, (void)out;
    return 0;
  }
  // ---- evaluations: what a state is worth by knowledge of the game rather than by play-outs
  // Their names; the place of a name is the number of the evaluation. None where the game has none.
  virtual std::vector<std::string> evaluations() const { return {}; }
  // Gives it one more by weights of fluents, or another in place of that of the same name, and returns its number; clones
  // that are made later have it, too. Throws std::invalid_argument where the weights do not fit, or where states are not
  // made of fluents.
  virtual int add_evaluation(const std::string& name, std::shared_ptr<const FluentWeights> weights) {
    (void)name, (void)weights;
    throw std::invalid_argument("states of this simulator are not made of fluents, so none has a weight");
  }
  // Writes what the state of every lane in the mask is worth to each role, -1 (lost) .. 1 (won), to
  // out[lane * roles() + role]; NaN where the evaluation says nothing of a state. Other entries of `out` are left alone.
  // To be asked between evaluate() and the first move of a turn, of states that are not terminal.
  virtual void values(int evaluation, const std::uint64_t* mask, float* out) {
    (void)evaluation, (void)mask, (void)out;
  }
  // Writes what the states behind the legal moves of a role are worth to it, in the order of legal(), and returns their
  // number: out[i] is that behind the i-th, -1 or 1 where the game ends there with goal 0 or 100. Returns 0, and writes
  // nothing, where another role has a choice too or the simulator cannot tell. `out` has room for moves(role).
  virtual int successor_values(int evaluation, int lane, int role, float* out) {
    (void)evaluation, (void)lane, (void)role, (void)out;
    return 0;
  }

  // Number of legal moves, and the moves themselves in ascending order; `out` has room for moves(role).
  virtual int legal_count(int lane, int role) = 0;
  virtual int legal(int lane, int role, int* out) = 0;

  // Those of them that are known to end the game with goal 100 for the role, whatever the others may do; likewise.
  virtual int winning(int lane, int role, int* out) {
    (void)lane, (void)role, (void)out;
    return 0;
  }

  // Sets the move of one role; the move must be legal there, and set once a turn.
  virtual void choose(int lane, int role, int move) = 0;
  // Draws the move of every role uniformly from its legal moves, in every lane of the mask. Advances
  // a lane's random stream once for each role with more than one legal move, in role order; where a module draws a
  // move in several steps, more often.
  virtual void choose_at_random(const std::uint64_t* mask) = 0;
  // Draws the move of every role by the game's own play-out policy, which a module may have; else uniformly.
  virtual void choose_by_policy(const std::uint64_t* mask) { choose_at_random(mask); }
  virtual bool has_policy() const { return false; }
  // Draws a move by that policy, in a lane that is not terminal, for the role whose turn it is, and chooses nothing yet.
  virtual PolicyMove policy_move(int lane, std::uint64_t& random) {
    (void)lane, (void)random;
    return {-1, -1, false};
  }
  // Whether the simulator says what it draws. In such a game one role at a time has a choice.
  virtual bool tells_moves() const { return false; }
  // Does as choose_at_random() or choose_by_policy(), and writes told[l] for every lane l of the mask.
  virtual void choose_and_tell(const std::uint64_t* mask, bool by_policy, ToldMove* told) {
    (void)mask, (void)by_policy, (void)told;
  }
  // Does as choose() for the one who moves, with what is told for the lanes of the mask.
  virtual void choose_told(const std::uint64_t* mask, const ToldMove* told) { (void)mask, (void)told; }
  // The role whose turn it is in a lane that is not terminal.
  virtual int mover(int lane) const {
    (void)lane;
    return -1;
  }
  // Where that is quick to tell and no role has more than 64 moves: the legal moves of the role whose turn it is, as bits,
  // in a lane that is not terminal.
  virtual bool has_legal_bits() const { return false; }
  virtual std::uint64_t legal_bits(int lane) const {
    (void)lane;
    return 0;
  }
  // Where the simulator looks that up without a list of all moves: writes the places of those among some different numbers
  // that are legal moves of that role and, by_policy, not what the policy is known to leave out, in ascending order, and
  // returns how many there are. Numbers from moves(role) on are not legal.
  virtual bool looks_up_legality() const { return false; }
  virtual std::uint32_t find_legal(int lane, bool by_policy, const std::uint32_t* moves, std::uint32_t count,
                                   std::uint32_t* places) {
    (void)lane, (void)by_policy, (void)moves, (void)count, (void)places;
    return 0;
  }
  // Ranks all moves by the value of each, values[role][move], which have to stay; null where the simulator knows no better
  // way to the best legal one than a list, or where its policy forces moves. For clones, too.
  virtual std::unique_ptr<MoveRanking> rank_moves(const float* const* values) const {
    (void)values;
    return nullptr;
  }
  // Of the role whose turn it is, in a lane that is not terminal, one of the legal moves of highest value, each with the
  // same probability by the lower half of `random`. The ranking is one of rank_moves(). Chooses nothing yet.
  virtual int best_move(int lane, const MoveRanking& ranking, std::uint64_t random) {
    (void)lane, (void)ranking, (void)random;
    return -1;
  }
  // Gives every role of the lanes in the mask a move: the only legal one, or what the chooser answers. The
  // chooser is asked in passes: in the first about the first role of each lane that has several legal
  // moves, in the next about the second, and so on. A role without a legal move gets none.
  virtual void choose_with(const std::uint64_t* mask, MoveChooser& chooser);

  // Whether the simulator has what follows: choices by rank in vectors of lanes, with a note of them instead of a list.
  virtual bool chooses_by_rank() const { return false; }
  // As choose_at_random(), but draws a rank and takes the legal move of that rank in the order of the role.
  virtual void choose_by_rank(const std::uint64_t* mask, const RankedChoice& choice) {
    (void)mask, (void)choice;
  }
  // Counts what was noted. Changes nothing of the lanes, and may be called at any time.
  virtual void count_occurred(const OccurredCount& what) const { (void)what; }

  // Says of the lanes in the mask whether choose_at_random(), choose_by_rank() and choose_with() look a move ahead there, as far as the
  // simulator can: the first of winning() is set without a draw or a question, and moves that let another role win at
  // once are left out while there are others. They do not at first.
  virtual void look_ahead(const std::uint64_t* mask, bool ahead) { (void)mask, (void)ahead; }

  virtual void step() = 0;

 private:
  ChoiceBuffers buffers_;  // sized by the first choose_with()
};

inline void Simulator::choose_with(const std::uint64_t* mask, MoveChooser& chooser) {
  int widest = 1;
  for (int role = 0; role < roles(); ++role) widest = std::max(widest, moves(role));
  const int blocks = (widest + 63) / 64;
  ChoiceBuffers& b = buffers_;
  b.moves.resize(lanes());
  b.list.resize(widest);
  for (int pass = 0;; ++pass) {
    bool any = false;
    b.lanes.assign(std::size_t(roles()) * groups(), 0);
    b.legal.assign(std::size_t(blocks) * lanes(), 0);
    for (int lane = 0; lane < lanes(); ++lane) {
      if ((mask[lane >> 6] >> (lane & 63) & 1) == 0) continue;
      for (int role = 0, several = 0; role < roles(); ++role) {
        const int count = legal(lane, role, b.list.data());
        if (count == 1 && pass == 0) choose(lane, role, b.list[0]);
        if (count <= 1 || several++ != pass) continue;
        any = true;
        b.lanes[std::size_t(role) * groups() + (lane >> 6)] |= std::uint64_t{1} << (lane & 63);
        for (int i = 0; i < count; ++i) {
          const int move = b.list[i];
          b.legal[(std::size_t(move / 64) * 64 + (lane & 63)) * groups() + (lane >> 6)] |= std::uint64_t{1} << (move % 64);
        }
      }
    }
    if (!any) return;
    chooser.choose({groups(), blocks, b.lanes.data(), b.legal.data(), b.moves.data()});
    for (int role = 0; role < roles(); ++role) {
      for (int lane = 0; lane < lanes(); ++lane) {
        if (b.lanes[std::size_t(role) * groups() + (lane >> 6)] >> (lane & 63) & 1) {
          choose(lane, role, static_cast<int>(b.moves[lane]));
        }
      }
    }
  }
}

}  // namespace ggp

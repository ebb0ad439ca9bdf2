// The whole tree of a small game of two players and perhaps chance, as a sequence form.
//
// All histories are played turn by turn. In a turn, players and chance do not know the moves of the others. Histories
// with equal states and equal information states of both players do not differ in any later turn, only in earlier moves
// of chance. So they are merged: their probabilities of chance are added. Only the histories of one turn are in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/random.hpp"
#include "hidden/hidden_game.hpp"
#include "hidden/sequence_form.hpp"

namespace ggp {

// Why a game has no sequence form.
enum class WholeGameProblem {
  kNone,
  kStopped,        // by the time limit or the caller
  kTooLarge,
  kNoGoal,         // a player has no goal value in some end
  kUnequalSums,    // the sums of the goals differ in two ends
  kNoMove,         // a role has no legal move before the end
  kUnknownMoves,   // a player cannot know its legal moves
};

struct WholeGameLimits {
  std::size_t histories = 1'000'000;  // to play, after merging
  double seconds = std::numeric_limits<double>::infinity();  // wall-clock time
  // Called ten times per second with the number of histories played; true ends the work.
  bool (*interrupted)(void*, std::size_t) = nullptr;
  void* context = nullptr;
  bool sees_moves = false;  // players see all moves, in place of percepts (GDL-I)
};

struct WholeGame {
  std::unique_ptr<SequenceForm> form;  // null if there is a problem
  WholeGameProblem problem = WholeGameProblem::kNone;
  int role = -1;             // of the problem
  int sums[2] = {-1, -1};    // the sum of the goals in the first end, and another sum
  double histories = 1;      // sequences of joint moves, each counted, including the empty one
  std::size_t played = 1;    // histories after merging
  bool at_once = false;      // whether both players have a choice in the same turn somewhere
};

// The hash of the moves of several roles, in their order: `hash` is the one of the moves before, 0 first. With
// `sees_moves`, a player's key after a turn is key_with_moves(next_key(key, own move, 0), the hash of all other roles).
inline std::uint64_t hash_with_move(std::uint64_t hash, int move) {
  return mix64(hash + static_cast<std::uint64_t>(move) + 1);
}
inline std::uint64_t key_with_moves(std::uint64_t key, std::uint64_t moves) { return mix64(key ^ moves); }

// Throws std::invalid_argument if the game does not have two players, and what the simulator throws.
WholeGame play_whole_game(HiddenGame& game, const WholeGameLimits& limits);

}  // namespace ggp

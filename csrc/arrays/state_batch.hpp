// A batch of up to W states of one game, which BatchArrays steps and reads between two turns. Networks
// (network/simulator/network_batch.hpp) and native games (games/common/module_batch.hpp) implement this interface.
//
// Lanes, masks, numbers of moves and packed states are as in simulator.hpp. The lanes in use are 0 .. count() - 1. Lane
// masks from the caller contain no other lanes. One turn:
//      call            what the call does
//   1  begin_turn()    makes the functions below valid for the present states; drops all moves
//   2  give()          sets any number of moves
//   3  play()          draws the other moves and replaces the states by their successors; the results of begin_turn()
//                      become invalid
// load() and store() may be called at any time between begin_turn() and give(). After load(), call begin_turn() again.
//
// No function allocates memory after its first calls, or uses Python. One thread at a time may use a batch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "simulator.hpp"

namespace ggp {

class StateBatch {
 public:
  // Stands for a move that is drawn uniformly from the legal moves.
  static constexpr std::int32_t kDraw = -1;

  // The simulator has at least `count` lanes.
  StateBatch(std::unique_ptr<Simulator> simulator, int count)
      : simulator_(std::move(simulator)), active_(simulator_->groups()), words_(simulator_->groups()), count_(count) {}
  virtual ~StateBatch() = default;

  // Number of words of a lane mask.
  int words() const { return words_; }
  int count() const { return count_; }
  int roles() const { return simulator_->roles(); }
  int moves(int role) const { return simulator_->moves(role); }
  int state_words() const { return simulator_->state_words(); }
  const std::uint64_t* initial() const { return simulator_->initial(); }
  virtual int fluents() const = 0;

  void seed(int lane, std::uint64_t seed) { simulator_->seed(lane, seed); }
  std::uint64_t stream(int lane) const { return simulator_->stream(lane); }
  void load(const std::uint64_t* mask, const std::uint64_t* const* states) { simulator_->load(mask, states); }
  void store(const std::uint64_t* mask, std::uint64_t* const* states) { simulator_->store(mask, states); }

  // ---- a turn
  virtual void begin_turn() {
    simulator_->evaluate();
    for (int w = 0; w < words_; ++w) {
      const int left = std::clamp(count_ - 64 * w, 0, 64);
      active_[w] = left == 0 ? 0 : ~terminal()[w] & ~std::uint64_t{0} >> (64 - left);
    }
    take_back();
  }
  const std::uint64_t* terminal() const { return simulator_->terminal(); }
  // Lane mask of the states that are not terminal in which a role has several legal moves; valid until give() or
  // draw().
  virtual const std::uint64_t* several(int role) = 0;
  // Sets the move moves[l] of a role in the lanes l of the mask, none of which is terminal. kDraw is allowed if
  // `may_draw` and leaves the move to play(). Stops at the first lane whose move is not legal and returns it; -1 if all
  // are legal.
  virtual int give(int role, const std::uint64_t* mask, const std::int32_t* moves, bool may_draw) = 0;
  // Drops all moves.
  virtual void take_back() = 0;
  // Plays in the lanes of the mask. Lanes of `held` keep their states. All other lanes must be loaded before the next
  // turn.
  virtual void play(const std::uint64_t* mask, const std::uint64_t* held) = 0;
  // Draws moves in all lanes that are not terminal, as play() does, but does not play. Until take_back(), drawn()
  // writes the move of a role to out[l] in the lanes l of a mask.
  virtual void draw() = 0;
  virtual void drawn(int role, const std::uint64_t* mask, std::int32_t* out) = 0;

  // ---- arrays: rows of count() bytes, row i starts at out + i * stride. Terminal states have no legal moves here.
  virtual void fluent_bytes(std::uint8_t* out, std::size_t stride) = 0;
  virtual void legal_bytes(int role, std::uint8_t* out, std::size_t stride) = 0;
  // For each lane, the legal moves of one role: the role whose mask contains the lane. Each role has a mask of words()
  // words. The number of rows is the number of moves of the role with the most moves.
  virtual void movers_legal_bytes(const std::uint64_t* of_mover, std::uint8_t* out, std::size_t stride) = 0;
  // The goals of all roles in the lanes of a mask, which are terminal; -1 if no goal holds, else the highest goal.
  virtual void goals(const std::uint64_t* mask, std::int8_t* out, std::size_t stride) = 0;
  // Rows of words() words.
  virtual void legal_words(int role, std::uint64_t* out, std::size_t stride) = 0;
  // fluents() * words() words, always at the same address; bits of lanes that are not in use are undefined.
  virtual const std::uint64_t* fluent_words() = 0;

  // ---- hidden information (GDL-II); without it, no role has percepts
  // The number of percepts of a role.
  virtual int percepts(int) const { return 0; }
  // Lets play() evaluate percepts from now on.
  virtual void record_percepts() {}
  // What a role perceived in the latest play(); 0 in lanes that did not play. Valid until the next play().
  virtual void percept_bytes(int, std::uint8_t*, std::size_t) {}

 protected:
  const std::unique_ptr<Simulator> simulator_;
  std::vector<std::uint64_t> active_;  // lane mask: in use and not terminal

 private:
  const int words_, count_;
};

// The batches that n states need; all batches but the last are full.
using BatchParts = std::vector<std::unique_ptr<StateBatch>>;

// make(count) returns a batch of `lanes` lanes; the first `count` of them are in use.
template <class Make>
BatchParts make_batch_parts(int n, int lanes, Make make) {
  BatchParts parts;
  for (int first = 0; first < n; first += lanes) parts.push_back(make(n - first < lanes ? n - first : lanes));
  return parts;
}

}  // namespace ggp

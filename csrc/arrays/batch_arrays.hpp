// States of one game as arrays over lanes, for callers that choose moves outside the core: learning, statistics.
//
// The n states are divided into batches (state_batch.hpp), which several threads may share. Between two turns every
// lane is evaluated. In a turn, the given moves are set, the other moves are drawn, and the lanes step. So a turn costs
// little more than in a play-out.
//
// The lane is the last index of an array: fluents [fluents, n], legal moves of a role [moves, n]. As bytes, the values
// are 0 and 1. As words, lane l of a part is bit l % 64 of word l / 64. Terminal states have no legal moves in these
// arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/lane_workers.hpp"
#include "arrays/state_batch.hpp"

namespace ggp {

// The first move of a turn that cannot be played; lane is -1 if all moves can be played. If `at_once` is set, several
// roles have a choice in this lane, and `role` is not the mover.
struct WrongMove {
  int lane = -1;
  int role = 0;
  int move = 0;
  bool at_once = false;
};

class BatchArrays {
 public:
  static constexpr std::int32_t kDraw = StateBatch::kDraw;

  // All lanes start in the initial state. The object has at least one part and one thread. The role `chance` (-1 for
  // none) is never the mover. Moves of chance are drawn unless they are given.
  BatchArrays(BatchParts parts, int threads, int chance);

  int lanes() const { return lanes_; }
  int parts() const { return static_cast<int>(parts_.size()); }
  // Number of words of a lane mask of a part.
  int part_words() const { return words_; }
  int roles() const { return game().roles(); }
  int moves(int role) const { return game().moves(role); }
  int fluents() const { return game().fluents(); }
  int state_words() const { return game().state_words(); }
  // The fluents of a part, fluents() * part_words() words; bits of lanes from n on are undefined. The address never
  // changes; the first call after load() or step() writes the words again.
  const std::uint64_t* fluent_words(int part) { return parts_[part].states->fluent_words(); }

  // Starts the stream of random numbers of each lane.
  void seed(const std::uint64_t* seeds);
  // Writes the current state of each stream, by lane; seed() with these values continues the streams.
  void streams(std::uint64_t* out) const;
  // Loads states (n * state_words() words; null: the initial state) into the lanes with a nonzero byte in `mask`; a
  // null mask means all lanes.
  void load(const std::uint8_t* mask, const std::uint64_t* states);
  void store(std::uint64_t* states);

  // Plays a turn in every lane that is not terminal. Terminal lanes and lanes with a nonzero byte in `held` keep their
  // states. Lanes with a nonzero byte in `fresh` get the initial state instead of a turn. Both may be null.
  //   moves: [roles, n]; with `of_movers` [n], the moves of mover(), and the other moves are drawn. A move is a number,
  //          or kDraw if `may_draw`. Moves of lanes that do not play are not read.
  // If a move is wrong, no lane plays.
  WrongMove step(const std::int32_t* moves, bool of_movers, bool may_draw, const std::uint8_t* held,
                 const std::uint8_t* fresh);
  // Draws a move for each role (with `of_movers`: for mover()) as step() does, but does not play. The move is kDraw in
  // terminal lanes.
  void sample(std::int32_t* moves, bool of_movers);

  // ---- arrays of n bytes for each value of the first index
  void fluent_bytes(std::uint8_t* out);
  void legal_bytes(int role, std::uint8_t* out);
  // Legal moves of mover(); `out` has as many rows as the role with the most moves has moves.
  void movers_legal_bytes(std::uint8_t* out);
  void terminal(std::uint8_t* out);
  // The first role with a choice, or role 0 if no role has a choice; -1 in terminal states. Chance is skipped.
  void mover(std::int8_t* out);
  // The roles with a choice in a lane, without chance: bit r stands for role r, and bit 62 for all roles from 62 on;
  // -1 in a terminal state.
  std::int64_t choosers(int lane);
  // Whether a role has a choice.
  void choice_bytes(int role, std::uint8_t* out);
  // Goals 0..100 of all roles in terminal states, the highest of several; -1 in other states and if no goal holds.
  void goals(std::int8_t* out);
  // [moves, parts * part_words()] words
  void legal_words(int role, std::uint64_t* out);

  // ---- hidden information; see StateBatch
  int percepts(int role) const { return game().percepts(role); }
  void record_percepts();
  // What a role perceived in the latest step(), [percepts, n]; 0 in lanes that did not play. Requires
  // record_percepts().
  void percept_bytes(int role, std::uint8_t* out);

 private:
  struct Part {
    std::unique_ptr<StateBatch> states;
    int first;                                                 // first lane of the part
    std::vector<std::uint64_t> used, playing, held, fresh;     // lane masks
    std::vector<std::uint64_t> row, of_mover;                  // scratch: a lane mask; lanes by mover
    bool knows_movers = false;
    std::vector<const std::uint64_t*> sources;
    std::vector<std::uint64_t*> targets;
    WrongMove wrong;
  };
  const StateBatch& game() const { return *parts_[0].states; }
  template <class Work>
  void each(Work work) {
    workers_.run(parts(), [&](int part) { work(parts_[part]); });
  }
  // Writes the lanes of a part with a nonzero byte in `bytes` to `mask`.
  void read_mask(const Part& part, const std::uint8_t* bytes, std::vector<std::uint64_t>& mask) const;
  void begin_turn(Part& part);
  // Finds the mover of each lane and writes part.of_mover.
  void find_movers(Part& part) const;
  // Sets the given moves in the lanes that play.
  WrongMove give(Part& part, const std::int32_t* moves, bool of_movers, bool may_draw) const;
  // Returns a playing lane in which another role than the mover has a choice.
  WrongMove at_once(const Part& part) const;

  const int chance_;
  int lanes_ = 0, words_ = 0;
  int first_role_ = 0;  // the first role that is not chance
  std::vector<Part> parts_;
  LaneWorkers workers_;
};

}  // namespace ggp

// States of one game as arrays over lanes, for users that choose the moves outside the core: learning, statistics.
//
// The n states are divided into batches (state_batch.hpp), which several threads may share. Between two turns every
// lane is evaluated, so that a turn costs little more than in a play-out: the given moves are set, the others are
// drawn, and the lanes step.
//
// Arrays have the lane as their last index: fluents [fluents, n], legal moves of a role [moves, n]. As bytes they are
// 0 and 1; as words, lane l of a part is bit l % 64 of word l / 64. Legal moves of terminal states are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "arrays/lane_workers.hpp"
#include "arrays/state_batch.hpp"

namespace ggp {

// The first move of a turn that cannot be played; lane -1 where all can. With `at_once` it is the lane in which the
// role has a choice beside the mover.
struct WrongMove {
  int lane = -1;
  int role = 0;
  int move = 0;
  bool at_once = false;
};

class BatchArrays {
 public:
  static constexpr std::int32_t kDraw = StateBatch::kDraw;

  // All lanes in the initial state. There is at least one part, and one thread. The role `chance`, -1 for none, is
  // nobody who moves: of its moves those that are not given are drawn.
  BatchArrays(BatchParts parts, int threads, int chance);

  int lanes() const { return lanes_; }
  int parts() const { return static_cast<int>(parts_.size()); }
  // Words of a lane mask of a part.
  int part_words() const { return words_; }
  int roles() const { return game().roles(); }
  int moves(int role) const { return game().moves(role); }
  int fluents() const { return game().fluents(); }
  int state_words() const { return game().state_words(); }
  // The fluents of a part, fluents() * part_words() words, in which bits of lanes from n on mean nothing; always at the
  // same place, where they are written anew when they are asked for after load() or step().
  const std::uint64_t* fluent_words(int part) { return parts_[part].states->fluent_words(); }

  // Starts the stream of random numbers of each lane.
  void seed(const std::uint64_t* seeds);
  // Writes the present state of each stream, by lane; seed() with these continues the streams.
  void streams(std::uint64_t* out) const;
  // Puts states, n * state_words() words, or the initial one where they are null, into the lanes in which `mask` is not
  // 0, or all of them where that is null.
  void load(const std::uint8_t* mask, const std::uint64_t* states);
  void store(std::uint64_t* states);

  // Plays a turn in every lane that is not terminal. Terminal lanes, and those in which `held` is not 0, keep their
  // states; those in which `fresh` is not 0 get the initial one instead of a turn. Either may be null.
  //   moves: [roles, n], or of_movers [n], the moves of mover() alone, those of the others being drawn; each a number or
  //   kDraw, which is wrong unless `may_draw`. Those of lanes that do not play are not read.
  // Where a move is wrong nothing is played.
  WrongMove step(const std::int32_t* moves, bool of_movers, bool may_draw, const std::uint8_t* held,
                 const std::uint8_t* fresh);
  // Draws a move for each role, or of_movers for mover(), as step() would, and plays none; kDraw in terminal lanes.
  void sample(std::int32_t* moves, bool of_movers);

  // ---- arrays of n bytes for each of the first index
  void fluent_bytes(std::uint8_t* out);
  void legal_bytes(int role, std::uint8_t* out);
  // Legal moves of mover(); `out` has a row for each move of the role that has the most.
  void movers_legal_bytes(std::uint8_t* out);
  void terminal(std::uint8_t* out);
  // The first role with a choice; the first of all where no role has one; -1 in terminal states. Chance is passed over.
  void mover(std::int8_t* out);
  // The roles with a choice in a lane, chance left out: bit r stands for role r, and those from 62 on share the last;
  // -1 in a terminal state.
  std::int64_t choosers(int lane);
  // Whether a role has a choice.
  void choice_bytes(int role, std::uint8_t* out);
  // Goals 0..100 of all roles in terminal states, -1 in others and where none holds; the highest of several.
  void goals(std::int8_t* out);
  // [moves, parts * part_words()] words
  void legal_words(int role, std::uint64_t* out);

 private:
  struct Part {
    std::unique_ptr<StateBatch> states;
    int first;                                                 // lane
    std::vector<std::uint64_t> used, playing, held, fresh;     // lane masks
    std::vector<std::uint64_t> row, of_mover;                  // scratch: a lane mask; for each role where it is the mover
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
  // Writes the lanes of a part in which `bytes` is not 0 to `mask`.
  void read_mask(const Part& part, const std::uint8_t* bytes, std::vector<std::uint64_t>& mask) const;
  void begin_turn(Part& part);
  // Finds the mover of each lane, part.of_mover.
  void find_movers(Part& part) const;
  // Sets the moves that are given in the lanes that play.
  WrongMove give(Part& part, const std::int32_t* moves, bool of_movers, bool may_draw) const;
  // A lane that plays in which another role than the mover has a choice.
  WrongMove at_once(const Part& part) const;

  const int chance_;
  int lanes_ = 0, words_ = 0;
  int first_role_ = 0;  // that is not chance
  std::vector<Part> parts_;
  LaneWorkers workers_;
};

}  // namespace ggp

// Play-outs by a forest of reply trees (reply_forest.hpp, with the paper, the formula and its symbols).
//
// Learning, Algorithm 1: when a simulation ends, the moves of its tree part are processed from the last to the first.
// Each is learned as a reply to the moves before it, with the outcome for its role: its reward, mapped from -1 .. 1 to
// 0 .. 1. The play-out is not learned. Contexts begin after the root of the search.
//
// Playing, Algorithm 3: with probability epsilon the forest is used. It draws one of the legal replies to the previous
// plies by Eq. 1, and plays it with a probability by `playout.forest.acceptance`:
//   u            u(r|c), which exceeds 1 if there is little data: the comparison that Algorithm 3 prints
//   mean         x_{r|c}
//   probability  P(r|c) of Eq. 1
// If the forest does not play, or knows no reply, or is not used, the default policy moves. The previous plies go back
// beyond the root, to the beginning of the match.
//
// The contexts of the replies, `playout.forest.context`: "longest" is the longest context with a legal reply, one c for
// all of Eq. 1. "each" is the longest context of each legal move, as in Algorithm 3; N belongs to this context.
//
// The default policy is uniform or, with `playout.forest.fallback`, a policy of a native game. Simulators with
// ReportedMoves draw themselves; otherwise the draw is made here, among the legal moves. If the default policy is a
// policy of the game and the game supports it, replies that this policy never draws count as illegal: in Go, passes and
// moves into own eyes.
//
// As in N-grams, only choices count: a ply without a choice is not part of a sequence, and a ply in which several roles
// choose is represented by all its choices together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/lane_mask.hpp"
#include "base/random.hpp"
#include "interfaces/legality.hpp"
#include "interfaces/reported_moves.hpp"
#include "search/config/config.hpp"
#include "search/playout/recorded_playout.hpp"
#include "search/playout/reply_forest.hpp"
#include "search/playout/sampling.hpp"

namespace ggp {

// The moves of the current play-outs, as ReportedMoves reports them: without copies, in a row of all lanes for each
// turn. The rows are a ring, which doubles for longer play-outs.
class ReportedPlies {
 public:
  explicit ReportedPlies(int lanes) : lanes_(static_cast<std::size_t>(lanes)), began_(lanes_, 0) {}

  // The play-out of a lane begins with the next turn.
  void begin(int lane) { began_[lane] = turn_; }
  // The row of a new turn, by lane; the caller must write all lanes of the mask.
  ReportedMove* next(const LaneMask& mask) {
    if (turn_ == full_at_) make_room(mask);
    return row(turn_++);
  }

  // Turns are numbered consecutively; the play-out of a lane has the turns first() .. turn() - 1. Of a play-out of more
  // than kMostRows turns only the latest are kept.
  std::uint64_t turn() const { return turn_; }
  std::uint64_t first(int lane) const {
    return std::max(began_[lane], turn_ < kMostRows ? std::uint64_t{0} : turn_ - kMostRows);
  }
  const ReportedMove& at(std::uint64_t turn, int lane) const {
    return rows_[(turn & (count_ - 1)) * lanes_ + std::size_t(lane)];
  }

 private:
  static constexpr std::uint64_t kMostRows = MoveLearner::kLongest, kFewestRows = 64;

  ReportedMove* row(std::uint64_t turn) { return &rows_[(turn & (count_ - 1)) * lanes_]; }
  // Drops rows that are older than the play-outs of the mask, and makes as many rows free as these play-outs have.
  void make_room(const LaneMask& mask) {
    std::uint64_t oldest = turn_;
    for (std::size_t group = 0; group < mask.size(); ++group)
      for_each_lane(static_cast<int>(group), mask[group], [&](int lane) { oldest = std::min(oldest, began_[lane]); });
    std::uint64_t count = std::max(count_, kFewestRows);
    while (count < 2 * (turn_ - oldest) && count < kMostRows) count *= 2;
    if (count != count_) {
      ReportedPlies wider(static_cast<int>(lanes_));
      wider.count_ = count;
      wider.rows_.resize(count * lanes_);
      for (std::uint64_t turn = oldest; turn < turn_; ++turn) std::copy_n(row(turn), lanes_, wider.row(turn));
      rows_.swap(wider.rows_);
      count_ = count;
    }
    full_at_ = std::max(oldest + count_, turn_ + 1);
  }

  const std::size_t lanes_;
  std::vector<std::uint64_t> began_;  // by lane
  std::vector<ReportedMove> rows_;
  std::uint64_t count_ = 0;           // number of rows: a power of two, or 0
  std::uint64_t turn_ = 0, full_at_ = 0;
};

// The way in which simulators draw the moves of a fallback policy.
MoveDraw draw_of(ReplyForestConfig::Fallback fallback);

class ReplyPlayout final : public RecordedPlayout {
 public:
  ReplyPlayout(const ReplyForestConfig& config, Simulator& simulator);

  void choose(Lanes& lanes, const std::uint64_t* mask) override;

  const ReplyForest& forest() {
    learn_made();
    return forest_;
  }
  // The number of a move in the forest.
  std::uint32_t reply(int role, int move) const { return first_of_[role] + static_cast<std::uint32_t>(move); }
  // The key of a ply in which one role had a choice.
  static std::uint64_t key(RoleMove choice) {
    return mix64((std::uint64_t{static_cast<std::uint32_t>(choice.role)} << 32 |
                  static_cast<std::uint32_t>(choice.move)) +
                 1);
  }

 private:
  void reset() override;
  void played(const std::vector<RoleMove>& choices) override;
  void begin(int lane, std::uint64_t seed) override;
  const std::vector<Chosen>& choices(int lane) const override;
  void learn(int lane, const double* rewards) override;
  void archive(Archive& archive) override {
    forest_.archive(archive);
    archive(past_, plies_, made_);
  }
  void pick(const Choices& choices, int role, bool same_ply) override;

  void learn_made();
  void choose_by_simulator(Lanes& lanes, const std::uint64_t* mask);
  // A lane whose current ply uses the forest.
  struct Asking {
    int lane, role;
    std::uint64_t turn, first;     // reported turns of the play-out that are not matched yet: first .. turn - 1
    std::size_t left, before;      // unmatched other choices of the simulation, and plies before the root
    std::size_t length;            // number of plies of the longest matching context
    ReplyForest::Context context;  // the most recent context
    std::uint64_t ply;             // the key of its last ply
  };
  bool asks_forest(int lane) { return explores(draw(random()[lane]), epsilon_); }
  // What add() has recorded: the choices in the tree if the simulator reports its moves, otherwise all choices.
  const std::vector<Chosen>& recorded(int lane) const { return RecordedPlayout::choices(lane); }
  void ask(int lane, int role, bool same_ply);
  // Moves to the ply before the matched plies of a lane; returns false if there is none.
  bool next_ply(Asking& asking) {
    while (asking.turn > asking.first) {
      const ReportedMove& reported = reported_.at(--asking.turn, asking.lane);
      if (reported.role < 0) continue;
      asking.ply = key({reported.role, reported.move});
      return true;
    }
    return next_recorded_ply(asking);
  }
  bool next_recorded_ply(Asking& asking);
  void match();
  // The contexts of a lane that uses the forest, by length.
  ReplyForest::Context* contexts_of(const Asking& asking) {
    return &contexts_[std::size_t(asking.lane) * config_.longest];
  }
  void leave_tree(int lane) {
    if (tree_choices_[lane] == kAll) tree_choices_[lane] = static_cast<std::uint32_t>(recorded(lane).size());
  }
  int draw_legal_reply(Simulator& simulator, const Asking& asking);
  template <class FindLegal>
  int draw_reply(const Asking& asking, FindLegal find_legal);

  const ReplyForestConfig config_;
  const std::uint64_t epsilon_;         // epsilon * 2^32
  const MoveDraw fallback_;
  // Interfaces of the simulator, null if it does not have them.
  ReportedMoves* const reported_moves_;
  BitwiseLegality* const bitwise_legality_;
  LegalityLookup* const legality_lookup_;
  std::vector<std::uint32_t> first_of_; // by role: the number of its first move; then the number of all moves
  ReplyForest forest_;
  std::vector<std::uint64_t> past_;     // the keys of the latest plies before the root
  std::vector<std::uint32_t> tree_choices_;  // by lane: number of choices in the tree; kAll before the play-out
  static constexpr std::uint32_t kAll = ~std::uint32_t{0};
  LaneMask by_default_, by_reply_;
  // Data to learn before the forest is used again: the keys of the plies of tree parts, and their moves.
  static constexpr std::size_t kMade = 64;  // number of these moves at which they are learned
  std::vector<std::uint64_t> plies_;
  std::vector<ReplyForest::Made> made_;
  // Scratch: lanes that use the forest, and the part of them that still match; matching contexts, by lane and length;
  // replies, legal replies, their weights and means.
  std::vector<Asking> asking_;
  std::vector<Asking*> matching_;
  std::vector<ReplyForest::Context> contexts_;
  std::vector<std::uint32_t> listed_, places_, moves_;
  std::vector<float> weights_, means_, below_;  // below_: sums of the weights so far
  std::vector<std::uint64_t> taken_, legal_;  // moves as bits; clear between draws
  std::vector<int> list_;               // of legal moves
  ReportedPlies reported_;
  mutable std::vector<Chosen> all_;     // scratch of choices()
};

}  // namespace ggp

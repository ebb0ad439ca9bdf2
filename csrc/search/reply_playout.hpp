// Play-outs by a forest of reply trees (reply_forest.hpp, which has the paper, the formula and its symbols).
//
// Learning, Algorithm 1: when a simulation ends, the moves of its tree part are taken from the last to the first, and each
// is learned as a reply to those before it, with the outcome for the role that made it: its reward, from -1 .. 1 to
// 0 .. 1. The play-out part is not learned. Contexts begin behind the root of the search.
//
// Playing, Algorithm 3: with probability epsilon the forest is asked. It draws one of the legal replies to the plies
// before by Eq. 1, and plays it with probability u(r|c), which is more than 1 where little is known; if it does not, or
// knows no reply, as where it is not asked, the default policy moves. The plies before go back beyond the root, to the
// beginning of the match.
//
// Which contexts the replies are taken from, `playout.forest.context`: "longest" is the longest one that has a legal reply,
// the same c for all of Eq. 1; "each" is for each legal move the longest that it has, as in Algorithm 3, N being that of
// its own context.
//
// The default policy is uniform or, with `playout.forest.fallback`, that of a hand-coded game. Simulators that say what
// they draw draw by themselves; else it is done here, among the legal moves. Where the policy of the game is behind the
// forest and the game can tell, replies that this policy never draws count as illegal: in Go, passes and moves into own
// eyes.
//
// As in N-grams, only choices count: a ply in which nobody has a choice is no part of a sequence, and what stands for a
// ply in which several roles choose are all its choices together.
#pragma once

#include <cstdint>
#include <vector>

#include "random.hpp"
#include "search/config.hpp"
#include "interfaces/legality.hpp"
#include "interfaces/reported_moves.hpp"
#include "search/recorded_playout.hpp"
#include "search/reply_forest.hpp"
#include "search/sampling.hpp"
#include "search/reported_plies.hpp"

namespace ggp {

class ReplyPlayout final : public RecordedPlayout {
 public:
  ReplyPlayout(const ReplyForestConfig& config, Simulator& simulator);

  void choose(Lanes& lanes, const std::uint64_t* mask) override;

  const ReplyForest& forest() {
    learn_made();
    return forest_;
  }
  // The number by which the forest knows a move.
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
  // A lane whose ply asks the forest.
  struct Asking {
    int lane, role;
    std::uint64_t turn, first;     // reported turns of the play-out that are not matched yet: first .. turn - 1
    std::size_t left, before;      // other choices of the simulation and plies before the root that are not, either
    std::size_t length;            // plies of the longest context that matches
    ReplyForest::Context context;  // the last that was looked for
    std::uint64_t ply;             // its last key
  };
  bool asks_forest(int lane) { return explores(draw(random()[lane]), epsilon_); }
  // What add() has recorded: the choices in the tree where the simulator reports its moves, otherwise all choices.
  const std::vector<Chosen>& recorded(int lane) const { return RecordedPlayout::choices(lane); }
  void ask(int lane, int role, bool same_ply);
  // The key of the ply before those that a lane has matched; false where there is none.
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
  // The contexts of a lane that asks, by length.
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
  const std::uint64_t epsilon_;         // * 2^32
  // Interfaces of the simulator, null where it does not have them.
  ReportedMoves* const reported_moves_;
  BitwiseLegality* const bitwise_legality_;
  LegalityLookup* const legality_lookup_;
  std::vector<std::uint32_t> first_of_; // by role: the number of its first move; behind them that of all moves
  ReplyForest forest_;
  std::vector<std::uint64_t> past_;     // the keys of the latest plies before the root
  std::vector<std::uint32_t> tree_choices_;  // by lane: choices in the tree; kAll where no play-out has begun
  static constexpr std::uint32_t kAll = ~std::uint32_t{0};
  LaneMask by_default_, by_reply_;
  // What is to be learned before the forest is asked again: the keys of the plies of tree parts, and their moves.
  static constexpr std::size_t kMade = 64;  // of these moves, or little more
  std::vector<std::uint64_t> plies_;
  std::vector<ReplyForest::Made> made_;
  // Scratch: lanes that ask, and those of them that still match; contexts that match, by lane and length; replies,
  // legal ones and what they are worth.
  std::vector<Asking> asking_;
  std::vector<Asking*> matching_;
  std::vector<ReplyForest::Context> contexts_;
  std::vector<std::uint32_t> listed_, places_, moves_;
  std::vector<float> weights_, below_;  // below_: sums of the weights so far
  std::vector<std::uint64_t> taken_, legal_;  // moves as bits; clear between draws
  std::vector<int> list_;               // of legal moves
  ReportedPlies reported_;
  mutable std::vector<Chosen> all_;     // scratch of choices()
};

}  // namespace ggp

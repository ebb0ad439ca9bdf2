#include "search/playout/reply_playout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "search/playout/draw_moves.hpp"

namespace ggp {

namespace {

// Writes the indices of the replies that are legal moves (a role has `all` moves), and sums their visits. word(i) is
// the i-th word of the set of legal moves; `first` is the number of the first move of the role.
template <class Word>
std::uint32_t find_in_words(ReplyForest::Replies replies, std::uint32_t first, std::uint32_t all, std::uint32_t* places,
                            std::uint64_t& visits, Word word) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < replies.count; ++i) {
    const std::uint32_t move = replies.first[i].number - first;
    places[found] = i;
    const std::uint32_t is_legal = move < all && (word(move / 64) >> (move % 64) & 1);
    visits += replies.first[i].visits & (0 - is_legal);
    found += is_legal;
  }
  return found;
}

// Number of sums of weights that are compared together.
constexpr std::uint32_t kAhead = 4;

// sqrt(ln n)
constexpr std::uint64_t kKnownLogRoots = 1024;
const std::array<float, kKnownLogRoots> kRootsOfLogs = [] {
  std::array<float, kKnownLogRoots> made{};
  for (std::uint64_t n = 1; n < kKnownLogRoots; ++n) made[n] = std::sqrt(std::log(static_cast<float>(n)));
  return made;
}();
float root_of_log(std::uint64_t n) {
  return n < kKnownLogRoots ? kRootsOfLogs[n] : std::sqrt(std::log(static_cast<float>(n)));
}

}  // namespace

MoveDraw draw_of(ReplyForestConfig::Fallback fallback) {
  using Fallback = ReplyForestConfig::Fallback;
  return fallback == Fallback::kGame        ? MoveDraw::kPolicy
         : fallback == Fallback::kGameLight ? MoveDraw::kLight
                                            : MoveDraw::kUniform;
}

ReplyPlayout::ReplyPlayout(const ReplyForestConfig& config, Simulator& simulator)
    : RecordedPlayout(simulator),
      config_(config),
      epsilon_(static_cast<std::uint64_t>(config.epsilon * 0x1p32)),
      fallback_(draw_of(config.fallback)),
      reported_moves_(simulator.optional_interface<ReportedMoves>()),
      bitwise_legality_(simulator.optional_interface<BitwiseLegality>()),
      legality_lookup_(simulator.optional_interface<LegalityLookup>()),
      forest_(config.memory_bytes, config.longest, simulator.roles()),
      tree_choices_(simulator.lanes(), kAll),
      by_default_(simulator.groups()),
      by_reply_(simulator.groups()),
      contexts_(std::size_t{config.longest} * simulator.lanes()),
      reported_(simulator.lanes()) {
  std::uint32_t all = 0, widest = 0;
  for (const int count : moves_by_role(simulator)) {
    first_of_.push_back(all);
    all += static_cast<std::uint32_t>(count);
    widest = std::max(widest, static_cast<std::uint32_t>(count));
  }
  first_of_.push_back(all);
  listed_.resize(all);
  places_.resize(all + 1);
  moves_.resize(widest);
  weights_.resize(widest);
  means_.resize(widest);
  below_.resize(widest + kAhead);
  taken_.resize((widest + 63) / 64);
  if (reported_moves_ != nullptr) {
    legal_.resize(taken_.size());
    list_.resize(widest);
  }
}

void ReplyPlayout::reset() {
  plies_.clear();
  made_.clear();
  forest_.clear();
  past_.clear();
}

void ReplyPlayout::played(const std::vector<RoleMove>& choices) {
  learn_made();
  forest_.make_room();
  if (choices.empty()) return;
  std::uint64_t ply = 0;
  for (const RoleMove& choice : choices) ply += key(choice);
  if (past_.size() == config_.longest) past_.erase(past_.begin());
  past_.push_back(ply);
}

// ---- learning

void ReplyPlayout::begin(int lane, std::uint64_t seed) {
  RecordedPlayout::begin(lane, seed);
  tree_choices_[lane] = kAll;
  reported_.begin(lane);
}

const std::vector<Chosen>& ReplyPlayout::choices(int lane) const {
  if (reported_.first(lane) == reported_.turn()) return recorded(lane);
  all_ = recorded(lane);
  for (std::uint64_t turn = reported_.first(lane); turn < reported_.turn() && all_.size() < kLongest; ++turn) {
    const ReportedMove& reported = reported_.at(turn, lane);
    if (reported.role < 0) continue;
    all_.push_back({static_cast<std::uint32_t>(reported.move), static_cast<std::uint16_t>(reported.role), false});
  }
  return all_;
}

void ReplyPlayout::learn(int lane, const double* rewards) {
  leave_tree(lane);
  const std::vector<Chosen>& choices = recorded(lane);
  const std::size_t first = plies_.size();
  for (std::size_t i = 0; i < tree_choices_[lane]; ++i) {
    if (!choices[i].same_ply) plies_.push_back(0);
    plies_.back() += key({choices[i].role, static_cast<int>(choices[i].move)});
  }
  std::size_t end = plies_.size();  // end of the plies before the current choice, including its own ply
  for (std::size_t i = tree_choices_[lane]; i-- > 0;) {
    const Chosen& choice = choices[i];
    ReplyForest::Made& made = made_.emplace_back();
    made.first = first;
    made.end = end - 1;
    made.role = choice.role;
    made.reply = reply(choice.role, static_cast<int>(choice.move));
    made.outcome = static_cast<float>((rewards[choice.role] + 1) / 2);
    end -= !choice.same_ply;
  }
  if (made_.size() >= kMade) learn_made();
}

// Simulations that end in one round are learned together.
void ReplyPlayout::learn_made() {
  forest_.learn(plies_.data(), made_.data(), made_.size());
  plies_.clear();
  made_.clear();
}

// ---- playing

// Stores a lane whose ply uses the forest; `same_ply` if some choices of the ply are stored already.
void ReplyPlayout::ask(int lane, int role, bool same_ply) {
  const std::vector<Chosen>& choices = recorded(lane);
  Asking& asking = asking_.emplace_back();  // in place: copying a value after writing its parts is slow
  asking.lane = lane;
  asking.role = role;
  asking.turn = reported_.turn();
  asking.first = reported_.first(lane);
  asking.left = choices.size();
  asking.before = past_.size();
  asking.length = 0;
  asking.context = ReplyForest::empty(role);
  if (!same_ply) return;
  while (choices[--asking.left].same_ply) {
  }
}

// next_ply() for plies that the simulator has not reported.
bool ReplyPlayout::next_recorded_ply(Asking& asking) {
  if (asking.left > 0) {
    const Chosen* choice = recorded(asking.lane).data() + asking.left;
    asking.ply = 0;
    do {
      --choice, --asking.left;
      asking.ply += key({choice->role, static_cast<int>(choice->move)});
    } while (choice->same_ply);
    return true;
  }
  if (asking.before == 0) return false;
  asking.ply = past_[--asking.before];
  return true;
}

// Finds, by length, the contexts that match the plies of the lanes that use the forest. All lanes go back one ply
// before any lane goes back a second ply, so that memory accesses overlap.
void ReplyPlayout::match() {
  if (!made_.empty()) learn_made();
  matching_.clear();
  for (Asking& asking : asking_) matching_.push_back(&asking);
  for (std::size_t length = 0; length < config_.longest && !matching_.empty(); ++length) {
    std::size_t left = 0;
    for (Asking* asking : matching_) {
      if (!next_ply(*asking)) continue;
      forest_.expect_longer(asking->context, asking->ply);
      matching_[left++] = asking;
    }
    matching_.resize(left);
    left = 0;
    for (Asking* asking : matching_) {
      const ReplyForest::Context context = forest_.longer(asking->context, asking->ply);
      const bool known = context != ReplyForest::kNone;  // unpredictable, so there is no branch
      asking->context = context;
      contexts_of(*asking)[length] = context;
      asking->length += known;
      forest_.expect_list(known ? context : asking->role);
      matching_[left] = asking;
      left += known;
    }
    matching_.resize(left);
  }
  for (const Asking& asking : asking_)
    if (asking.length > 0) forest_.expect_replies(contexts_of(asking)[asking.length - 1]);
}

// Draws a legal reply by Eq. 1, and returns its move; -1 if no legal reply is known or the reply is not accepted.
// find_legal(replies, visits) writes the indices of legal replies to places_, sums their visits, and returns their
// number.
template <class FindLegal>
int ReplyPlayout::draw_reply(const Asking& asking, FindLegal find_legal) {
  using Acceptance = ReplyForestConfig::Acceptance;
  const bool each = config_.context == ReplyForestConfig::Context::kEach;
  const bool by_mean = config_.acceptance == Acceptance::kMean;
  const std::uint32_t first = first_of_[asking.role];
  const auto bias = static_cast<float>(config_.bias);
  const std::uint32_t* const places = places_.data();
  std::uint32_t* const moves = moves_.data();
  float *const weights = weights_.data(), *const below = below_.data();
  std::uint32_t found = 0;  // number of replies so far
  float sum = 0;
  for (std::size_t length = asking.length; length > 0 && (found == 0 || each); --length) {
    const ReplyForest::Replies replies = forest_.replies(contexts_of(asking)[length - 1]);
    std::uint64_t visits = 0;
    const std::uint32_t legal = find_legal(replies, visits);
    const float width = bias * root_of_log(visits);
    for (std::uint32_t i = 0; i < legal; ++i) {
      const ReplyForest::Reply& reply = replies.first[places[i]];
      const std::uint32_t move = reply.number - first;
      if (each) {
        if (taken_[move / 64] >> (move % 64) & 1) continue;
        taken_[move / 64] |= std::uint64_t{1} << (move % 64);
      }
      moves[found] = move;
      weights[found] = std::max(reply.mean + width * reply.inverse_root, 0.0f);
      if (by_mean) means_[found] = reply.mean;
      below[found] = sum += weights[found];
      ++found;
    }
  }
  if (each)
    for (std::uint32_t i = 0; i < found; ++i) taken_[moves[i] / 64] = 0;
  if (found == 0) return -1;
  const std::uint64_t random = draw(this->random()[asking.lane]);
  const float drawn = sum * (static_cast<float>(random >> 40) * 0x1p-24f);
  // The search visits all blocks of four: its end is predictable, the index is not.
  std::fill_n(below + found - 1, kAhead, std::numeric_limits<float>::infinity());
  std::uint32_t place = 0;
  for (std::uint32_t i = 0; i < found; i += kAhead)
    for (std::uint32_t k = 0; k < kAhead; ++k) place += drawn >= below[i + k];
  const float accepted = by_mean                                            ? means_[place]
                         : config_.acceptance == Acceptance::kProbability ? weights[place] / sum
                                                                            : weights[place];
  const bool plays = static_cast<float>(random & 0xFFFFFF) * 0x1p-24f < accepted;
  return static_cast<int>(moves[place] | (std::uint32_t{plays} - 1));  // -1 unless the reply is played
}

// Legal moves are given as bits, or looked up, or listed as soon as there is a reply.
int ReplyPlayout::draw_legal_reply(Simulator& simulator, const Asking& asking) {
  const std::uint32_t first = first_of_[asking.role];
  if (bitwise_legality_ != nullptr) {
    const std::uint64_t legal = bitwise_legality_->legal_bits(asking.lane);
    return draw_reply(asking, [&](ReplyForest::Replies replies, std::uint64_t& visits) {
      return find_in_words(replies, first, 64, places_.data(), visits, [&](std::uint32_t) { return legal; });
    });
  }
  if (legality_lookup_ != nullptr) {
    return draw_reply(asking, [&](ReplyForest::Replies replies, std::uint64_t& visits) {
      for (std::uint32_t i = 0; i < replies.count; ++i) listed_[i] = replies.first[i].number - first;
      const std::uint32_t found =
          legality_lookup_->find_legal(asking.lane, fallback_, listed_.data(), replies.count, places_.data());
      for (std::uint32_t i = 0; i < found; ++i) visits += replies.first[places_[i]].visits;
      return found;
    });
  }
  int legal = -1;
  const int found = draw_reply(asking, [&](ReplyForest::Replies replies, std::uint64_t& visits) {
    if (legal < 0) {
      legal = simulator.legal(asking.lane, asking.role, list_.data());
      for (int i = 0; i < legal; ++i) legal_[list_[i] / 64] |= std::uint64_t{1} << (list_[i] % 64);
    }
    return find_in_words(replies, first, static_cast<std::uint32_t>(list_.size()), places_.data(), visits,
                         [&](std::uint32_t block) { return legal_[block]; });
  });
  for (int i = 0; i < legal; ++i) legal_[list_[i] / 64] = 0;
  return found;
}

void ReplyPlayout::choose(Lanes& lanes, const std::uint64_t* mask) {
  if (reported_moves_ != nullptr)
    choose_by_simulator(lanes, mask);
  else
    RecordedPlayout::choose(lanes, mask);
}

// In lanes where the forest is not used, or has no reply, the simulator chooses and reports the move.
void ReplyPlayout::choose_by_simulator(Lanes& lanes, const std::uint64_t* mask) {
  Simulator& simulator = lanes.simulator();
  asking_.clear();
  for (int group = 0; group < simulator.groups(); ++group) {
    by_default_[group] = mask[group];
    std::uint64_t* const streams = random() + 64 * group;
    std::uint64_t asks = 0;
    for (std::uint64_t left = mask[group]; left != 0; left &= left - 1) {
      const int lane = __builtin_ctzll(left);
      asks |= std::uint64_t{explores(draw(streams[lane]), epsilon_)} << lane;
    }
    for_each_lane(group, asks, [&](int lane) { ask(lane, reported_moves_->mover(lane), false); });
  }
  match();
  ReportedMove* const reported = reported_.next(by_default_);
  remove_lanes(by_reply_);
  for (const Asking& asking : asking_) {
    const int move = draw_legal_reply(simulator, asking);
    reported[asking.lane] = {asking.role, move};
    by_reply_[asking.lane >> 6] |= std::uint64_t{move >= 0} << (asking.lane & 63);  // unpredictable
  }
  for (int group = 0; group < simulator.groups(); ++group) by_default_[group] &= ~by_reply_[group];
  reported_moves_->choose_reported(by_reply_.data(), reported);
  reported_moves_->choose_and_report(by_default_.data(), fallback_, reported);
}

void ReplyPlayout::pick(const Choices& choices, int role, bool same_ply) {
  draw_moves(choices, role, random(), choices.moves);
  asking_.clear();
  choices.for_each_lane(role, [&](int lane) {
    leave_tree(lane);
    if (asks_forest(lane)) ask(lane, role, same_ply);
  });
  match();
  const std::uint32_t first = first_of_[role], all = first_of_[role + 1] - first;
  for (const Asking& asking : asking_) {
    const int move = draw_reply(asking, [&](ReplyForest::Replies replies, std::uint64_t& visits) {
      return find_in_words(replies, first, all, places_.data(), visits, [&](std::uint32_t block) {
        return choices.word(asking.lane, static_cast<int>(block));
      });
    });
    if (move >= 0) choices.moves[asking.lane] = static_cast<std::uint32_t>(move);
  }
}

}  // namespace ggp

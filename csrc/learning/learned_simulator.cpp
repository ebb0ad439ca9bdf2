#include "learning/learned_simulator.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/lane_mask.hpp"

namespace ggp {

LearnedSimulator::LearnedSimulator(const Simulator& simulator, std::shared_ptr<const LearnedGame> game,
                                   const LearningKernel& kernel, std::string name)
    : WrappedSimulator(simulator.clone()),
      game_(std::move(game)),
      kernel_(kernel),
      name_(std::move(name)),
      columns_(simulator_->optional_interface<LaneColumns>()),
      others_(simulator_->optional_interface<Evaluations>()),
      others_count_(static_cast<int>(names_of(others_).size())),
      policy_(simulator_->optional_interface<MoveProbabilities>()) {
  if (columns_ == nullptr) throw std::invalid_argument("a learned network needs rules that are compiled to a network");
  const NetworkShape& shape = game_->network.shape();
  const Encoding::View& view = checked(game_->encoding, shape).views[0];
  bool fits = view.features.size() == std::size_t(columns_->fluents()) && view.policies.size() == std::size_t(roles());
  for (int role = 0; fits && role < roles(); ++role) fits = view.policies[role].size() == std::size_t(moves(role));
  if (!fits) throw std::invalid_argument("the learned network belongs to another game");
  const std::size_t rows = std::size_t(lanes()) + LearningKernel::kSpareRows;
  for (int role = 0; role < roles(); ++role) {
    legal_.emplace_back(std::size_t(lanes()) * moves(role));
    legal_counts_.emplace_back(lanes());
  }
  for (int fluent = 0; fluent < columns_->fluents(); ++fluent)
    for (const Encoding::View& each : game_->encoding.views) feature_of_.push_back(each.features[fluent]);
  views_.resize(lanes());
  row_of_.assign(lanes(), -1);
  features_.resize(std::size_t(lanes()) * columns_->fluents());
  counts_.resize(lanes());
  h1_ = AlignedFloats(rows * shape.hidden1);
  h2_ = AlignedFloats(rows * shape.hidden2);
  found_ = AlignedFloats(rows * shape.values + NetworkShape::kVector);
  base_ = AlignedFloats(shape.padded_policies());
  int widest = 1;
  for (int role = 0; role < roles(); ++role) widest = std::max(widest, moves(role));
  group_ = AlignedFloats(std::size_t(widest) + NetworkShape::kVector);
  rows_.reserve(lanes());
  lanes_of_rows_.reserve(lanes());
  policies_.reserve(widest);
}

std::unique_ptr<Simulator> LearnedSimulator::clone() const {
  return std::make_unique<LearnedSimulator>(*simulator_, game_, kernel_, name_);
}

void* LearnedSimulator::find_interface(InterfaceId id) {
  if (void* own = select_interface<Evaluations, MoveProbabilities>(*this, id)) return own;
  return WrappedSimulator::find_interface(id);
}

void LearnedSimulator::evaluate() {
  simulator_->evaluate();
  for (const int lane : lanes_of_rows_) row_of_[lane] = -1;
  lanes_of_rows_.clear();
  base_row_ = -1;
}

void LearnedSimulator::set_game(std::shared_ptr<const LearnedGame> game) {
  if (!(game->network.shape() == game_->network.shape()))
    throw std::invalid_argument("the other network has another shape");
  game_ = std::move(game);
  scout_ = nullptr;
  for (const int lane : lanes_of_rows_) row_of_[lane] = -1;
  lanes_of_rows_.clear();
  base_row_ = -1;
}

std::vector<std::string> LearnedSimulator::evaluations() const {
  std::vector<std::string> names = names_of(others_);
  names.push_back(name_);
  return names;
}

// Lists the legal moves of every lane of the mask.
void LearnedSimulator::list_moves(const std::uint64_t* mask) {
  for (int role = 0; role < roles(); ++role) {
    std::uint16_t* counts = legal_counts_[role].data();
    std::uint16_t* lists = legal_[role].data();
    const auto stride = static_cast<std::size_t>(moves(role));
    for (const int group : active_) for_each_lane(group, mask[group], [&](int lane) { counts[lane] = 0; });
    for (std::size_t move = 0; move < stride; ++move) {
      const std::uint64_t* legal = columns_->legal_lanes(role, static_cast<int>(move));
      for (const int group : active_)
        for_each_lane(group, legal[group] & mask[group], [&](int lane) {
          lists[std::size_t(lane) * stride + counts[lane]++] = static_cast<std::uint16_t>(move);
        });
    }
  }
}

// Finds the view of every lane of the mask.
void LearnedSimulator::find_views(const std::uint64_t* mask) {
  const bool several_views = game_->encoding.views.size() > 1;
  for (const int group : active_)
    for_each_lane(group, mask[group], [&](int lane) {
      int choosing = 0, mover = 0;
      for (int role = 0; several_views && role < roles(); ++role) {
        if (legal_counts_[role][lane] <= 1) continue;
        ++choosing;
        mover = role;
      }
      views_[lane] = static_cast<std::uint8_t>(choosing == 1 ? mover : 0);
    });
}

// Lists the features of every lane of the mask, in ascending order of fluents.
void LearnedSimulator::list_features(const std::uint64_t* mask) {
  const std::size_t views = game_->encoding.views.size();
  const auto stride = static_cast<std::size_t>(columns_->fluents());
  for (const int group : active_) for_each_lane(group, mask[group], [&](int lane) { counts_[lane] = 0; });
  for (std::size_t fluent = 0; fluent < stride; ++fluent) {
    const std::uint64_t* lanes = columns_->fluent_lanes(static_cast<int>(fluent));
    const std::uint16_t* feature_of = &feature_of_[fluent * views];
    for (const int group : active_)
      for_each_lane(group, lanes[group] & mask[group], [&](int lane) {
        const std::uint16_t feature = feature_of[views_[lane]];
        features_[std::size_t(lane) * stride + counts_[lane]] = feature;
        counts_[lane] += feature != Encoding::kNone;
      });
  }
}

int LearnedSimulator::legal(int lane, int role, int* out) {
  if (row_of_[lane] < 0) return simulator_->legal(lane, role, out);
  const int count = legal_counts_[role][lane];
  std::copy_n(&legal_[role][std::size_t(lane) * moves(role)], count, out);
  return count;
}

void LearnedSimulator::values(int evaluation, const std::uint64_t* mask, float* out) {
  if (evaluation != others_count_) return others_->values(evaluation, mask, out);
  active_.clear();
  for (int group = 0; group < groups(); ++group)
    if (mask[group] != 0) active_.push_back(group);
  list_moves(mask);
  find_views(mask);
  list_features(mask);
  for (const int lane : lanes_of_rows_) row_of_[lane] = -1;
  rows_.clear();
  lanes_of_rows_.clear();
  base_row_ = -1;
  for (const int group : active_)
    for_each_lane(group, mask[group], [&](int lane) {
      row_of_[lane] = static_cast<int>(rows_.size());
      rows_.push_back({&features_[std::size_t(lane) * columns_->fluents()], counts_[lane]});
      lanes_of_rows_.push_back(lane);
    });
  kernel_.hidden(game_->network, rows_.data(), static_cast<int>(rows_.size()), h1_.data(), h2_.data(), found_.data());
  const std::uint32_t count = game_->network.shape().values;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const int lane = lanes_of_rows_[row];
    const Encoding::View& view = game_->encoding.views[views_[lane]];
    for (int role = 0; role < roles(); ++role)
      out[std::size_t(lane) * roles() + role] = view.signs[role] * found_[row * count + view.values[role]];
  }
}

void LearnedSimulator::probabilities(int evaluation, int lane, int role, const int* moves, int count, float* out) {
  if (evaluation != others_count_) return policy_->probabilities(evaluation, lane, role, moves, count, out);
  const int row = row_of_[lane];
  const std::vector<std::uint16_t>& policy_of = game_->encoding.views[views_[lane]].policies[role];
  policies_.clear();
  for (int i = 0; i < count; ++i)
    if (policy_of[moves[i]] != Encoding::kNone) policies_.push_back(policy_of[moves[i]]);
  if (row < 0 || policies_.size() < std::size_t(count) || count == 1) {
    std::fill_n(out, count, 1.0f / static_cast<float>(count));
    return;
  }
  if (row != base_row_) kernel_.base(game_->network, rows_[row], base_.data());
  base_row_ = row;
  kernel_.probabilities(game_->network, h2_.data() + std::size_t(row) * game_->network.shape().hidden2, base_.data(),
                        policies_.data(), static_cast<std::uint32_t>(count), group_.data());
  std::copy_n(group_.data(), count, out);
}

int LearnedSimulator::successor_values(int evaluation, int lane, int role, float* out) {
  if (evaluation != others_count_) return others_->successor_values(evaluation, lane, role, out);
  scout_joint_.resize(roles());
  for (int other = 0; other < roles(); ++other)
    if (other != role && (legal_count(lane, other) != 1 || legal(lane, other, &scout_joint_[other]) != 1)) return 0;
  scout_moves_.resize(moves(role));
  const int count = legal(lane, role, scout_moves_.data());
  if (scout_ == nullptr) {
    scout_ = std::make_unique<LearnedSimulator>(*simulator_, game_, kernel_, name_);
    scout_state_.resize(state_words());
    scout_values_.resize(std::size_t(lanes()) * roles());
  }
  std::fill(scout_state_.begin(), scout_state_.end(), 0);
  for (int fluent = 0; fluent < columns_->fluents(); ++fluent)
    scout_state_[fluent / 64] |= (columns_->fluent_lanes(fluent)[lane >> 6] >> (lane & 63) & 1) << (fluent % 64);
  for (int begin = 0; begin < count; begin += lanes())
    look_behind(role, &scout_moves_[begin], std::min(lanes(), count - begin), out + std::size_t(begin) * roles());
  return count;
}

// Writes the values of the successors of scout_state_ by some moves of a role.
void LearnedSimulator::look_behind(int role, const int* moves, int count, float* out) {
  LaneMask mask(groups());
  for (int lane = 0; lane < count; ++lane) add_lane(mask, lane);
  const std::vector<const std::uint64_t*> states(lanes(), scout_state_.data());
  scout_->load(mask.data(), states.data());
  scout_->evaluate();
  for (int lane = 0; lane < count; ++lane) {
    scout_joint_[role] = moves[lane];
    for (int each = 0; each < roles(); ++each) scout_->choose(lane, each, scout_joint_[each]);
  }
  scout_->step();
  scout_->evaluate();
  scout_->values(others_count_, mask.data(), scout_values_.data());
  for (int lane = 0; lane < count; ++lane) {
    const bool ends = scout_->terminal()[lane >> 6] >> (lane & 63) & 1;
    for (int each = 0; each < roles(); ++each) {
      const int goal = ends ? scout_->goal(lane, each) : -1;
      *out++ = goal >= 0 ? static_cast<float>(goal / 50.0 - 1) : scout_values_[std::size_t(lane) * roles() + each];
    }
  }
}

}  // namespace ggp

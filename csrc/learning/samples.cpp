#include "learning/samples.hpp"

#include <cmath>
#include <stdexcept>

namespace ggp {

namespace {

bool is_reward(float value) { return value >= -1 && value <= 1; }

template <class Number>
std::uint32_t begin_of(const std::vector<Number>& ends, std::size_t index) {
  return index == 0 ? 0 : ends[index - 1];
}

std::uint32_t size32(std::size_t size) {
  require(size <= 0xFFFFFFFFu, "there are too many positions");
  return static_cast<std::uint32_t>(size);
}

}  // namespace

SampleChunk::SampleChunk(const Positions& positions, const Encoding& encoding, const NetworkShape& shape)
    : values_(shape.values) {
  const std::size_t roles = encoding.views[0].policies.size();
  const std::size_t fluents = encoding.views[0].features.size();
  require(positions.state_words == (fluents + 63) / 64, "the states belong to another game");
  for (std::size_t position = 0; position < positions.count; ++position) {
    const int mover = positions.movers[position];
    require(mover >= -1 && mover < static_cast<int>(roles), "a mover is not a role of the game");
    const Encoding::View& view = encoding.view_of(mover);
    const std::uint64_t* state = positions.states + position * positions.state_words;
    for (std::size_t word = 0; word < positions.state_words; ++word) {
      for (std::uint64_t bits = state[word]; bits != 0; bits &= bits - 1) {
        const std::size_t fluent = 64 * word + static_cast<std::size_t>(__builtin_ctzll(bits));
        require(fluent < fluents, "the states belong to another game");
        if (view.features[fluent] != Encoding::kNone) features_.push_back(view.features[fluent]);
      }
    }
    feature_ends_.push_back(size32(features_.size()));
    encode_values(positions.results + position * roles, view, results_);
    encode_values(positions.searched + position * roles, view, searched_);
    // A view has policies for its role only. Where several roles choose, only the values are learned.
    encode_groups(positions, position, view, encoding.views.size() == 1 || mover >= 0);
  }
}

// The mean over the roles that share a value.
void SampleChunk::encode_values(const float* by_role, const Encoding::View& view, std::vector<float>& to) const {
  const std::size_t at = to.size();
  to.resize(at + values_, 0.0f);
  for (std::uint32_t value = 0; value < values_; ++value) {
    float total = 0, roles = 0;
    for (std::size_t role = 0; role < view.values.size(); ++role) {
      require(is_reward(by_role[role]), "a reward is not within -1 .. 1");
      if (view.values[role] != value) continue;
      total += view.signs[role] * by_role[role];
      ++roles;
    }
    if (roles > 0) to[at + value] = total / roles;
  }
}

void SampleChunk::encode_groups(const Positions& positions, std::size_t position, const Encoding::View& view,
                                bool has_policies) {
  const std::uint32_t first = position == 0 ? 0 : positions.group_ends[position - 1];
  const std::uint32_t end = positions.group_ends[position];
  require(first <= end && end <= positions.groups, "the ends of groups are not ascending");
  for (std::uint32_t group = first; has_policies && group < end; ++group) {
    const int role = positions.group_roles[group];
    require(role >= 0 && role < static_cast<int>(view.policies.size()), "a group is not of a role of the game");
    const std::uint32_t first_move = group == 0 ? 0 : positions.move_ends[group - 1];
    const std::uint32_t end_move = positions.move_ends[group];
    require(first_move < end_move && end_move <= positions.moves, "the ends of moves are not ascending");
    const std::vector<std::uint16_t>& policy_of = view.policies[role];
    for (std::uint32_t i = first_move; i < end_move; ++i) {
      const std::int32_t move = positions.move_numbers[i];
      require(move >= 0 && move < static_cast<int>(policy_of.size()) && policy_of[move] != Encoding::kNone,
              "a move has no policy");
      require(positions.probabilities[i] >= 0 && positions.probabilities[i] <= 1, "a probability is not within 0 .. 1");
      policies_.push_back(policy_of[move]);
      targets_.push_back(static_cast<std::uint16_t>(std::lround(positions.probabilities[i] * kUnit)));
    }
    policy_ends_.push_back(size32(policies_.size()));
  }
  group_ends_.push_back(size32(policy_ends_.size()));
}

std::size_t SampleChunk::bytes() const {
  return 4 * (feature_ends_.size() + group_ends_.size() + policy_ends_.size() + results_.size() + searched_.size()) +
         2 * (features_.size() + policies_.size() + targets_.size());
}

Sample SampleChunk::sample(std::size_t index, const Encoding::Symmetry* symmetry, float mix, Room& room) const {
  const std::uint32_t first = begin_of(feature_ends_, index), end = feature_ends_[index];
  room.features.assign(features_.begin() + first, features_.begin() + end);
  const std::uint32_t first_group = begin_of(group_ends_, index), end_group = group_ends_[index];
  const std::uint32_t first_policy = begin_of(policy_ends_, first_group);
  const std::uint32_t end_policy = begin_of(policy_ends_, end_group);
  room.policies.assign(policies_.begin() + first_policy, policies_.begin() + end_policy);
  room.targets.resize(room.policies.size());
  for (std::size_t i = 0; i < room.targets.size(); ++i) room.targets[i] = targets_[first_policy + i] / kUnit;
  room.group_ends.clear();
  for (std::uint32_t group = first_group; group < end_group; ++group)
    room.group_ends.push_back(policy_ends_[group] - first_policy);
  room.values.resize(values_);
  for (std::uint32_t value = 0; value < values_; ++value) {
    const std::size_t at = index * values_ + value;
    room.values[symmetry != nullptr ? symmetry->values[value] : value] = (1 - mix) * results_[at] + mix * searched_[at];
  }
  if (symmetry != nullptr) {
    for (std::uint16_t& feature : room.features) feature = symmetry->features[feature];
    for (std::uint16_t& policy : room.policies) policy = symmetry->policies[policy];
  }
  return {{room.features.data(), static_cast<std::uint32_t>(room.features.size())},
          room.values.data(),
          room.policies.data(),
          room.targets.data(),
          room.group_ends.data(),
          static_cast<std::uint32_t>(room.group_ends.size())};
}

}  // namespace ggp

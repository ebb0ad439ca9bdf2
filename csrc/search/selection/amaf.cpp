#include "search/selection/amaf.hpp"

#include "search/tree/path.hpp"

namespace ggp {

namespace {

// Returns the number of roles that choose in a node.
std::size_t choosers(const Node& node, int roles) {
  if (node.mover != kSimultaneous) return node.choices()[0].count > 1;
  std::size_t count = 0;
  for (int role = 0; role < roles; ++role) count += node.choices()[role].count > 1;
  return count;
}

}  // namespace

Amaf::Amaf(Tree& tree, const GraveConfig& config, const std::vector<int>& moves)
    : tree_(tree), reference_(config.reference), bias_(static_cast<float>(config.bias)) {
  std::size_t total = 0;
  for (int count : moves) {
    first_.push_back(total);
    total += static_cast<std::size_t>(count);
  }
  seen_.resize(total);
  moves_.reserve(total);
}

void Amaf::arrive(Path& path, Index index) {
  const bool first = path.reference == kNone;
  const std::uint32_t visits = tree_.node(index).visits;
  if (!first && visits < reference_ / 2) return;
  if (tree_.amaf(index) == nullptr && tree_.add_amaf(index, first) == nullptr) return;
  if (first || visits >= reference_) path.reference = index;
}

const AmafSum* Amaf::table_of(const Path& path, std::uint32_t visits) const {
  for (std::size_t number = path.depth(); number-- > 0;) {
    const Index index = path.step(number)[0];
    const AmafSum* const table = tree_.node(index).visits >= visits ? tree_.amaf(index) : nullptr;
    if (table != nullptr) return table;
  }
  return nullptr;
}

void Amaf::learn(const Path& path, const std::vector<Chosen>& choices, const double* rewards) {
  stages_.clear();
  std::size_t before = 0;
  for (std::size_t number = 0; number < path.depth(); ++number) {
    const Index index = path.step(number)[0];
    if (AmafSum* table = tree_.amaf(index)) stages_.push_back({table, before});
    before += choosers(tree_.node(index), tree_.roles());
  }
  if (++simulation_ == 0) {
    std::fill(seen_.begin(), seen_.end(), 0);
    simulation_ = 1;
  }
  // From the end, so that the moves after a node are collected when the loop reaches it.
  moves_.clear();
  std::size_t at = choices.size();
  for (; !stages_.empty(); stages_.pop_back()) {
    const Stage stage = stages_.back();
    while (at > stage.before) {
      const Chosen& choice = choices[--at];
      const std::size_t place = first_[choice.role] + choice.move;
      if (seen_[place] == simulation_) continue;
      seen_[place] = simulation_;
      moves_.push_back({place, static_cast<float>(rewards[choice.role])});
    }
    for (const Occurrence& move : moves_) {
      AmafSum& sum = stage.table[move.place];
      sum.reward += move.reward;
      if (++sum.count == kMost) sum = {sum.reward / 2, kMost / 2};
    }
  }
}

}  // namespace ggp

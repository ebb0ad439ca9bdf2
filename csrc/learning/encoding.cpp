#include "learning/encoding.hpp"

#include <algorithm>
#include <stdexcept>

namespace ggp {

namespace {

bool all_below(const std::vector<std::uint16_t>& numbers, std::uint32_t end, bool or_none) {
  return std::all_of(numbers.begin(), numbers.end(),
                     [&](std::uint16_t number) { return number < end || (or_none && number == Encoding::kNone); });
}

bool is_permutation_of(const std::vector<std::uint16_t>& numbers, std::uint32_t count) {
  if (numbers.size() != count || !all_below(numbers, count, false)) return false;
  std::vector<bool> met(count);
  for (const std::uint16_t number : numbers) {
    if (met[number]) return false;
    met[number] = true;
  }
  return true;
}

}  // namespace

const Encoding& checked(const Encoding& encoding, const NetworkShape& shape) {
  require(!encoding.views.empty(), "an encoding has at least one view");
  const Encoding::View& first = encoding.views[0];
  const std::size_t roles = first.policies.size();
  require(roles > 0 && (encoding.views.size() == 1 || encoding.views.size() == roles),
          "an encoding has one view, or one for each role");
  for (const Encoding::View& view : encoding.views) {
    require(view.features.size() == first.features.size() && view.policies.size() == roles &&
                view.values.size() == roles && view.signs.size() == roles,
            "the views of an encoding have different sizes");
    require(all_below(view.features, shape.features, true), "a view has a feature that the network does not have");
    require(all_below(view.values, shape.values, false), "a view has a value that the network does not have");
    for (std::size_t role = 0; role < roles; ++role) {
      require(view.policies[role].size() == first.policies[role].size(),
              "the views of an encoding have different numbers of moves");
      require(all_below(view.policies[role], shape.policies, true), "a view has a policy that the network does not have");
      require(view.signs[role] == 1.0f || view.signs[role] == -1.0f, "a sign is 1 or -1");
    }
  }
  for (const Encoding::Symmetry& symmetry : encoding.symmetries)
    require(is_permutation_of(symmetry.features, shape.features) &&
                is_permutation_of(symmetry.policies, shape.policies) && is_permutation_of(symmetry.values, shape.values),
            "a symmetry is not a permutation of the features, policies and values");
  return encoding;
}

}  // namespace ggp

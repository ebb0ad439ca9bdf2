#include "hidden/best_response.hpp"

#include <algorithm>
#include <numeric>

namespace ggp {

double best_response(const SequenceForm& form, int player, const std::vector<double>& other_plan,
                     std::vector<double>& scratch) {
  form.goals(player, other_plan, scratch);
  const std::vector<DecisionPoint>& points = form.tree(player).points;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    const auto first = scratch.begin() + point->first;
    scratch[point->parent] += *std::max_element(first, first + point->count);
  }
  return scratch[0];
}

double expected_goal(const SequenceForm& form, const std::vector<double>& plan, const std::vector<double>& other_plan,
                     std::vector<double>& scratch) {
  form.goals(0, other_plan, scratch);
  return std::inner_product(plan.begin(), plan.end(), scratch.begin(), 0.0);
}

}  // namespace ggp

#include "hidden/sequence_form.hpp"

#include <algorithm>
#include <numeric>

namespace ggp {
namespace {

// out[row] = sum of values * factors[column].
void multiply(const std::vector<std::uint32_t>& begins, const std::vector<std::uint32_t>& columns,
              const std::vector<double>& values, const std::vector<double>& factors, std::vector<double>& out) {
  out.resize(begins.size() - 1);
  for (std::size_t row = 0; row < out.size(); ++row) {
    double sum = 0;
    for (std::uint32_t each = begins[row]; each < begins[row + 1]; ++each) sum += values[each] * factors[columns[each]];
    out[row] = sum;
  }
}

}  // namespace

SequenceForm::SequenceForm(std::array<DecisionTree, 2> trees, std::vector<End> ends, int sum)
    : trees_(std::move(trees)), sum_(sum) {
  std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.sequences < b.sequences; });
  std::size_t kept = 0;
  for (const End& end : ends) {
    if (kept > 0 && ends[kept - 1].sequences == end.sequences) {
      ends[kept - 1].goal += end.goal;
      ends[kept - 1].chance += end.chance;
    } else {
      ends[kept++] = end;
    }
  }
  ends.resize(kept);
  for (int player = 0; player < 2; ++player) lists_[player] = rows_of(player, trees_[player].sequences(), ends, sum);
}

SequenceForm::Rows SequenceForm::rows_of(int player, std::uint32_t count, const std::vector<End>& ends, int sum) {
  Rows rows;
  rows.begins.assign(count + 1, 0);
  for (const End& end : ends) ++rows.begins[end.sequences[player] + 1];
  for (std::uint32_t row = 0; row < count; ++row) rows.begins[row + 1] += rows.begins[row];
  rows.columns.resize(ends.size());
  rows.goals.resize(ends.size());
  rows.chances.resize(ends.size());
  std::vector<std::uint32_t> next(rows.begins.begin(), rows.begins.end() - 1);
  for (const End& end : ends) {
    const std::uint32_t place = next[end.sequences[player]]++;
    rows.columns[place] = end.sequences[1 - player];
    rows.goals[place] = player == 0 ? end.goal : sum * end.chance - end.goal;
    rows.chances[place] = end.chance;
  }
  return rows;
}

void SequenceForm::goals(int player, const std::vector<double>& other_plan, std::vector<double>& out) const {
  const Rows& rows = lists_[player];
  multiply(rows.begins, rows.columns, rows.goals, other_plan, out);
}

void SequenceForm::reaches(int player, const std::vector<double>& other_plan, std::vector<double>& out) const {
  const Rows& rows = lists_[player];
  multiply(rows.begins, rows.columns, rows.chances, other_plan, out);
}

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

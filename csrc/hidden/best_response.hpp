// Exact best responses in the sequence form, and what they show about a pair of strategies.
//
// The best response to a plan of the other player is found from the last information states to the first ones:
//   v(s) = g(s) + sum over information states I with parent s:  max over moves m in I of v(I m)
// where g(s) are the goals of the player in ends with the last sequence s (SequenceForm::goals). v(0) is the result.
#pragma once

#include <vector>

#include "hidden/sequence_form.hpp"

namespace ggp {

// The highest expected goal of a player, 0..100, against a plan of the other player. `scratch` keeps its memory.
double best_response(const SequenceForm& form, int player, const std::vector<double>& other_plan,
                     std::vector<double>& scratch);

// The expected goal of player 0 if both players have plans.
double expected_goal(const SequenceForm& form, const std::vector<double>& plan, const std::vector<double>& other_plan,
                     std::vector<double>& scratch);

}  // namespace ggp

// Conditions of the end that the last move cannot complete, such as the lines of the other role in gomoku.
//
// A gate c with c => terminal is stale in a phase p if every move in phase p - 1 leaves it as it is or removes it:
// c(s') => c(s) for each successor s' of a state s. If s is not terminal, c is false in s and so in s'. A program for
// phase p may therefore take c as false, for states that follow from a state that is not terminal. This is exact, and
// play visits no other states; a state from elsewhere is evaluated by the general program first.
//
// c(s') => c(s) is shown gate by gate. An AND or OR has this property if all its inputs have it, a fluent f if its next
// value implies f, and the complement of f if f implies its next value. The last two follow from the gates of the
// network of phase p - 1, which lacks the moves of waiting roles and other constants.
#pragma once

#include <vector>

#include "network/circuit/network.hpp"

namespace ggp {

// Returns literals of `network` that are stale after a turn and imply terminal. `before` is the network of the phase of
// this turn, with the same fluents in the same order.
std::vector<Literal> stale_end_conditions(const Network& network, const Network& before);

}  // namespace ggp

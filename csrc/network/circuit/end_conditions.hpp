// Conditions of the end that the last move cannot complete, such as the lines of the other role in gomoku.
//
// A gate c with c => terminal is stale in phase p if no move in phase p - 1 can make c true: c(s') => c(s) for each
// successor s' of a state s. If s is not terminal, c is false in s, so c is false in s'. A program for phase p may
// therefore take c as false in states that follow from a state that is not terminal. The program is exact, because play
// visits no other states. A state from elsewhere is evaluated by the general program first.
//
// c(s') => c(s) is shown gate by gate. An AND or OR has this property if all its inputs have it. A fluent f has the
// property if its next value implies f; the complement of f has it if f implies its next value. The gates of the
// network of phase p - 1 prove the last two; this network lacks moves of waiting roles and other constants.
#pragma once

#include <vector>

#include "network/circuit/network.hpp"

namespace ggp {

// Returns literals of `network` that are stale after a turn and imply terminal. `before` is the network of the phase of
// this turn, with the same fluents in the same order.
std::vector<Literal> stale_end_conditions(const Network& network, const Network& before);

}  // namespace ggp

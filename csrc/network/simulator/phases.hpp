// Phases: turns of a game that repeat in a fixed order, such as the turns of two roles.
//
// A game has P phases if the number t of a turn, modulo P, determines the values of some fluents (its clock), and the
// values differ between the phases. In a phase, further fluents may be constant, and moves may never be legal. A
// program for one phase omits their gates and moves.
//
// 1. Candidates. From the initial state, P turns and more are evaluated over {0, 1, either} (ternary.hpp), with all
//    moves that may be legal. A fluent is a candidate for a constant in phase p if it has one value in all turns t with
//    t mod P = p, and another value, or "either", in other turns. The clock consists of candidates in all phases.
// 2. Proof by induction. The candidates hold in the initial state. Let A(p) be the states of phase p in which they
//    hold. A candidate that does not hold in a successor of a state of A(p - 1) is removed, until none is removed.
// 3. The program of phase p also omits conditions of the end that no move of phase p - 1 can complete
//    (end_conditions.hpp).
#pragma once

#include "network/circuit/network.hpp"
#include "network/program/lane_program.hpp"

namespace ggp {

// Adds the programs of the phases to the program of a network, if the game has phases and these programs are shorter.
void add_phases(const Network& network, LaneProgram& program);

}  // namespace ggp

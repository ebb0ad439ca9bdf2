// The form in which a learned network receives the states and moves of a game.
//
// A view maps fluents to features, moves to policies, and roles to values. A game has one view. If a symmetry of the
// rules exchanges the roles, each role has a view: the network sees every state as if role 0 chose, and states with
// different movers share all weights. Two kinds of fluents have no feature: fluents that never change, and, in games
// with a view for each role, the fluents that show whose turn it is.
//
// Symmetries map positions to positions of equal value: permutations of features, policies and values.
#pragma once

#include <cstdint>
#include <vector>

#include "learning/learned_network.hpp"

namespace ggp {

struct Encoding {
  static constexpr std::uint16_t kNone = 0xFFFF;

  struct View {
    std::vector<std::uint16_t> features;               // by fluent; or kNone
    std::vector<std::vector<std::uint16_t>> policies;  // by role and move; or kNone
    std::vector<std::uint16_t> values;                 // by role
    std::vector<float> signs;                          // by role: 1, or -1 if the value counts for the opponent
  };
  struct Symmetry {
    std::vector<std::uint16_t> features, policies, values;
  };

  std::vector<View> views;
  std::vector<Symmetry> symmetries;

  // The view of a state in which this role chooses; -1 if several roles choose.
  const View& view_of(int mover) const { return views[views.size() > 1 && mover > 0 ? std::size_t(mover) : 0]; }
};

// Throws std::invalid_argument with one line if an encoding has no view, has views of different sizes, or does not
// match the shape of a network.
const Encoding& checked(const Encoding& encoding, const NetworkShape& shape);

}  // namespace ggp

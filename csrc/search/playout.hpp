// How a simulation is played out beyond the tree: one call a turn for all lanes that are out there.
#pragma once

#include <cstdint>
#include <memory>

#include "search/config.hpp"
#include "search/lanes.hpp"

namespace ggp {

class PlayoutPolicy {
 public:
  virtual ~PlayoutPolicy() = default;
  // Chooses a move for every role in every lane of the mask.
  virtual void choose(Lanes& lanes, const std::uint64_t* mask) = 0;
};

// Every legal move with the same probability.
class UniformPlayout final : public PlayoutPolicy {
 public:
  void choose(Lanes& lanes, const std::uint64_t* mask) override { lanes.ask_random(mask); }
};

inline std::unique_ptr<PlayoutPolicy> make_playout_policy(const Config&) {
  return std::make_unique<UniformPlayout>();
}

}  // namespace ggp

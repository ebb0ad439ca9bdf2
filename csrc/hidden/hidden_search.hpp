// A search of a game with hidden information for one role: limits, results, and code that all methods share.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include "hidden/belief.hpp"

namespace ggp {

struct HiddenLimits {
  std::uint64_t simulations = std::numeric_limits<std::uint64_t>::max();  // to complete; a few more may be completed
  double seconds = std::numeric_limits<double>::infinity();              // wall-clock time
  double cpu_seconds = std::numeric_limits<double>::infinity();          // processor time of this thread
  bool (*interrupted)(void*) = nullptr;  // called ten times per second; true ends the run
  void* context = nullptr;
};

struct HiddenMove {
  int move;
  double probability;    // with which the move is to be played
  double value;          // estimated goal value, 0..100
  double legal;          // the weight of the particles in which the move is legal
  std::uint64_t visits;  // simulations with this move
};

struct HiddenResult {
  std::uint64_t simulations = 0;
  double seconds = 0;
  bool exact = false;  // the values are exact, and were found without simulations
  std::vector<HiddenMove> moves;  // ascending by number
};

class HiddenSearch {
 public:
  virtual ~HiddenSearch() = default;
  // Searches from the particles of a belief, and uses its simulator. The result has each move that is legal in some
  // particle.
  virtual HiddenResult run(Belief& belief, const HiddenLimits& limits) = 0;
  // Called before the belief processes a turn.
  virtual void observe(Belief&, const Observation&) {}
  // The policy that the search has learned for other roles; null if the search has no policy.
  virtual const MovePolicy* policy() const { return nullptr; }
  // Ends the current run; callable from any thread.
  void stop() { stopped_.store(true); }

 protected:
  // Checks the limits.
  class Watch {
   public:
    Watch(HiddenSearch& search, const HiddenLimits& limits);
    bool ended(std::uint64_t simulations);
    double seconds() const;
    // The part of the time that has passed, 0..1; 0 without a limit of time.
    double share() const;

   private:
    HiddenSearch& search_;
    const HiddenLimits& limits_;
    const std::chrono::steady_clock::time_point start_;
    const double cpu_start_;
    std::chrono::steady_clock::time_point next_question_;
  };

 private:
  std::atomic<bool> stopped_{false};
};

// Draws particles without end, in proportion to their weights and in random order: each block of draws is systematic.
class ParticleDraws {
 public:
  ParticleDraws(const Particles& particles, std::uint64_t seed);
  std::uint32_t next();

 private:
  std::vector<double> weights_;
  std::vector<std::uint32_t> block_;
  std::uint64_t random_;
};

// The value of a role's goal, 0..1; 0 without a goal value.
inline double goal_share(Simulator& simulator, int lane, int role) {
  const int goal = simulator.goal(lane, role);
  return goal < 0 ? 0 : goal / 100.0;
}

}  // namespace ggp

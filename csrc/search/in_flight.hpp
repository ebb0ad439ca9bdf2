// How many simulations are under way at the same time, where the configuration leaves it open.
//
// Many are fast, for they share each step of the lanes. Few learn more from each simulation, for it is chosen when the
// outcomes of more of those before it are known. In a run of N simulations
//
//     in_flight = N / kSimulationsPerLane, at least kFewestInFlight, at most the lanes there are
//
// Where time is the limit, N is what the speed of the run before promises; kUnknownInFlight are under way where none was
// before. As soon as the run itself promises more, the number grows.
#pragma once

#include <algorithm>

namespace ggp {

constexpr double kSimulationsPerLane = 6;
constexpr int kFewestInFlight = 32;
constexpr int kUnknownInFlight = 64;
// The part of its time after which a run knows its own speed.
constexpr double kKnownAfter = 0.05;

inline int in_flight_for(double simulations, int lanes) {
  const double wanted = std::max(simulations / kSimulationsPerLane, static_cast<double>(kFewestInFlight));
  return wanted < lanes ? static_cast<int>(wanted) : lanes;
}

}  // namespace ggp

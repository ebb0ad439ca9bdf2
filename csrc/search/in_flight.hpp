// How many simulations are under way at the same time, where the configuration leaves it open.
//
// Many are fast, for they share each step of the lanes. Few learn more from each simulation, for it is chosen when the
// outcomes of more of those before it are known. In a run of N simulations
//
//     in_flight = N / kSimulationsPerLane, at least kFewestInFlight, at most the lanes there are
//
// Where time is the limit, N is what the speed of the run before promises, and as soon as the run itself promises more,
// the number grows. There it is never less than half the lanes: a round of a network takes about the same time for few
// lanes as for many, so few would have the same small number of generations of play-outs, with fewer in each. All lanes
// would often have one generation alone, from which nothing is learned.
#pragma once

#include <algorithm>

namespace ggp {

constexpr double kSimulationsPerLane = 6;
constexpr int kFewestInFlight = 32;
// The part of its time after which a run knows its own speed.
constexpr double kKnownAfter = 0.05;

inline int in_flight_for(double simulations, int lanes) {
  const double wanted = std::max(simulations / kSimulationsPerLane, static_cast<double>(kFewestInFlight));
  return wanted < lanes ? static_cast<int>(wanted) : lanes;
}

// The same for a run that time limits.
inline int in_flight_in_time(double simulations, int lanes) {
  return std::max(in_flight_for(simulations, lanes), (lanes + 1) / 2);
}

}  // namespace ggp

// The number of simulations in flight, if the configuration does not set it.
//
// Many are fast, because they share each step of the lanes. With few, each simulation learns more, because more
// outcomes of earlier simulations are known when it is selected. In a run of N simulations
//
//     in_flight = N / kSimulationsPerLane, at least kFewestInFlight, at most the lanes there are
//
// If time is the limit, N is estimated from the speed of the previous run, and raised when the run itself is faster.
// Then the number is at least half the lanes: a round of a network takes about the same time for few lanes as for many,
// so fewer lanes would have the same small number of generations of play-outs, with fewer play-outs in each. With all
// lanes there would often be only one generation, from which nothing is learned.
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

// The same for a run with a limit of time.
inline int in_flight_in_time(double simulations, int lanes) {
  return std::max(in_flight_for(simulations, lanes), (lanes + 1) / 2);
}

}  // namespace ggp

// The number of simulations in flight, if the configuration does not set it.
//
// Many simulations in flight are fast, because they share each step of the lanes. With few, each simulation is selected
// by the outcomes of more earlier simulations. In a run of N simulations
//
//     in_flight = N / kSimulationsPerLane, at least kFewestInFlight, at most the number of lanes
//
// With a limit of time, N is estimated from the speed of the previous run, and raised if the present run is faster.
// Then at least half of the lanes are used: a round of a network takes about the same time for few and for many lanes,
// so with fewer lanes the number of generations of play-outs stays small, and each has fewer play-outs. With all lanes
// a run often has one generation only, from which nothing is learned.
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

// in_flight_for() in a run with a limit of time.
inline int in_flight_in_time(double simulations, int lanes) {
  return std::max(in_flight_for(simulations, lanes), (lanes + 1) / 2);
}

}  // namespace ggp

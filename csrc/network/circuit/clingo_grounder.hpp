// Grounding by clingo through its C interface. The shared library is the library in clingo's Python package. Nothing is
// linked: the few functions needed are looked up in the library.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "network/circuit/ground_program.hpp"

namespace ggp {

struct GroundingRequest {
  std::string library;                 // path of the shared library that contains clingo
  std::string program;                 // ASP text; constant number i has the name k<i>
  std::vector<std::string> constants;  // the spellings of the constants in KIF
  std::vector<std::string> roles;
  std::size_t max_rules = 50'000'000;  // limits of rules and time
  double max_seconds = 600;
};

// The rules do not describe a playable game; what() is the cause in one line.
struct GroundingError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Grounding was stopped or exceeded a limit; what() names the limit.
struct GroundingLimit : std::overflow_error {
  using std::overflow_error::overflow_error;
};

// Throws GroundingError, GroundingLimit, std::bad_alloc. If `stop` is given, it is polled and ends the grounding early.
GroundProgram ground(const GroundingRequest& request, const std::atomic<bool>* stop = nullptr);

}  // namespace ggp

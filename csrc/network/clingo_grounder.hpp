// Grounding by clingo through its C interface. The shared library is the one that clingo's Python package
// carries; nothing is linked, the few functions needed are looked up in it.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "network/ground_program.hpp"

namespace ggp {

struct GroundingRequest {
  std::string library;                 // path of the shared library that contains clingo
  std::string program;                 // ASP text; constant number i is written k<i>
  std::vector<std::string> constants;  // their KIF spellings
  std::vector<std::string> roles;
  std::size_t max_rules = 50'000'000;  // give up beyond these limits
  double max_seconds = 600;
};

// The rules describe no playable game; what() says why in one line.
struct GroundingError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Grounding was stopped or went beyond a limit; what() says which.
struct GroundingLimit : std::overflow_error {
  using std::overflow_error::overflow_error;
};

// Throws GroundingError, GroundingLimit, std::bad_alloc. `stop`, where given, is polled and ends the grounding early.
GroundProgram ground(const GroundingRequest& request, const std::atomic<bool>* stop = nullptr);

}  // namespace ggp

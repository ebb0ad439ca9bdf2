// The whole way from a program for clingo to the bytes of a compiled network, for a process that does nothing else:
// it may take any time and memory and may be killed at any moment; whatever goes wrong is an outcome, not an exception.
#pragma once

#include <string>
#include <vector>

#include "network/clingo_grounder.hpp"

namespace ggp {

struct CompileOutcome {
  enum class Kind : char {
    kNetwork = 'N',   // text: what write_network gives
    kLimit = 'L',     // text: the limit of size that was met, in one line
    kMemory = 'M',    // text: that there is too little, in one line
    kRules = 'R',     // text: why the rules are no game, in one line
    kNegation = 'S',  // likewise: something depends on its own negation
  };
  Kind kind;
  std::string text;
};

CompileOutcome compile_game(const GroundingRequest& request);

// Lets the calling process be killed when its parent ends, where the system can do that. False where `parent`, the
// parent's number, has ended already.
bool end_with(int parent);

}  // namespace ggp

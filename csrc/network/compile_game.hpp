// The whole way from a program for clingo to the bytes of a compiled network, for a process that does nothing else:
// it may take any time and memory and may be killed at any moment; whatever goes wrong is an outcome, not an exception.
#pragma once

#include <cstdint>
#include <string>

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

// Binds the calling process: it is killed after its CPU-seconds (by SIGPROF) and, under Linux, when its parent ends, and
// gets no more address space than so many bytes. False where the parent, given by its number, has ended.
bool confine(int parent, double cpu_seconds, std::uint64_t bytes);

}  // namespace ggp

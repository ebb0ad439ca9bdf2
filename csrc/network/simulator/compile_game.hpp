// Compiles a program for clingo to the bytes of a network, in a process that does nothing else. The work may take any
// time and memory, and the process may be killed at any moment. Every error is an outcome, not an exception.
#pragma once

#include <cstdint>
#include <string>

#include "network/circuit/clingo_grounder.hpp"

namespace ggp {

struct CompileOutcome {
  enum class Kind : char {
    kNetwork = 'N',   // text: the result of write_network
    kLimit = 'L',     // text: the exceeded limit of size, in one line
    kMemory = 'M',    // text: a message that memory was exhausted, in one line
    kRules = 'R',     // text: why the rules are not a game, in one line
    kNegation = 'S',  // likewise, because an atom depends on its own negation
  };
  Kind kind;
  std::string text;
};

// Gives up with kLimit if the network has more than `max_gates` gates before the gates for look-ahead are added.
CompileOutcome compile_game(const GroundingRequest& request, std::size_t max_gates);

// Limits the calling process. The process is killed after its CPU-seconds (by SIGPROF) and, under Linux, when its
// parent ends. Its address space is limited to `bytes`. Returns false if the parent process, given by its id, has
// ended.
bool confine(int parent, double cpu_seconds, std::uint64_t bytes);

}  // namespace ggp

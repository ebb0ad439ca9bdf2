// A compiled network as bytes: what the compiler process hands over and what the cache keeps.
//
// Layout: magic number, version, checksum of the rest, then the fields in their order; whole numbers of 32 or 64 bits
// in the byte order of the machine, lists as their length and their items. Reading checks every number that an
// evaluation would use as an index: whatever the bytes are, they give a network that can be evaluated, or an exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "network/lane_program.hpp"

namespace ggp {

struct CompiledNetwork {
  LaneProgram program;
  std::vector<std::string> fluents;             // in the order of the state
  std::vector<std::string> always;              // fluents that hold in every state and have no place in it
  std::vector<std::vector<std::string>> moves;  // by role
  std::vector<std::vector<std::uint32_t>> groups;  // of fluents, by number: at most one of each holds in play

  // Facts for reports.
  std::uint64_t ground_rules = 0;
  std::uint64_t ground_atoms = 0;
  std::uint64_t raw_gates = 0;
  std::uint64_t loop_variables = 0;
  double ground_cpu_s = 0;
  double network_cpu_s = 0;
};

std::string write_network(const CompiledNetwork& network);

// Throws std::runtime_error where the bytes are none that this version of write_network has written.
CompiledNetwork read_network(std::string_view bytes);

}  // namespace ggp

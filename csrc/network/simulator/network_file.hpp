// A compiled network as bytes: the result of the compiler process and the content of the cache.
//
// Layout: magic number | version | checksum of the rest | the fields in their order. Whole numbers have 32 or 64 bits
// in the byte order of the computer. A list is its length and its items. Reading checks every number that an evaluation
// would use as an index: any bytes give either a network that can be evaluated, or an exception.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "network/program/lane_program.hpp"

namespace ggp {

struct CompiledNetwork {
  LaneProgram program;
  std::vector<std::string> fluents;             // in the order of the state
  std::vector<std::string> always;              // fluents that hold in every state and are not stored
  std::vector<std::vector<std::string>> moves;  // by role
  std::vector<std::vector<std::string>> percepts;  // by role
  std::vector<std::vector<std::uint32_t>> groups;  // groups of fluents, by number: at most one of a group holds in play

  // Facts for reports.
  std::uint64_t ground_rules = 0;
  std::uint64_t ground_atoms = 0;
  std::uint64_t raw_gates = 0;
  std::uint64_t loop_variables = 0;
  double ground_cpu_s = 0;
  double network_cpu_s = 0;
};

std::string write_network(const CompiledNetwork& network);

// Throws std::runtime_error if the bytes were not written by this version of write_network.
CompiledNetwork read_network(std::string_view bytes);

}  // namespace ggp

// Tables that a simulator derives from a lane program once: the moves to choose from, and the copies of the next state.
#pragma once

#include <cstdint>
#include <vector>

#include "network/program/lane_kernel.hpp"
#include "network/program/lane_program.hpp"

namespace ggp {

struct ProgramTables {
  explicit ProgramTables(const LaneProgram& program);
  ProgramTables(const ProgramTables&) = delete;  // its parts refer to one another
  ProgramTables(ProgramTables&&) = default;
  ProgramTables& operator=(ProgramTables&&) = delete;

  const LaneProgram& program;
  // By role, the moves to choose from: legal moves; moves kept by the look-ahead.
  std::vector<RoleChoice> legal, kept;
  // How the next values of fluents are copied. Present values of other fluents are saved before any fluent changes.
  std::vector<LaneProgram::Copy> save_plain, save_complemented, restore, copy_plain, copy_complemented;

 private:
  void add_copies(const std::vector<LaneProgram::Copy>& all, bool complemented);

  std::vector<MoveValues> legal_moves_, kept_moves_;  // of all roles
  std::vector<std::uint32_t> order_;                  // of all roles: the moves that may be legal, ascending
};

}  // namespace ggp

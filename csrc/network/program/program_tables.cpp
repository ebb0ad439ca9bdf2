#include "network/program/program_tables.hpp"

namespace ggp {

ProgramTables::ProgramTables(const LaneProgram& program) : program(program) {
  std::size_t total = 0;
  for (const auto& moves : program.legal) total += moves.size();
  legal_moves_.reserve(total);
  kept_moves_.reserve(total);
  order_.reserve(total);
  std::uint32_t first_move = program.first_move;
  for (std::size_t role = 0; role < program.legal.size(); ++role) {
    const auto moves = static_cast<std::uint32_t>(program.legal[role].size());
    const std::uint32_t* order = order_.data() + order_.size();
    const MoveValues *of_legal = legal_moves_.data() + legal_moves_.size(),
                     *of_kept = kept_moves_.data() + kept_moves_.size();
    for (std::uint32_t move = 0; move < moves; ++move) {
      legal_moves_.push_back({program.legal[role][move], first_move + move});
      kept_moves_.push_back({program.kept[role][move], first_move + move});
      if (program.legal[role][move] != LaneProgram::kZeros) order_.push_back(move);
    }
    const auto listed = static_cast<std::uint32_t>(order_.data() + order_.size() - order);
    const auto& wins = program.wins[role];
    legal.push_back({of_legal, moves, first_move, order, listed, nullptr, 0});
    kept.push_back({of_kept, moves, first_move, order, listed, wins.data(), static_cast<std::uint32_t>(wins.size())});
    first_move += moves;
  }
  add_copies(program.next_plain, false);
  add_copies(program.next_complemented, true);
}

void ProgramTables::add_copies(const std::vector<LaneProgram::Copy>& all, bool complemented) {
  auto& copy = complemented ? copy_complemented : copy_plain;
  auto& save = complemented ? save_complemented : save_plain;
  for (const auto& item : all) {
    if (item.from >= program.first_move || item.from < program.first_fluent) {
      copy.push_back(item);
    } else if (item.from != item.to || complemented) {
      const auto place = static_cast<std::uint32_t>(restore.size());
      save.push_back({item.from, place});
      restore.push_back({place, item.to});
    }
  }
}

}  // namespace ggp

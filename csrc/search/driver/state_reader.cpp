#include "search/driver/state_reader.hpp"

#include <algorithm>

#include "search/playout/playout.hpp"

namespace ggp {

StateReader::StateReader(Simulator& simulator, const Config& config, int evaluation)
    : simulator_(simulator),
      roles_(simulator.roles()),
      winning_moves_(config.playout.decisive ? simulator.optional_interface<WinningMoves>() : nullptr),
      knowledge_(make_move_knowledge(config, simulator, evaluation)),
      moves_(widest_role(simulator)),
      goals_(roles_) {}

bool StateReader::read_legal(int lane) {
  legal_.moves.clear();
  legal_.begin.assign(1, 0);
  legal_.winner = kNoWinner;
  for (int role = 0; role < roles_; ++role) {
    const int count = simulator_.legal(lane, role, moves_.data());
    if (count == 0) return false;
    legal_.moves.insert(legal_.moves.end(), moves_.begin(), moves_.begin() + count);
    legal_.begin.push_back(legal_.moves.size());
  }
  return true;
}

void StateReader::keep_win(int lane) {
  if (winning_moves_ == nullptr) return;
  for (int role = 0; role < std::min<int>(roles_, kSeveralWinners - 1); ++role) {
    const std::size_t begin = legal_.begin[role], end = legal_.begin[role + 1];
    if (end - begin == 1 || winning_moves_->winning(lane, role, moves_.data()) == 0) continue;
    legal_.winner = legal_.winner == kNoWinner ? static_cast<std::uint8_t>(role + 1) : kSeveralWinners;
    legal_.moves[begin] = moves_[0];
    legal_.moves.erase(legal_.moves.begin() + begin + 1, legal_.moves.begin() + end);
    for (int next = role + 1; next <= roles_; ++next) legal_.begin[next] -= end - begin - 1;
  }
}

const int* StateReader::read_goals(int lane) {
  for (int role = 0; role < roles_; ++role) goals_[role] = simulator_.goal(lane, role);
  return goals_.data();
}

}  // namespace ggp

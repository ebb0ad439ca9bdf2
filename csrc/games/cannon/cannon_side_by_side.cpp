#include "games/cannon/cannon_side_by_side.hpp"

namespace ggp {
namespace {

using namespace cannon_squares;

Board seen_by(std::uint32_t role, Board squares) {
  if (role == 0) return squares;
  Board turned = 0;
  for_each_bit(squares, [&](int place) { turned |= bit(kLastPlace - place); });
  return turned;
}
std::uint64_t seen_by(std::uint32_t role, int town) {
  return town < 0 ? CannonSideBySide::kNone : static_cast<std::uint64_t>(role == 0 ? town : kSize - 1 - town);
}
std::int16_t town_of(std::uint32_t role, std::uint64_t seen) {
  if (seen == CannonSideBySide::kNone) return -1;
  return static_cast<std::int16_t>(role == 0 ? seen : kSize - 1 - seen);
}

}  // namespace

void CannonSideBySide::set(int board, const CannonState& state) {
  const std::uint32_t role = state.moves & 1;
  const Board own = seen_by(role, state.soldiers[role]), other = seen_by(role, state.soldiers[1 - role]);
  for (int half = 0; half < 2; ++half) {
    mine[half][board] = static_cast<std::uint64_t>(own >> 64 * half);
    theirs[half][board] = static_cast<std::uint64_t>(other >> 64 * half);
  }
  home[board] = seen_by(role, state.town[role]);
  far[board] = seen_by(role, state.town[1 - role]);
  moves[board] = state.moves;
}

CannonState CannonSideBySide::get(int board) const {
  CannonState state{};
  state.moves = static_cast<std::uint32_t>(moves[board]);
  const std::uint32_t role = state.moves & 1;
  state.soldiers[role] = seen_by(role, Board{mine[1][board]} << 64 | mine[0][board]);
  state.soldiers[1 - role] = seen_by(role, Board{theirs[1][board]} << 64 | theirs[0][board]);
  state.town[role] = town_of(role, home[board]);
  state.town[1 - role] = town_of(role, far[board]);
  return state;
}

}  // namespace ggp

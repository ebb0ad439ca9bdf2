#include "hidden/hidden_game.hpp"

#include <algorithm>
#include <stdexcept>

namespace ggp {

HiddenGame::HiddenGame(Simulator& simulator, int chance)
    : simulator_(simulator),
      percepts_(simulator.optional_interface<Percepts>()),
      columns_(simulator.optional_interface<LaneColumns>()),
      chance_(chance),
      hashes_(simulator.lanes()) {
  if (percepts_ == nullptr) throw std::invalid_argument("the machine of this game has no percepts");
  int widest = 1;
  for (int role = 0; role < simulator.roles(); ++role) widest = std::max(widest, simulator.moves(role));
  legal_.resize(widest);
}

void HiddenGame::keep_legal(int role, int move, LaneMask& mask) {
  if (move < 0 || move >= simulator_.moves(role)) return remove_lanes(mask);
  if (columns_ != nullptr) {
    const std::uint64_t* legal = columns_->legal_lanes(role, move);
    for (std::size_t group = 0; group < mask.size(); ++group) mask[group] &= legal[group];
    return;
  }
  for (std::size_t group = 0; group < mask.size(); ++group)
    for_each_lane(static_cast<int>(group), mask[group], [&](int lane) {
      const int count = simulator_.legal(lane, role, legal_.data());
      if (!std::binary_search(legal_.begin(), legal_.begin() + count, move)) remove_lane(mask, lane);
    });
}

void HiddenGame::advance_keys(const LaneMask& mask, const std::int32_t* moves, std::uint64_t* keys) {
  const int all = roles();
  for (int role = 0; role < all; ++role) {
    if (role == chance_) continue;
    percepts_->hash_percepts(role, mask.data(), hashes_.data());
    const std::int32_t* chosen = moves + std::size_t(role) * lanes();
    for (std::size_t group = 0; group < mask.size(); ++group)
      for_each_lane(static_cast<int>(group), mask[group], [&](int lane) {
        std::uint64_t& key = keys[std::size_t(lane) * all + role];
        key = next_key(key, chosen[lane], hashes_[lane]);
      });
  }
}

}  // namespace ggp

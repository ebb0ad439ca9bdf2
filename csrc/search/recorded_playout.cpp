#include "search/recorded_playout.hpp"

#include "random.hpp"
#include "search/sampling.hpp"

namespace ggp {

void RecordedPlayout::begin(int lane, std::uint64_t seed) {
  lanes_[lane].random = seed;
  lanes_[lane].choices.clear();
}

void RecordedPlayout::add(int lane, RoleMove choice, bool same_ply) {
  std::vector<Chosen>& choices = lanes_[lane].choices;
  if (choices.size() == kLongest) return;
  choices.push_back({static_cast<std::uint32_t>(choice.move), static_cast<std::uint16_t>(choice.role), same_ply});
}

void RecordedPlayout::choose(Lanes& lanes, const std::uint64_t* mask) {
  same_ply_ = false;
  lanes.ask_chooser(mask, *this);
}

void RecordedPlayout::choose(const Choices& choices) {
  for (int role = 0; role < roles_; ++role) {
    for (int group = 0; group < choices.groups; ++group) {
      for (std::uint64_t left = choices.of_role(role)[group]; left != 0; left &= left - 1) {
        const int lane = 64 * group + __builtin_ctzll(left);
        const std::uint32_t move = pick(lane, role, choices, same_ply_);
        choices.moves[lane] = move;
        add(lane, {role, static_cast<int>(move)}, same_ply_);
      }
    }
  }
  same_ply_ = true;
}

std::uint32_t RecordedPlayout::pick(int lane, int, const Choices& choices, bool) {
  return any_move(choices, lane, draw(random(lane)));
}

std::uint32_t RecordedPlayout::first_to_try(int, const std::uint32_t*, std::uint32_t count, std::uint64_t random) const {
  return even_place(random, count);
}

}  // namespace ggp

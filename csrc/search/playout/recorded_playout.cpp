#include "search/playout/recorded_playout.hpp"

#include "search/playout/draw_moves.hpp"
#include "search/playout/sampling.hpp"

namespace ggp {

void RecordedPlayout::begin(int lane, std::uint64_t seed) {
  MoveLearner::begin(lane, seed);
  random_[lane] = seed;
}

void RecordedPlayout::choose(Lanes& lanes, const std::uint64_t* mask) {
  same_ply_ = false;
  lanes.ask_chooser(mask, *this);
}

void RecordedPlayout::choose(const Choices& choices) {
  for (int role = 0; role < roles_; ++role) {
    pick(choices, role, same_ply_);
    choices.for_each_lane(role, [&](int lane) { add(lane, {role, static_cast<int>(choices.moves[lane])}, same_ply_); });
  }
  same_ply_ = true;
}

void RecordedPlayout::pick(const Choices& choices, int role, bool) {
  draw_moves(choices, role, random(), choices.moves);
}

std::uint32_t RecordedPlayout::first_to_try(int, const std::uint32_t*, std::uint32_t count, std::uint64_t random) const {
  return even_place(random, count);
}

}  // namespace ggp

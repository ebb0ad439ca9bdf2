#include "network/simulator/network_batch.hpp"

#include <algorithm>
#include <utility>

#include "base/lane_mask.hpp"

namespace ggp {

NetworkBatch::NetworkBatch(std::shared_ptr<const LaneProgram> program, const LaneKernel& kernel, int count)
    : StateBatch(std::make_unique<NetworkSimulator>(program, kernel), count),
      program_(std::move(program)),
      kernel_(kernel),
      network_(static_cast<NetworkSimulator&>(*simulator_)),
      row_(kernel.words) {}

int NetworkBatch::give(int role, const std::uint64_t* mask, const std::int32_t* moves, bool may_draw) {
  std::uint64_t* several = several_ + std::size_t(role) * words();
  for (int w = 0; w < words(); ++w) {
    for (std::uint64_t left = mask[w]; left != 0; left &= left - 1) {
      const int lane = 64 * w + __builtin_ctzll(left);
      const std::int32_t move = moves[lane];
      if (move == kDraw && may_draw) continue;
      if (move < 0 || move >= network_.moves(role) || !network_.is_legal(role, lane, move)) return lane;
      network_.set_move(role, lane, move);
      several[w] &= ~(left & -left);  // these are not drawn
    }
  }
  return -1;
}

void NetworkBatch::play(const std::uint64_t* mask, const std::uint64_t* held) {
  for (int role = 0; role < roles(); ++role)
    for (int w = 0; w < words(); ++w) several_[std::size_t(role) * words() + w] &= mask[w];
  network_.draw_rest();
  if (!perceived_.empty()) perceive(mask);
  network_.step_but(held);
}

void NetworkBatch::record_percepts() {
  for (int role = 0; role < roles(); ++role) perceived_.emplace_back(std::size_t(percepts(role)) * words());
}

void NetworkBatch::perceive(const std::uint64_t* mask) {
  network_.perceive();
  for (int role = 0; role < roles(); ++role) {
    std::uint64_t* row = perceived_[role].data();
    for (const std::uint32_t percept : network_.evaluated().percepts[role]) {
      const std::uint64_t* lanes = network_.lanes_of(percept);
      for (int w = 0; w < words(); ++w) *row++ = lanes[w] & mask[w];
    }
  }
}

void NetworkBatch::percept_bytes(int role, std::uint8_t* out, std::size_t stride) {
  for (int percept = 0; percept < percepts(role); ++percept)
    spread(&perceived_[role][std::size_t(percept) * words()], out + percept * stride);
}

void NetworkBatch::drawn(int role, const std::uint64_t* mask, std::int32_t* out) {
  network_.for_each_chosen(role, [&](int move, const std::uint64_t* lanes) {
    for (int w = 0; w < words(); ++w) for_each_lane(w, lanes[w] & mask[w], [&](int lane) { out[lane] = move; });
  });
}

void NetworkBatch::spread(const std::uint64_t* lanes, std::uint8_t* row) const {
  const int whole = count() / 64;
  kernel_.spread(lanes, whole, row);
  for (int lane = 64 * whole; lane < count(); ++lane) row[lane] = lanes[lane >> 6] >> (lane & 63) & 1;
}

void NetworkBatch::fluent_bytes(std::uint8_t* out, std::size_t stride) {
  const std::uint64_t* words_of = network_.fluent(0);
  if (count() == 1) {
    const int all = fluents(), width = words();
    for (int fluent = 0; fluent < all; ++fluent) out[fluent * stride] = words_of[std::size_t(fluent) * width] & 1;
    return;
  }
  for (int fluent = 0; fluent < fluents(); ++fluent)
    spread(words_of + std::size_t(fluent) * words(), out + fluent * stride);
}

void NetworkBatch::legal_bytes(int role, std::uint8_t* out, std::size_t stride) {
  const std::uint64_t* terminal = network_.terminal();
  for (int move = 0; move < moves(role); ++move) {
    const std::uint64_t* legal = network_.legal_lanes(role, move);
    for (int w = 0; w < words(); ++w) row_[w] = legal[w] & ~terminal[w];
    spread(row_.data(), out + move * stride);
  }
}

void NetworkBatch::movers_legal_bytes(const std::uint64_t* of_mover, std::uint8_t* out, std::size_t stride) {
  const std::uint64_t* terminal = network_.terminal();
  int widest = 0;
  for (int role = 0; role < roles(); ++role) widest = std::max(widest, moves(role));
  if (count() == 1) {
    int mover = 0;
    while ((of_mover[std::size_t(mover) * words()] & 1) == 0) ++mover;
    const std::uint64_t playing = active_[0] & 1, *values = network_.lanes_of(0);
    const std::uint32_t* legal = network_.evaluated().legal[mover].data();
    const int own = moves(mover), width = words();
    for (int move = 0; move < own; ++move) out[move * stride] = values[std::size_t{legal[move]} * width] & playing;
    for (int move = own; move < widest; ++move) out[move * stride] = 0;
    return;
  }
  for (int move = 0; move < widest; ++move) {
    std::fill(row_.begin(), row_.end(), 0);
    for (int role = 0; role < roles(); ++role) {
      if (move >= moves(role)) continue;
      const std::uint64_t* legal = network_.legal_lanes(role, move);
      for (int w = 0; w < words(); ++w) row_[w] |= legal[w] & of_mover[std::size_t(role) * words() + w] & ~terminal[w];
    }
    spread(row_.data(), out + move * stride);
  }
}

void NetworkBatch::goals(const std::uint64_t* mask, std::int8_t* out, std::size_t stride) {
  constexpr std::int8_t kNone = -1;
  network_.evaluate_goals();
  for (int role = 0; role < roles(); ++role) {
    std::int8_t* row = out + role * stride;
    const auto for_lanes = [&](const std::uint64_t* holds, auto action) {
      for (int w = 0; w < words(); ++w) for_each_lane(w, mask[w] & (holds == nullptr ? mask[w] : holds[w]), action);
    };
    for_lanes(nullptr, [&](int lane) { row[lane] = kNone; });
    for (const auto& goal : network_.evaluated().goals[role]) {  // ascending, so the highest stays
      for_lanes(network_.lanes_of(goal.holds), [&](int lane) { row[lane] = static_cast<std::int8_t>(goal.value); });
    }
  }
}

void NetworkBatch::legal_words(int role, std::uint64_t* out, std::size_t stride) {
  for (int move = 0; move < moves(role); ++move) {
    const std::uint64_t* legal = network_.legal_lanes(role, move);
    for (int w = 0; w < words(); ++w) out[move * stride + w] = legal[w] & active_[w];
  }
}

BatchParts network_parts(const std::shared_ptr<const LaneProgram>& program, const LaneKernel& kernel, int n) {
  return make_batch_parts(n, 64 * kernel.words,
                          [&](int count) { return std::make_unique<NetworkBatch>(program, kernel, count); });
}

}  // namespace ggp

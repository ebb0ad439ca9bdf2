#include "games/common/module_batch.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/lane_mask.hpp"

namespace ggp {

ModuleBatch::ModuleBatch(std::unique_ptr<Simulator> simulator, int count)
    : StateBatch(std::move(simulator), count),
      reported_moves_(*simulator_->optional_interface<ReportedMoves>()),
      fluent_states_(*simulator_->optional_interface<FluentStates>()),
      to_draw_(words()),
      is_given_(words()),
      given_(count),
      first_(count + 1),
      several_(std::size_t(roles()) * words()),
      reported_(simulator_->lanes()),
      kept_(std::size_t(count) * state_words()),
      kept_at_(simulator_->lanes()),
      true_fluents_(fluents()) {
  for (int lane = 0; lane < count; ++lane) kept_at_[lane] = kept_.data() + std::size_t(lane) * state_words();
}

void ModuleBatch::take_back() { remove_lanes(is_given_); }

void ModuleBatch::list_moves() {
  if (is_listed_) return;
  is_listed_ = true;
  std::fill(several_.begin(), several_.end(), 0);
  std::size_t end = 0;
  for (int lane = 0; lane < count(); ++lane) {
    first_[lane] = end;
    if (!is_active(lane)) continue;
    const int role = reported_moves_.mover(lane);
    if (list_.size() < end + moves(role)) list_.resize(end + moves(role));
    const int found = simulator_->legal(lane, role, &list_[end]);
    end += found;
    if (found > 1) several_[std::size_t(role) * words() + (lane >> 6)] |= lane_bit(lane);
  }
  first_[count()] = end;
}

const std::uint64_t* ModuleBatch::several(int role) {
  list_moves();
  return &several_[std::size_t(role) * words()];
}

int ModuleBatch::give(int role, const std::uint64_t* mask, const std::int32_t* moves, bool may_draw) {
  for (int w = 0; w < words(); ++w)
    for (std::uint64_t left = mask[w]; left != 0; left &= left - 1) {
      const int lane = 64 * w + __builtin_ctzll(left);
      const std::int32_t move = moves[lane];
      if (move == kDraw && may_draw) continue;
      if (role != reported_moves_.mover(lane)) {
        if (move != waiting(role)) return lane;
        continue;
      }
      list_moves();
      if (!std::binary_search(list_.data() + first_[lane], list_.data() + first_[lane + 1], move)) return lane;
      given_[lane] = move;
      is_given_[w] |= left & -left;
    }
  return -1;
}

void ModuleBatch::play(const std::uint64_t* mask, const std::uint64_t*) {
  for (int w = 0; w < words(); ++w) to_draw_[w] = mask[w] & ~is_given_[w];
  simulator_->choose_at_random(to_draw_.data());
  for (int w = 0; w < words(); ++w)
    for_each_lane(w, mask[w] & is_given_[w],
                  [&](int lane) { simulator_->choose(lane, reported_moves_.mover(lane), given_[lane]); });
  simulator_->step();
}

// Native games draw a move and play it in one step, so the states must be loaded again afterwards.
void ModuleBatch::draw() {
  simulator_->store(active_.data(), kept_at_.data());
  reported_moves_.choose_and_report(active_.data(), MoveDraw::kUniform, reported_.data());
  simulator_->load(active_.data(), kept_at_.data());
}

void ModuleBatch::drawn(int role, const std::uint64_t* mask, std::int32_t* out) {
  for_each_lane(mask, words(), [&](int lane) {
    if (role != reported_moves_.mover(lane)) {
      out[lane] = waiting(role);
    } else if (reported_[lane].move >= 0) {
      out[lane] = reported_[lane].move;
    } else {
      list_moves();
      out[lane] = list_[first_[lane]];
    }
  });
}

template <class See>
void ModuleBatch::for_each_legal(int role, int lane, See see) {
  if (role != reported_moves_.mover(lane)) return see(waiting(role));
  for (std::size_t i = first_[lane]; i < first_[lane + 1]; ++i) see(list_[i]);
}

void ModuleBatch::legal_bytes(int role, std::uint8_t* out, std::size_t stride) {
  list_moves();
  for (int move = 0; move < moves(role); ++move) std::memset(out + move * stride, 0, count());
  for_each_lane(active_.data(), words(), [&](int lane) {
    for_each_legal(role, lane, [&](int move) { out[move * stride + lane] = 1; });
  });
}

void ModuleBatch::movers_legal_bytes(const std::uint64_t* of_mover, std::uint8_t* out, std::size_t stride) {
  list_moves();
  int widest = 0;
  for (int role = 0; role < roles(); ++role) widest = std::max(widest, moves(role));
  for (int move = 0; move < widest; ++move) std::memset(out + move * stride, 0, count());
  for (int role = 0; role < roles(); ++role)
    for (int w = 0; w < words(); ++w)
      for_each_lane(w, active_[w] & of_mover[std::size_t(role) * words() + w], [&](int lane) {
        for_each_legal(role, lane, [&](int move) { out[move * stride + lane] = 1; });
      });
}

void ModuleBatch::legal_words(int role, std::uint64_t* out, std::size_t stride) {
  list_moves();
  for (int move = 0; move < moves(role); ++move) std::memset(out + move * stride, 0, sizeof *out * words());
  for_each_lane(active_.data(), words(), [&](int lane) {
    for_each_legal(role, lane, [&](int move) { out[move * stride + (lane >> 6)] |= lane_bit(lane); });
  });
}

void ModuleBatch::goals(const std::uint64_t* mask, std::int8_t* out, std::size_t stride) {
  for (int role = 0; role < roles(); ++role)
    for_each_lane(mask, words(), [&](int lane) {
      out[role * stride + lane] = static_cast<std::int8_t>(simulator_->goal(lane, role));
    });
}

void ModuleBatch::fluent_bytes(std::uint8_t* out, std::size_t stride) {
  for (int fluent = 0; fluent < fluents(); ++fluent) std::memset(out + fluent * stride, 0, count());
  for (int lane = 0; lane < count(); ++lane) {
    const int found = fluent_states_.true_fluents(lane, true_fluents_.data());
    for (int i = 0; i < found; ++i) out[true_fluents_[i] * stride + lane] = 1;
  }
}

const std::uint64_t* ModuleBatch::fluent_words() {
  if (has_fluent_words_) return fluent_words_.data();
  has_fluent_words_ = true;
  fluent_words_.assign(std::size_t(fluents()) * words(), 0);
  for (int lane = 0; lane < count(); ++lane) {
    const int found = fluent_states_.true_fluents(lane, true_fluents_.data());
    for (int i = 0; i < found; ++i) fluent_words_[std::size_t(true_fluents_[i]) * words() + (lane >> 6)] |= lane_bit(lane);
  }
  return fluent_words_.data();
}

BatchParts module_parts(const Module& module, int lanes, bool fast, int n, Vectors widest) {
  return make_batch_parts(
      n, lanes, [&](int count) { return std::make_unique<ModuleBatch>(module.simulator(lanes, fast, widest), count); });
}

}  // namespace ggp

#include "search/playout/pool_playout.hpp"

#include <algorithm>
#include <functional>

#include "base/random.hpp"
#include "search/playout/draw_moves.hpp"
#include "search/playout/sampling.hpp"
#include "search/tree/tree.hpp"

namespace ggp {

PoolPlayout::PoolPlayout(const PoolConfig& config, MoveDraw fallback, Simulator& simulator)
    : RecordedPlayout(simulator),
      size_(config.size),
      probability_(static_cast<std::uint64_t>(config.probability * 0x1p32)),
      fallback_(fallback),
      moves_(moves_by_role(simulator)),
      reported_moves_(simulator.optional_interface<ReportedMoves>()),
      bitwise_legality_(simulator.optional_interface<BitwiseLegality>()),
      legality_lookup_(simulator.optional_interface<LegalityLookup>()),
      pools_(std::size_t(simulator.lanes()) * moves_.size()),
      by_pool_(simulator.groups()),
      by_fallback_(simulator.groups()),
      reported_(simulator.lanes()),
      legal_(widest_role(simulator)) {}

void PoolPlayout::begin(int lane, std::uint64_t seed) {
  RecordedPlayout::begin(lane, seed);
  for (int role = 0; role < static_cast<int>(moves_.size()); ++role) pool(lane, role).clear();
}

void PoolPlayout::leave_tree(int lane, const AmafSum* table) {
  for (int role = 0; table != nullptr && role < static_cast<int>(moves_.size()); ++role) {
    const auto count = static_cast<std::uint32_t>(moves_[role]);
    ranks_.clear();
    for (std::uint32_t move = 0; move < count; ++move)
      if (table[move].count > 0) ranks_.push_back(rank(table[move].reward / static_cast<float>(table[move].count), move));
    const std::size_t size = std::min(size_, ranks_.size());
    std::partial_sort(ranks_.begin(), ranks_.begin() + static_cast<std::ptrdiff_t>(size), ranks_.end(), std::greater<>());
    for (std::size_t i = 0; i < size; ++i) pool(lane, role).push_back(place_of_rank(ranks_[i]));
    table += count;
  }
}

int PoolPlayout::draw_from_pool(int lane, int role) {
  const std::vector<std::uint32_t>& pool = this->pool(lane, role);
  const std::uint64_t drawn = draw(random()[lane]);
  if (pool.empty() || !explores(drawn, probability_)) return -1;
  return static_cast<int>(pool[even_place(drawn, static_cast<std::uint32_t>(pool.size()))]);
}

bool PoolPlayout::is_legal(Simulator& simulator, int lane, int role, int move) {
  const auto number = static_cast<std::uint32_t>(move);
  if (bitwise_legality_ != nullptr) return move < 64 && (bitwise_legality_->legal_bits(lane) >> number & 1) != 0;
  std::uint32_t place;
  if (legality_lookup_ != nullptr) return legality_lookup_->find_legal(lane, fallback_, &number, 1, &place) == 1;
  return std::binary_search(legal_.begin(), legal_.begin() + simulator.legal(lane, role, legal_.data()), move);
}

// The simulator makes the moves of the fallback policy, and reports them.
void PoolPlayout::choose(Lanes& lanes, const std::uint64_t* mask) {
  if (reported_moves_ == nullptr) return RecordedPlayout::choose(lanes, mask);
  Simulator& simulator = lanes.simulator();
  for (int group = 0; group < simulator.groups(); ++group) {
    by_pool_[group] = 0;
    for_each_lane(group, mask[group], [&](int lane) {
      const int role = reported_moves_->mover(lane), move = draw_from_pool(lane, role);
      if (move < 0 || !is_legal(simulator, lane, role, move)) return;
      reported_[lane] = {role, move};
      add_lane(by_pool_, lane);
    });
    by_fallback_[group] = mask[group] & ~by_pool_[group];
  }
  reported_moves_->choose_reported(by_pool_.data(), reported_.data());
  reported_moves_->choose_and_report(by_fallback_.data(), fallback_, reported_.data());
  for (int group = 0; group < simulator.groups(); ++group)
    for_each_lane(group, mask[group], [&](int lane) {
      if (reported_[lane].role >= 0) add(lane, {reported_[lane].role, reported_[lane].move}, false);
    });
}

void PoolPlayout::pick(const Choices& choices, int role, bool) {
  draw_moves(choices, role, random(), choices.moves);
  choices.for_each_lane(role, [&](int lane) {
    const int move = draw_from_pool(lane, role);
    if (move >= 0 && (choices.word(lane, move / 64) >> (move % 64) & 1) != 0)
      choices.moves[lane] = static_cast<std::uint32_t>(move);
  });
}

}  // namespace ggp

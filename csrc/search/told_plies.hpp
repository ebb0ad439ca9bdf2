// The moves of play-outs under way, as simulators tell them that draw by themselves: a row of all lanes for each turn, so
// that nothing has to be copied, in a ring that doubles as play-outs are longer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lane_mask.hpp"
#include "search/playout.hpp"

namespace ggp {

class ToldPlies {
 public:
  explicit ToldPlies(int lanes) : lanes_(static_cast<std::size_t>(lanes)), began_(lanes_, 0) {}

  // The play-out of a lane begins with the next turn.
  void begin(int lane) { began_[lane] = turn_; }
  // The row of a new turn, by lane, for all lanes of a mask to be written to.
  ToldMove* next(const LaneMask& mask) {
    if (turn_ == full_at_) make_room(mask);
    return row(turn_++);
  }

  // Turns are numbered one after the other; what was told in those of first() .. turn() - 1 is a play-out. Of one that
  // is longer than kMostRows the latest turns are left.
  std::uint64_t turn() const { return turn_; }
  std::uint64_t first(int lane) const {
    return std::max(began_[lane], turn_ < kMostRows ? std::uint64_t{0} : turn_ - kMostRows);
  }
  const ToldMove& at(std::uint64_t turn, int lane) const { return rows_[(turn & (count_ - 1)) * lanes_ + std::size_t(lane)]; }

 private:
  static constexpr std::uint64_t kMostRows = MoveLearner::kLongest, kFewestRows = 64;

  ToldMove* row(std::uint64_t turn) { return &rows_[(turn & (count_ - 1)) * lanes_]; }
  // What is older than the play-outs of the mask gives way; as many rows as these have are to be free.
  void make_room(const LaneMask& mask) {
    std::uint64_t oldest = turn_;
    for (std::size_t group = 0; group < mask.size(); ++group)
      for_each_lane(static_cast<int>(group), mask[group], [&](int lane) { oldest = std::min(oldest, began_[lane]); });
    std::uint64_t count = std::max(count_, kFewestRows);
    while (count < 2 * (turn_ - oldest) && count < kMostRows) count *= 2;
    if (count != count_) {
      ToldPlies wider(static_cast<int>(lanes_));
      wider.count_ = count;
      wider.rows_.resize(count * lanes_);
      for (std::uint64_t turn = oldest; turn < turn_; ++turn) std::copy_n(row(turn), lanes_, wider.row(turn));
      rows_.swap(wider.rows_);
      count_ = count;
    }
    full_at_ = std::max(oldest + count_, turn_ + 1);
  }

  const std::size_t lanes_;
  std::vector<std::uint64_t> began_;  // by lane
  std::vector<ToldMove> rows_;
  std::uint64_t count_ = 0;           // of rows: a power of two, or none yet
  std::uint64_t turn_ = 0, full_at_ = 0;
};

}  // namespace ggp

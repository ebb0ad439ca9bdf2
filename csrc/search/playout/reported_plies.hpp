// The moves of the current play-outs, as ReportedMoves reports them: without copies, in a row of all lanes for each
// turn. The rows are a ring, which doubles for longer play-outs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/lane_mask.hpp"
#include "interfaces/reported_moves.hpp"
#include "search/playout/playout.hpp"

namespace ggp {

class ReportedPlies {
 public:
  explicit ReportedPlies(int lanes) : lanes_(static_cast<std::size_t>(lanes)), began_(lanes_, 0) {}

  // The play-out of a lane begins with the next turn.
  void begin(int lane) { began_[lane] = turn_; }
  // The row of a new turn, by lane; the caller must write all lanes of the mask.
  ReportedMove* next(const LaneMask& mask) {
    if (turn_ == full_at_) make_room(mask);
    return row(turn_++);
  }

  // Turns are numbered consecutively; the play-out of a lane has the turns first() .. turn() - 1. Of a play-out of more
  // than kMostRows turns only the latest are kept.
  std::uint64_t turn() const { return turn_; }
  std::uint64_t first(int lane) const {
    return std::max(began_[lane], turn_ < kMostRows ? std::uint64_t{0} : turn_ - kMostRows);
  }
  const ReportedMove& at(std::uint64_t turn, int lane) const { return rows_[(turn & (count_ - 1)) * lanes_ + std::size_t(lane)]; }

 private:
  static constexpr std::uint64_t kMostRows = MoveLearner::kLongest, kFewestRows = 64;

  ReportedMove* row(std::uint64_t turn) { return &rows_[(turn & (count_ - 1)) * lanes_]; }
  // Drops rows that are older than the play-outs of the mask, and makes as many rows free as these play-outs have.
  void make_room(const LaneMask& mask) {
    std::uint64_t oldest = turn_;
    for (std::size_t group = 0; group < mask.size(); ++group)
      for_each_lane(static_cast<int>(group), mask[group], [&](int lane) { oldest = std::min(oldest, began_[lane]); });
    std::uint64_t count = std::max(count_, kFewestRows);
    while (count < 2 * (turn_ - oldest) && count < kMostRows) count *= 2;
    if (count != count_) {
      ReportedPlies wider(static_cast<int>(lanes_));
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
  std::vector<ReportedMove> rows_;
  std::uint64_t count_ = 0;           // number of rows: a power of two, or 0
  std::uint64_t turn_ = 0, full_at_ = 0;
};

}  // namespace ggp

// The state of a searcher between two runs as bytes.
#include <algorithm>

#include "search/driver/searcher.hpp"
#include "search/tree/archive.hpp"

namespace ggp {

void Searcher::archive(Archive& archive) {
  if (!archive.reads()) {
    if (used_.load()) throw std::logic_error("the search is running: stop it first");
    return archive_all(archive);
  }
  try {
    archive_all(archive);
    if (archive.left() != 0) throw ArchiveError("bytes are left over");
  } catch (...) {
    set_root(simulator_.initial());
    throw;
  }
}

void Searcher::archive_all(Archive& archive) {
  double seconds = statistics().seconds;
  archive.fixed(root_state_);
  archive(consider_at_, numbered_, in_flight_, speed_, started_, completed_, max_depth_, seconds);
  tree_.archive(archive);
  traversal_.archive(archive);
  recycler_.archive(archive);
  reward_->archive(archive);
  for (SimulationObserver* observer : observers_) observer->archive(archive);
  if (!archive.reads()) return;
  in_flight_ = std::clamp(in_flight_, 1, most_in_flight());
  start_ = Clock::now() - std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  publish();
}

}  // namespace ggp

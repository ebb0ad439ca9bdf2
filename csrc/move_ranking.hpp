// The values of all moves, ranked by a simulator so that it finds the best of the legal ones without a list of them.
#pragma once

namespace ggp {

// Values are kept by who asks for the ranking, and are not NaN. What is said of a ranking is said by one thread at a time.
class MoveRanking {
 public:
  virtual ~MoveRanking() = default;
  // Any value may have changed.
  virtual void refresh() = 0;
  // The value of one move has changed.
  virtual void changed(int role, int move) = 0;
};

}  // namespace ggp

// The best line of a game of one role that the simulations of a search have come upon.
//
// Nobody plays against the one role, so a line of moves that a simulation has followed to the end of the game can be
// followed again, however little its neighbours promise: a search that averages must not lose it (Cazenave, "Nested
// Monte-Carlo search", IJCAI 2009, keeps the best sequence at every level for the same reason).
//
// What a simulation does costs nothing more. Where one ends with a higher goal than any before, which happens a hundred
// times at most, its path and what its play-out can be played again with are noted: the seed of its random stream where
// the simulator draws from that, the list of its choices where the policy keeps one. Nothing is noted of play-outs that
// have neither (rank_playout.hpp in vectors of lanes, evaluation_playout.hpp); their ends inside the tree are.
//
// The moves themselves are found by replaying the note in a lane at rest, when the line is asked for or the root moves
// on. A simulator does not tell what it draws; so the state behind the draw is compared with that behind every legal
// move. Moves that lead to the same state are as good as one another: the first is taken. That takes microseconds a move on
// a network, and seconds for a long line where rules are evaluated as they are: so replaying has a limit of time, beyond
// which the note stays for the next time.
#pragma once

#include <cstdint>
#include <vector>

#include "search/archive.hpp"
#include "search/lanes.hpp"
#include "search/playout.hpp"

namespace ggp {

class BestLine {
 public:
  // How the end of a game was reached.
  struct Ending {
    int goal = -1;
    std::vector<int> path;                  // moves from the root on, as far as the tree went
    bool played_out = false;                // whether a play-out followed, and what it can be replayed with:
    PlayoutRecord record = PlayoutRecord::kNone;
    std::uint64_t seed = 0;                 // of the stream
    std::vector<std::uint32_t> choices;     // of the play-out, of plies in which there was one
  };

  // `decisive`: whether play-outs look a move ahead.
  explicit BestLine(bool decisive) : decisive_(decisive) {}

  // Forgets everything: the search begins at another state.
  void reset() { *this = BestLine(decisive_); }
  void archive(Archive& archive) {
    archive(goal_, noted_, ending_.goal, ending_.path, ending_.played_out, ending_.record, ending_.seed, ending_.choices,
            moves_);
  }
  // Whether an end with this goal is better than all that are known.
  bool beats(int goal) const { return goal > goal_; }
  // Notes a better end of a simulation from the root.
  void note(Ending ending);
  // Goes on behind a move at the root, whose state is given; a line that begins otherwise is forgotten, and a note that
  // takes long to replay. The lanes are at rest; those of a shared simulator look ahead no more afterwards.
  void advance(const std::uint64_t* root, int move, Lanes& lanes);
  // The moves from the root, whose state is given, to the end of the best line; empty where none is known, or where so
  // many seconds are too few to replay it.
  const std::vector<int>& moves(const std::uint64_t* root, Lanes& lanes, double seconds);
  // What the line ends with; -1 where none is known.
  int goal() const { return goal_; }

 private:
  class Replay;

  bool decisive_;
  int goal_ = -1;
  bool noted_ = false;  // the line is that of the ending, still to be replayed
  Ending ending_;
  std::vector<int> moves_;
};

}  // namespace ggp

// Exact play of one role against chance: backward induction over beliefs.
//
// A belief B is a set of states with probabilities w. With V(B) as the goal that the role can expect,
//   V(B) = max over moves m of  sum over s, c:  w(s) / |C(s)| * [end] goal  +  sum over percepts p:  P(p) V(B(m, p))
// where c are the moves of chance, and B(m, p) are the successors with the percepts p, with their probabilities.
// Beliefs with equal states and probabilities share one entry in a table. This is the method of Smallwood and Sondik
// (Operations Research, 1973) without linear programs, because only reachable beliefs are visited.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hidden/hidden_game.hpp"
#include "hidden/particles.hpp"

namespace ggp {

class OneRoleSolver {
 public:
  static constexpr std::size_t kMostWork = std::size_t{1} << 23;

  // The only player of the game is the role; chance may take part.
  OneRoleSolver(HiddenGame& game, int role);

  // Writes the expected goal, 0..100, of each move in all states of a complete belief, ascending by move. Returns false
  // if `ended` returned true first, if there are more than kMostWork joint moves, or if the role does not know its
  // legal moves.
  bool solve(const Particles& belief, const std::function<bool()>& ended, std::vector<std::pair<int, double>>& values);

 private:
  struct States {
    std::vector<std::uint64_t> words;  // of all states, ascending
    std::vector<double> weights;       // sum 1
  };
  struct Successor {
    int move;
    std::uint64_t percepts;  // their hash
    double weight;
    int goal;                // -1 in states that are not terminal
    std::uint32_t state;     // its place in the words
  };

  double value(const States& states, std::vector<std::pair<int, double>>* moves);
  void expand(const States& states, std::vector<Successor>& successors, std::vector<std::uint64_t>& words);
  States behind(const Successor* begin, const Successor* end, const std::vector<std::uint64_t>& words) const;
  std::uint64_t hash(const States& states) const;

  HiddenGame& game_;
  int role_;
  std::function<bool()> ended_;
  std::size_t work_ = 0;
  bool failed_ = false;
  std::unordered_map<std::uint64_t, double> known_;
};

}  // namespace ggp

// Decisive moves: those that win at once are played whenever they are legal.
//
// Teytaud and Teytaud ("On the huge benefit of decisive moves in Monte-Carlo tree search algorithms", CIG 2010)
// look at the successors of every state for a win. Of a game that is known by its rules alone that costs a
// step of the machine for each legal move of each ply: in a play-out several times as much as all the rest.
// Here the moves themselves are learned instead, from how simulations end. A move of a role is taken as
// decisive while
//
//     N(m) >= kEnough   and   W(m) >= kShare * N(m)
//
// N(m)  times the role chose m (mast.hpp)
// W(m)  times that was the last choice of a simulation that the role won
//
// so it is for moves that win by what they are (the step to the last row), not by where they are made (the
// fourth in a row). A move that stops winning loses its place after some disappointments. In the tree it is
// tried before all others; that the opponent keeps out of its way (the anti-decisive move) is then found out
// in two plies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ggp {

class DecisiveMoves {
 public:
  // `moves` are the numbers of moves by role.
  explicit DecisiveMoves(const std::vector<int>& moves) : roles_(moves.size()) {
    for (std::size_t role = 0; role < moves.size(); ++role) {
      roles_[role].wins.resize(static_cast<std::size_t>(moves[role]));
      roles_[role].decisive.resize((static_cast<std::size_t>(moves[role]) + 63) / 64);
    }
  }

  bool any(int role) const { return roles_[role].count > 0; }
  int words(int role) const { return static_cast<int>(roles_[role].decisive.size()); }
  // Those of the moves 64 * block .. 64 * block + 63, as bits.
  std::uint64_t word(int role, int block) const { return roles_[role].decisive[static_cast<std::size_t>(block)]; }
  bool contains(int role, int move) const { return word(role, move / 64) >> (move % 64) & 1; }

  // One more simulation was won by this move.
  void won(int role, int move) { roles_[role].wins[static_cast<std::size_t>(move)] += 1; }
  // Looks at a move again, which was chosen so many times.
  void judge(int role, int move, double times) {
    Role& of = roles_[role];
    const bool is = times >= kEnough && of.wins[static_cast<std::size_t>(move)] >= kShare * times;
    if (is == contains(role, move)) return;
    of.decisive[static_cast<std::size_t>(move / 64)] ^= std::uint64_t{1} << (move % 64);
    of.count += is ? 1 : -1;
  }
  // Multiplies W by gamma, as N is; what was decisive is so until it is judged anew.
  void decay(double gamma) {
    for (Role& role : roles_) {
      for (double& wins : role.wins) wins *= gamma;
    }
  }
  void clear() {
    for (Role& role : roles_) {
      std::fill(role.wins.begin(), role.wins.end(), 0.0);
      std::fill(role.decisive.begin(), role.decisive.end(), 0);
      role.count = 0;
    }
  }

  static constexpr double kEnough = 7;
  static constexpr double kShare = 0.95;

 private:
  struct Role {
    std::vector<double> wins;
    std::vector<std::uint64_t> decisive;
    int count = 0;
  };

  std::vector<Role> roles_;
};

}  // namespace ggp

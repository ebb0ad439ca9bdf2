#include "games/registry.hpp"

#include "games/amazons/amazons.hpp"
#include "games/breakthrough/breakthrough.hpp"
#include "games/cannon/cannon.hpp"
#include "games/checkers/checkers.hpp"
#include "games/chinese_checkers/chinese_checkers.hpp"
#include "games/go/atari_go.hpp"
#include "games/go/go.hpp"
#include "games/gomoku/gomoku.hpp"
#include "games/kalah/kalah.hpp"
#include "games/lines_of_action/lines_of_action.hpp"
#include "games/pentalath/pentalath.hpp"

namespace ggp {

const std::vector<std::unique_ptr<const Module>>& modules() {
  static const auto all = [] {
    std::vector<std::unique_ptr<const Module>> made;
    made.push_back(amazons(10));
    made.push_back(amazons(8));
    made.push_back(amazons(6));
    made.push_back(atari_go());
    made.push_back(breakthrough(8));
    made.push_back(breakthrough(6));
    made.push_back(cannon());
    made.push_back(checkers());
    made.push_back(checkers_25());
    made.push_back(chinese_checkers());
    made.push_back(go(19));
    made.push_back(go(9));
    made.push_back(go(5));
    for (const int size : {5, 7, 9, 11, 15}) made.push_back(gomoku(size));
    made.push_back(kalah());
    made.push_back(lines_of_action());
    made.push_back(pentalath());
    return made;
  }();
  return all;
}

}  // namespace ggp

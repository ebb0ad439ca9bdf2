#include "games/registry.hpp"

namespace ggp {

const Modules& modules() {
  static const Modules all = [] {
    Modules made;
    for (const auto add : {add_amazons, add_atari_go, add_breakthrough, add_cannon, add_checkers, add_chinese_checkers,
                           add_go, add_gomoku, add_kalah, add_lines_of_action, add_pentalath})
      add(made);
    return made;
  }();
  return all;
}

}  // namespace ggp

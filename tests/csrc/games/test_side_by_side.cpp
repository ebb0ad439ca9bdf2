// Flags: -O1
//
// Native games on many boards at a time, by each kernel that this processor can run, compared with a single board.
#include "base/vector_kernels.hpp"
#include "fixtures/check_side_by_side.hpp"
#include "games/breakthrough/breakthrough_side_by_side.hpp"
#include "games/cannon/cannon_side_by_side.hpp"
#include "games/chinese_checkers/chinese_checkers_side_by_side.hpp"
#include "games/go/atari_go_side_by_side.hpp"
#include "games/gomoku/gomoku_small_side_by_side.hpp"

namespace {

using namespace ggp;

// Play-outs of a kernel that needs the rules, as a function without them.
template <class Boards, class Play, class Rules>
auto by_rules(Play play, const Rules& rules) {
  return [play, rules](Boards& boards, std::uint64_t which, std::uint64_t* random) {
    return play(boards, which, random, rules);
  };
}

void small_games_agree(PlayAtariGo atari_go, PlayBreakthrough<6> breakthrough_6x6, PlayBreakthrough<8> breakthrough) {
  agrees_with_one_board<AtariGoSideBySide, AtariGoState>("atari_go", atari_go, 2000);
  agrees_with_one_board<BreakthroughSideBySide<6>, BreakthroughState>("breakthrough_6x6", breakthrough_6x6, 1000);
  agrees_with_one_board<BreakthroughSideBySide<8>, BreakthroughState>("breakthrough", breakthrough, 1000);
}

void games_with_rules_agree(PlayCannon cannon, PlayChineseCheckers chinese_checkers, bool by_policy) {
  agrees_with_one_board<CannonSideBySide, CannonState>(
      "cannon", by_rules<CannonSideBySide>(cannon, cannon_rules()), 2000, by_policy);
  agrees_with_one_board<ChineseCheckersSideBySide, ChineseCheckersState>(
      "chinese_checkers", by_rules<ChineseCheckersSideBySide>(chinese_checkers, chinese_checkers_rules()), 3000,
      by_policy);
}

template <int kSize, class Boards, class Play>
void gomoku_agrees(Play play) {
  const std::string name = "gomoku_" + std::to_string(kSize) + "x" + std::to_string(kSize);
  agrees_with_one_board<Boards, GomokuState<kSize>>(name, play, 1000);
}

// A kernel for each size.
void every_gomoku_agrees(PlaySmallGomoku<5> on_5, PlaySmallGomoku<7> on_7, PlayGomoku<9> on_9, PlayGomoku<11> on_11,
                         PlayGomoku<15> on_15) {
  gomoku_agrees<5, GomokuSmallSideBySide<5>>(on_5);
  gomoku_agrees<7, GomokuSmallSideBySide<7>>(on_7);
  gomoku_agrees<9, GomokuSideBySide<9>>(on_9);
  gomoku_agrees<11, GomokuSideBySide<11>>(on_11);
  gomoku_agrees<15, GomokuSideBySide<15>>(on_15);
}

}  // namespace

TESTS(int, char**) {
#if defined(__x86_64__)
  if (widest_vectors() >= Vectors::kAvx2) {
    using avx2::play;
    small_games_agree(play, play, play);
    games_with_rules_agree(play, play, false);
    games_with_rules_agree(avx2::play_by_policy, avx2::play_by_policy, true);
    every_gomoku_agrees(play, play, play, play, play);
  }
  if (widest_vectors() >= Vectors::kAvx512) {
    using avx512::play;
    small_games_agree(play, play, play);
    games_with_rules_agree(play, play, false);
    games_with_rules_agree(avx512::play_by_policy, avx512::play_by_policy, true);
    every_gomoku_agrees(play, play, play, play, play);
  }
#endif
}

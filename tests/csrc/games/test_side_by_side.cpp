// Flags: -O1
//
// Native games on many boards at a time, by each kernel that this processor can run, compared with a single board.
#include "base/vector_kernels.hpp"
#include "fixtures/check_side_by_side.hpp"
#include "games/cannon/cannon_side_by_side.hpp"
#include "games/chinese_checkers/chinese_checkers_side_by_side.hpp"
#include "games/go/atari_go_side_by_side.hpp"
#include "games/gomoku/gomoku_side_by_side.hpp"

namespace {

using namespace ggp;

// Play-outs of a kernel that needs the rules, as a function without them.
template <class Boards, class Play, class Rules>
auto by_rules(Play play, const Rules& rules) {
  return [play, rules](Boards& boards, std::uint64_t which, std::uint64_t* random) {
    return play(boards, which, random, rules);
  };
}

void games_with_rules_agree(PlayCannon cannon, PlayChineseCheckers chinese_checkers, bool by_policy) {
  agrees_with_one_board<CannonSideBySide, CannonState>(
      "cannon", by_rules<CannonSideBySide>(cannon, cannon_rules()), 2000, by_policy);
  agrees_with_one_board<ChineseCheckersSideBySide, ChineseCheckersState>(
      "chinese_checkers", by_rules<ChineseCheckersSideBySide>(chinese_checkers, chinese_checkers_rules()), 3000,
      by_policy);
}

template <int kSize>
void gomoku_agrees(PlayGomoku<kSize> play) {
  const std::string name = "gomoku_" + std::to_string(kSize) + "x" + std::to_string(kSize);
  agrees_with_one_board<GomokuSideBySide<kSize>, GomokuState<kSize>>(name, play, 1000);
}

}  // namespace

TESTS(int, char**) {
  for (const Vectors vectors : {Vectors::kAvx2, Vectors::kAvx512}) {
    if (widest_vectors() < vectors) continue;
    const auto atari_go = kernel_for<PlayAtariGo>(vectors, GGP_VECTOR_KERNELS(play));
    agrees_with_one_board<AtariGoSideBySide, AtariGoState>("atari_go", atari_go, 2000);
    games_with_rules_agree(kernel_for<PlayCannon>(vectors, GGP_VECTOR_KERNELS(play)),
                           kernel_for<PlayChineseCheckers>(vectors, GGP_VECTOR_KERNELS(play)), false);
    games_with_rules_agree(kernel_for<PlayCannon>(vectors, GGP_VECTOR_KERNELS(play_by_policy)),
                           kernel_for<PlayChineseCheckers>(vectors, GGP_VECTOR_KERNELS(play_by_policy)), true);
    gomoku_agrees<5>(kernel_for<PlayGomoku<5>>(vectors, GGP_VECTOR_KERNELS(play)));
    gomoku_agrees<7>(kernel_for<PlayGomoku<7>>(vectors, GGP_VECTOR_KERNELS(play)));
  }
}

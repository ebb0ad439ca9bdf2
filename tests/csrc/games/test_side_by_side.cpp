// Flags: -O1
//
// Native games on many boards at a time, by each kernel that this processor can run, compared with a single board.
#include "base/vector_kernels.hpp"
#include "fixtures/check_side_by_side.hpp"
#include "games/cannon/cannon_side_by_side.hpp"
#include "games/chinese_checkers/chinese_checkers_side_by_side.hpp"

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

}  // namespace

TESTS(int, char**) {
  for (const Vectors vectors : {Vectors::kAvx2, Vectors::kAvx512}) {
    if (widest_vectors() < vectors) continue;
    games_with_rules_agree(kernel_for<PlayCannon>(vectors, GGP_VECTOR_KERNELS(play)),
                           kernel_for<PlayChineseCheckers>(vectors, GGP_VECTOR_KERNELS(play)), false);
    games_with_rules_agree(kernel_for<PlayCannon>(vectors, GGP_VECTOR_KERNELS(play_by_policy)),
                           kernel_for<PlayChineseCheckers>(vectors, GGP_VECTOR_KERNELS(play_by_policy)), true);
  }
}

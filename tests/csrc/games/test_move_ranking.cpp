// Flags: -O1
//
// The best legal move by a ranking of the simulator, compared with a list of the legal moves.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/bits.hpp"
#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/interface_of.hpp"
#include "games/registry.hpp"
#include "interfaces/game_policy.hpp"
#include "interfaces/ranked_moves.hpp"
#include "interfaces/reported_moves.hpp"

namespace {

using namespace ggp;

// By role: a value for each move, few different values, so that many moves are equal.
struct Values {
  explicit Values(const Simulator& simulator) {
    for (int role = 0; role < simulator.roles(); ++role) of.emplace_back(simulator.moves(role), 0.0f);
    for (const std::vector<float>& values : of) data.push_back(values.data());
  }
  std::vector<std::vector<float>> of;
  std::vector<const float*> data;
};

int mover_of(Simulator& simulator, int lane) { return interface_of<ReportedMoves>(simulator).mover(lane); }

// The legal moves of the highest value, ascending.
std::vector<int> best_of_list(Simulator& simulator, int lane, const std::vector<float>& values) {
  std::vector<int> legal(simulator.moves(0));
  legal.resize(simulator.legal(lane, mover_of(simulator, lane), legal.data()));
  float highest = values[legal[0]];
  for (const int move : legal) highest = std::max(highest, values[move]);
  legal.erase(std::remove_if(legal.begin(), legal.end(), [&](int move) { return values[move] < highest; }), legal.end());
  return legal;
}

// Each of n best moves is chosen for one n-th of all numbers: the middle of each of n equal parts chooses another move.
void each_of_the_best_is_as_likely(Simulator& simulator, const MoveRanking& ranking, const Values& values) {
  const std::vector<int> best = best_of_list(simulator, 0, values.of[mover_of(simulator, 0)]);
  const std::uint64_t count = best.size();
  std::set<int> chosen;
  for (std::uint64_t part = 0; part < count; ++part)
    chosen.insert(interface_of<RankedMoves>(simulator).best_move(0, ranking, ((2 * part + 1) << 31) / count));
  CHECK(std::vector<int>(chosen.begin(), chosen.end()) == best);
}

// Among the moves of the piece of a move the best are as likely, too; the policy draws moves of one piece.
void each_of_the_best_of_a_piece_is_as_likely(const Module& module, Simulator& simulator, const MoveRanking& ranking,
                                              const Values& values, std::uint64_t random) {
  const int role = mover_of(simulator, 0);
  const int drawn = interface_of<GamePolicy>(simulator).policy_move(0, random).move;
  const auto piece = [&](int move) {
    const std::string text = module.move_text(role, move);
    return text.substr(0, text.find('-'));
  };
  std::vector<int> legal(simulator.moves(role));
  legal.resize(simulator.legal(0, role, legal.data()));
  float highest = values.of[role][drawn];
  std::map<int, int> best, chosen;  // each move of the piece counts four times
  for (const int move : legal)
    if (piece(move) == piece(drawn)) highest = std::max(highest, values.of[role][move]);
  for (const int move : legal)
    if (piece(move) == piece(drawn) && values.of[role][move] == highest) best[move] = 4;
  const std::uint64_t count = 4 * best.size();
  for (std::uint64_t part = 0; part < count; ++part)
    ++chosen[interface_of<RankedMoves>(simulator).best_move_with(0, ranking, drawn, ((2 * part + 1) << 31) / count)];
  CHECK(chosen == best);
}

// Plays best moves, with a few others, while values change; values of played moves change more often, as in a search.
void ranks_as_a_list(const Module& module, bool fast, std::uint64_t seed) {
  const auto simulator = module.simulator(64, fast);
  Values values(*simulator);
  RankedMoves& ranked_moves = interface_of<RankedMoves>(*simulator);
  const auto ranking = ranked_moves.rank_moves(values.data.data());
  std::uint64_t random = seed;
  std::vector<int> legal(simulator->moves(0));
  const auto set = [&](int role, int move) {
    const std::uint32_t drawn = draw_below(random, 9);
    values.of[role][move] = drawn < 5 ? 0.25f * static_cast<float>(drawn) - 0.5f
                                      : static_cast<float>(draw_below(random, 1000)) / 1000 - 0.6f;
    ranking->changed(role, move);
  };
  for (int game = 0; game < 4; ++game) {
    // At first nothing is known; then every value changes at once.
    if (game == 2) {
      for (std::vector<float>& of_role : values.of)
        for (float& value : of_role) value = static_cast<float>(draw_below(random, 5)) / 4 - 1;
      ranking->refresh();
    }
    const std::vector<const std::uint64_t*> initial(simulator->lanes(), simulator->initial());
    const std::uint64_t mask = 1;
    simulator->load(&mask, initial.data());
    for (;;) {
      simulator->evaluate();
      if (simulator->terminal()[0] & 1) break;
      const int role = mover_of(*simulator, 0);
      each_of_the_best_is_as_likely(*simulator, *ranking, values);
      each_of_the_best_of_a_piece_is_as_likely(module, *simulator, *ranking, values, draw(random));
      int move = ranked_moves.best_move(0, *ranking, draw(random));
      set(role, move);
      if (draw_below(random, 3) == 0) {
        const int count = simulator->legal(0, role, legal.data());
        move = legal[draw_below(random, count)];
        for (int i = 0; i < 40; ++i) set(role, legal[draw_below(random, count)]);
      }
      simulator->choose(0, role, move);
      simulator->step();
    }
  }
}

}  // namespace

TESTS(int, char**) {
  int ranked = 0;
  for (const auto& module : modules()) {
    if (module->simulator(64, false)->optional_interface<RankedMoves>() == nullptr) continue;
    ++ranked;
    ranks_as_a_list(*module, false, 1);
    ranks_as_a_list(*module, has_fast_bits(), 2);
  }
  CHECK(ranked >= 3);
}

// Flags: -O1
//
// States of every native game as arrays over lanes, with one thread and with several, with and without the instructions
// for bits, compared with single states; and turns allocate no memory after the first ones.
#include <algorithm>
#include <vector>

#include "base/bits.hpp"
#include "check.hpp"
#include "fixtures/allocations.hpp"
#include "fixtures/check_batch_arrays.hpp"
#include "fixtures/interface_of.hpp"
#include "games/common/module_batch.hpp"
#include "games/registry.hpp"

namespace {

using namespace ggp;

bool holds(Simulator& simulator, const batch_arrays::State&, int fluent) {
  const FluentStates& states = interface_of<FluentStates>(simulator);
  std::vector<int> fluents(states.fluents());
  const auto end = fluents.begin() + states.true_fluents(0, fluents.data());
  CHECK_EQUAL(std::count(fluents.begin(), end, fluent) <= 1, true);
  return std::find(fluents.begin(), end, fluent) != end;
}

void check_module(const Module& module, int lanes, bool fast, int n, int threads) {
  BatchArrays arrays(module_parts(module, lanes, fast, n), threads, -1);
  const auto rules = module.simulator(64, false);
  batch_arrays::check_play(arrays, *rules, holds, 30, 15);
}

// Turns with drawn, sampled and given moves, and all functions that read them.
void play_on(BatchArrays& arrays, int turns) {
  const int n = arrays.lanes();
  const int widest = std::max(arrays.moves(0), arrays.moves(1));
  std::vector<std::int32_t> moves(std::size_t(arrays.roles()) * n), drawn(moves.size(), BatchArrays::kDraw);
  std::vector<std::uint8_t> bytes(std::size_t(std::max(widest, arrays.fluents())) * n), terminal(n);
  std::vector<std::int8_t> goals(moves.size());
  const std::uint64_t before = allocations;
  for (int turn = 0; turn < turns; ++turn) {
    arrays.terminal(terminal.data());
    arrays.step(drawn.data(), false, true, nullptr, terminal.data());
    arrays.sample(moves.data(), true);
    arrays.movers_legal_bytes(bytes.data());
    arrays.fluent_bytes(bytes.data());
    arrays.goals(goals.data());
    for (int part = 0; part < arrays.parts(); ++part) arrays.fluent_words(part);
    CHECK_EQUAL(arrays.step(moves.data(), true, true, nullptr, nullptr).lane, -1);
  }
  if (turns > 100) CHECK(allocations - before <= 20);  // a list of moves that is longer than any before it
}

}  // namespace

TESTS(int, char**) {
  for (const auto& module : modules()) {
    const auto name = module->facts().name;
    if (name == "amazons" || name == "amazons_8x8" || name == "go_19x19") continue;  // too large to compare each bit
    check_module(*module, 64, false, 3, 1);
    check_module(*module, 64, has_fast_bits(), 67, 2);
    if (name == "kalah" || name == "go_5x5" || name == "gomoku_5x5") {
      BatchArrays arrays(module_parts(*module, 64, has_fast_bits(), 128), 1, -1);
      play_on(arrays, 60);
      play_on(arrays, 200);
    }
  }
}

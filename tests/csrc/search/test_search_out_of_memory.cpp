// When the system refuses memory in the middle of a run, the search throws and stays usable.
#include <cstdlib>
#include <new>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "search/driver/searcher.hpp"

namespace {

// Only the heap allocates aligned memory; this number of its chunks is still granted.
int granted = 1 << 30;

}  // namespace

void* operator new(std::size_t size, std::align_val_t alignment) {
  if (granted == 0) throw std::bad_alloc();
  --granted;
  const std::size_t unit = static_cast<std::size_t>(alignment);
  void* memory = std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace {

using namespace ggp;

template <class Game>
void run_dry(const std::vector<int>& moves, bool grave) {
  LanesOf<Game> lanes(64);
  Config config;
  config.solver.enabled = false;  // it would end the run before memory is exhausted
  config.selection.grave.enabled = grave;
  Searcher searcher(lanes, config);
  Limits limits;
  limits.simulations = 2000000;
  for (int chunks : {0, 1, 2, 3}) {
    const std::uint64_t before = searcher.statistics().visits;
    granted = chunks;
    CHECK_THROWS(std::bad_alloc, searcher.run(limits));
    CHECK_EQUAL(granted, 0);
    const Tree& tree = searcher.tree();
    CHECK(tree.node(tree.root()).visits >= before);
    tree.for_each_node([&tree](Index node) { CHECK_EQUAL(tree.node(node).unobserved, 0); });
    // If the root cannot be replaced it stays.
    const std::uint64_t hash = searcher.tree_hash();
    granted = 0;
    CHECK_THROWS(std::bad_alloc, searcher.set_root(lanes.initial()));
    CHECK_EQUAL(searcher.tree_hash(), hash);
    granted = 1 << 30;
    Limits few;
    few.simulations = 100;
    CHECK_EQUAL(searcher.run(few).simulations, std::uint64_t{100});
  }
  searcher.advance(moves);
  CHECK(searcher.statistics().visits > 0);
}

}  // namespace

TESTS(int, char**) {
  for (bool grave : {false, true}) {
    run_dry<MatchingPennies<21>>({0, 1}, grave);
    run_dry<TicTacToe>({4, 9}, grave);
  }
}

// Flags: -O1
//
// Same seed, configuration and simulations: the same tree to the last node, on every width.
#include <map>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "search/driver/searcher.hpp"

namespace {

using namespace ggp;

std::vector<std::uint64_t> hashes(Searcher& searcher, const std::vector<int>& moves) {
  std::vector<std::uint64_t> found;
  for (int run = 0; run < 3; ++run) {
    searcher.run(simulations(3000));
    found.push_back(searcher.tree_hash());
    if (run == 1) searcher.advance(moves);
  }
  found.push_back(searcher.tree_hash());
  return found;
}

template <class Game>
void check_game(const std::vector<int>& moves, bool transpositions) {
  std::map<std::vector<std::uint64_t>, int> seen;
  for (int in_flight : {1, 10, 64}) {
    for (std::uint64_t seed : {1, 2}) {
      Config config;
      config.in_flight = in_flight;
      config.seed = seed;
      config.tree.transpositions = transpositions;
      LanesOf<Game> narrow(64), wide(256), widest(512);
      Searcher first(narrow, config), second(wide, config), third(widest, config);
      const auto expected = hashes(first, moves);
      CHECK(hashes(second, moves) == expected);
      CHECK(hashes(third, moves) == expected);
      // Setting the root again resets everything.
      first.set_root(narrow.initial());
      CHECK(hashes(first, moves) == expected);
      ++seen[expected];
    }
  }
  // Other seeds and numbers in flight make other trees: the hash shows the difference.
  CHECK_EQUAL(seen.size(), std::size_t{6});
}

TEST(same_in_flight_beyond_one_group) {
  Config config;
  config.in_flight = 200;
  LanesOf<TicTacToe> wide(256), widest(512);
  Searcher first(wide, config), second(widest, config);
  CHECK(hashes(first, {4, 9}) == hashes(second, {4, 9}));
}

}  // namespace

TESTS(int, char**) {
  for (const bool transpositions : {false, true}) {
    check_game<TicTacToe>({4, 9}, transpositions);
    check_game<MatchingPennies<7>>({0, 1}, transpositions);
    check_game<ThreePlayerNim>({2, 0, 0}, transpositions);
    check_game<Countdown>({1}, transpositions);
  }
}

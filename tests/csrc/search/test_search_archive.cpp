// Flags: -O1
//
// A search that is written to bytes and read continues like the original; wrong bytes are refused. A simulator guided by
// functions.
#include <algorithm>

#include "check.hpp"
#include "fixtures/games.hpp"
#include "fixtures/lanes_of.hpp"
#include "fixtures/limits.hpp"
#include "search/driver/searcher.hpp"
#include "search/playout/guided_simulator.hpp"
#include "search/tree/archive.hpp"

namespace {

using namespace ggp;

std::vector<std::uint8_t> bytes_of(Searcher& searcher) {
  Archive archive;
  searcher.archive(archive);
  return archive.written();
}

bool is_refused(Searcher& searcher, const std::vector<std::uint8_t>& bytes) {
  try {
    Archive archive(bytes.data(), bytes.size());
    searcher.archive(archive);
  } catch (const ArchiveError&) {
    return true;
  }
  return false;
}

template <class Game>
void continues(const Config& config, const std::vector<int>& moves) {
  LanesOf<Game> lanes(64), others(64);
  Searcher original(lanes, config), read(others, config);
  original.run(simulations(3000));
  original.advance(moves);
  original.run(simulations(500));
  const std::vector<std::uint8_t> bytes = bytes_of(original);
  Archive archive(bytes.data(), bytes.size());
  read.archive(archive);
  CHECK(read.tree_hash() == original.tree_hash());
  CHECK(read.root_state() == original.root_state());
  CHECK(read.statistics().visits == original.statistics().visits);
  for (int times = 0; times < 2; ++times) {
    original.run(simulations(2000));
    read.run(simulations(2000));
    CHECK(read.tree_hash() == original.tree_hash());
  }
  read.set_root(others.initial());
  read.run(simulations(100));
}

Config config_of(bool transpositions, std::size_t memory) {
  Config config;
  config.in_flight = 16;
  config.tree.transpositions = transpositions;
  config.memory_bytes = memory;
  return config;
}

// Each part of the bytes alone, and with wrong bytes at its end.
TEST(wrong_bytes_are_refused) {
  const Config config = config_of(false, 1 << 20);
  LanesOf<TicTacToe> lanes(64), others(64);
  Searcher original(lanes, config), read(others, config);
  original.run(simulations(200));
  const std::uint64_t fresh = read.tree_hash();
  std::vector<std::uint8_t> bytes = bytes_of(original);
  for (std::size_t count = 0; count < bytes.size(); count += 1 + bytes.size() / 300) {
    CHECK(is_refused(read, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)}));
    CHECK(read.tree_hash() == fresh);
  }
  std::vector<std::uint8_t> longer = bytes;
  longer.push_back(0);
  CHECK(is_refused(read, longer));
  Config mast = config;
  mast.playout.policy = PlayoutConfig::Policy::kMast;
  Searcher other(others, mast);
  CHECK(is_refused(other, bytes));
  CHECK(!is_refused(read, bytes));
}

// ---- functions

struct Asked {
  int calls = 0;
  bool works = true;
};

bool draw_all(void* context, const std::uint64_t*, const std::uint64_t*, std::int32_t* moves) {
  auto* asked = static_cast<Asked*>(context);
  ++asked->calls;
  std::fill_n(moves, 2 * 64, -1);
  return asked->works;
}

TEST(functions_guide_playouts) {
  Config config = config_of(false, 1 << 24);
  config.playout.decisive = false;
  Asked asked;
  GuidedSimulator::Functions functions;
  functions.context = &asked;
  functions.choose = draw_all;
  LanesOf<TicTacToe> lanes(64);
  GuidedSimulator guided(lanes, functions);
  Searcher plain(lanes, config), searcher(guided, config);
  plain.run(simulations(500));
  searcher.run(simulations(500));
  CHECK(plain.tree_hash() == searcher.tree_hash());
  CHECK(asked.calls > 10);
  asked.works = false;
  CHECK_THROWS(std::runtime_error, searcher.run(simulations(500)));
  asked.works = true;
  searcher.run(simulations(100));
}

}  // namespace

TESTS(int, char**) {
  for (const bool transpositions : {false, true}) {
    const Config config = config_of(transpositions, 1 << 20);
    continues<TicTacToe>(config, {4, 9});
    continues<MatchingPennies<7>>(config, {0, 1});
    continues<ThreePlayerNim>(config, {2, 0, 0});
    continues<Countdown>(config, {1});
  }
}

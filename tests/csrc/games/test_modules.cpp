// Flags: -O1
//
// Every native game behind the interface of simulators: lanes, numbers, choices, hash, with and without the
// instructions for bits.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/bits.hpp"
#include "base/random.hpp"
#include "check.hpp"
#include "fixtures/interface_of.hpp"
#include "fixtures/stored.hpp"
#include "games/common/module_simulator.hpp"
#include "games/registry.hpp"
#include "interfaces/legality.hpp"
#include "simulation/perft.hpp"

namespace {

using namespace ggp;
using State = std::vector<std::uint64_t>;
const std::atomic<bool> kGoOn{false};
using Mask = std::vector<std::uint64_t>;

bool is_over(const Simulator& simulator, int lane) { return simulator.terminal()[lane / 64] >> (lane % 64) & 1; }

void reload_ended(Simulator& simulator) {
  const Mask ended(simulator.terminal(), simulator.terminal() + simulator.groups());
  const std::vector<const std::uint64_t*> initial(simulator.lanes(), simulator.initial());
  simulator.load(ended.data(), initial.data());
}

TEST(both_kinds_of_bits_agree) {
  if (!has_fast_bits()) return;
  std::uint64_t random = 5;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t word = draw(random) & draw(random);
    CHECK_EQUAL(FastBits::count(word), PlainBits::count(word));
    const std::uint64_t one = std::uint64_t{1} << draw_below(random, 64);
    CHECK_EQUAL(FastBits::deposit(one, word), PlainBits::deposit(one, word));
    CHECK_EQUAL(PlainBits::deposit(0, word), std::uint64_t{0});
  }
}

// Equal seeds give equal play-outs on all widths and instruction sets, with uniform moves and by the policy.
void play_does_not_depend_on_the_lanes(const Module& module, bool by_policy) {
  const auto narrow = module.simulator(64, false);
  const auto wide = module.simulator(256, has_fast_bits());
  const auto clone = wide->clone();
  CHECK_EQUAL(clone->lanes(), 256);
  for (int lane = 0; lane < 64; ++lane) {
    narrow->seed(lane, mix64(lane));
    wide->seed(lane + 128, mix64(lane));
  }
  for (int turn = 0; turn < 200; ++turn) {
    for (Simulator* simulator : {narrow.get(), wide.get()}) {
      simulator->evaluate();
      Mask playing(simulator->groups());
      // The compared lanes of the wide simulator, and the lanes next to them.
      const int quarter = simulator->groups() / 4;
      for (int group = quarter; group <= 2 * quarter; ++group) playing[group] = ~simulator->terminal()[group];
      if (by_policy)
        interface_of<GamePolicy>(*simulator).choose_by_policy(playing.data());
      else
        simulator->choose_at_random(playing.data());
      simulator->step();
    }
    for (int lane = 0; lane < 64; lane += 7) {
      const State state = stored(*narrow, lane);
      CHECK(state == stored(*wide, lane + 128));
      CHECK_EQUAL(module.hash(state.data()), module.hash_anew(state.data()));
    }
    CHECK_EQUAL(narrow->terminal()[0], wide->terminal()[2]);
    reload_ended(*narrow);
    reload_ended(*wide);
  }
}

// Chooses one of the legal moves and checks its input.
class Checking : public MoveChooser {
 public:
  explicit Checking(Simulator& simulator) : simulator_(simulator), moves_(simulator.moves(0)) {}

  void choose(const Choices& choices) override {
    for (int role = 0; role < simulator_.roles(); ++role)
      for (int lane = 0; lane < simulator_.lanes(); ++lane) {
        if ((choices.of_role(role)[lane / 64] >> (lane % 64) & 1) == 0) continue;
        const int count = simulator_.legal(lane, role, moves_.data());
        CHECK(count > 1);
        CHECK(std::is_sorted(moves_.begin(), moves_.begin() + count));
        CHECK_EQUAL(simulator_.legal_count(lane, role), count);
        CHECK_EQUAL(simulator_.legal_count(lane, 1 - role), 1);
        int bits = 0;
        for (int block = 0; block < choices.blocks; ++block) bits += __builtin_popcountll(choices.word(lane, block));
        CHECK_EQUAL(bits, count);
        for (int i = 0; i < count; ++i) CHECK(choices.word(lane, moves_[i] / 64) >> (moves_[i] % 64) & 1);
        choices.moves[lane] = moves_[draw_below(random_, count)];
        ++asked;
      }
  }

  int asked = 0;

 private:
  Simulator& simulator_;
  std::vector<int> moves_;
  std::uint64_t random_ = 3;
};

// The same moves through choose_with() and one by one; numbers, texts and the hash on the way; quality at the end.
void moves_are_played_as_they_are_numbered(const Module& module) {
  const auto asked = module.simulator(64, has_fast_bits());
  const auto single = module.simulator(64, false), trial = module.simulator(64, false);
  Checking chooser(*asked);
  std::vector<int> moves(asked->moves(0));
  int ended = 0;
  const bool moves_again = module.facts().name == "kalah";  // in all others turns alternate
  const Mask all{~std::uint64_t{0}};
  // Long games play until enough of them have ended.
  for (int turn = 0; turn < 150 || (ended <= 10 && turn < 1500); ++turn) {
    asked->evaluate();
    const Mask playing{~asked->terminal()[0]};
    std::vector<State> before;
    for (int lane = 0; lane < 64; ++lane) before.push_back(stored(*asked, lane));
    asked->choose_with(playing.data(), chooser);
    asked->step();
    std::vector<const std::uint64_t*> from;
    for (const State& state : before) from.push_back(state.data());
    single->load(all.data(), from.data());
    single->evaluate();
    for (int lane = 0; lane < 64; ++lane) {
      if (is_over(*single, lane)) {
        ++ended;
        CHECK_EQUAL(single->goal(lane, 0) + single->goal(lane, 1), 100);
        CHECK_BETWEEN(interface_of<Quality>(*single).quality(lane), 0, 1);
        CHECK_EQUAL(single->legal_count(lane, 0), 0);
        continue;
      }
      CHECK_EQUAL(single->goal(lane, 0), -1);
      const int role = module.mover(before[lane].data());
      const State after = stored(*asked, lane);
      CHECK(moves_again || module.mover(after.data()) != role);
      // Exactly one move leads there.
      const int count = single->legal(lane, role, moves.data());
      if (const auto* legality = single->optional_interface<StoredLegality>()) {
        std::vector<int> again(count + StoredLegality::kSpare);
        CHECK_EQUAL(legality->legal_in(before[lane].data(), again.data()), count);
        CHECK(std::equal(moves.begin(), moves.begin() + count, again.begin()));
        const auto place = static_cast<std::uint32_t>((lane + 64 * turn) % count);
        CHECK_EQUAL(legality->nth_legal_in(before[lane].data(), place), moves[place]);
      }
      int found = 0;
      const bool wide = count > 200;  // then some of the moves and turns are enough
      // Texts are the slowest part: a quarter of the lanes in each turn, all lanes in four turns.
      for (int i = 0; (lane + turn) % 4 == 0 && i < count; i += wide ? count / 20 : 1) {
        CHECK_EQUAL(module.read_move(role, module.move_text(role, moves[i])), moves[i]);
        CHECK_EQUAL(module.read_move(role, module.move_in(before[lane].data(), moves[i])), moves[i]);
      }
      if (turn % (wide ? 50 : 10) != 0) continue;
      const std::vector<const std::uint64_t*> same(64, before[lane].data());
      for (int i = 0; i < count; i += 64) {
        trial->load(all.data(), same.data());
        trial->evaluate();
        for (int each = 0; each < 64; ++each) {
          trial->choose(each, role, moves[std::min(i + each, count - 1)]);
          trial->choose(each, 1 - role, trial->moves(1 - role) - 1);
        }
        trial->step();
        for (int each = 0; each < std::min(64, count - i); ++each) {
          const State reached = stored(*trial, each);
          CHECK_EQUAL(module.hash(reached.data()), module.hash_anew(reached.data()));
          found += reached == after;
        }
      }
      CHECK_EQUAL(found, 1);
    }
    reload_ended(*asked);
  }
  CHECK(chooser.asked > 1000);
  CHECK(ended > 10);
}

// Moves are drawn in many lanes at a time or in few, reported or not, or given: always as in one lane after the other.
void lanes_mix_kinds_of_choices(const Module& module, Vectors widest) {
  const auto plain = module.simulator(64, false), fast = module.simulator(64, has_fast_bits(), widest);
  for (int lane = 0; lane < 64; ++lane) {
    plain->seed(lane, mix64(lane));
    fast->seed(lane, mix64(lane));
  }
  std::uint64_t random = 9;
  std::vector<int> moves(plain->moves(0));
  std::vector<ReportedMove> reported(64), reported_fast(64);
  for (int turn = 0; turn < 300; ++turn) {
    const std::uint64_t kind = draw(random), few = draw(random) & draw(random) & draw(random);
    for (Simulator* simulator : {plain.get(), fast.get()}) {
      simulator->evaluate();
      reload_ended(*simulator);
      simulator->evaluate();
      const Mask mask{kind % 3 == 0 ? few & few << 7 : kind % 3 == 1 ? few : ~few};
      if (kind / 3 % 6 == 0) {
        interface_of<GamePolicy>(*simulator).choose_by_policy(mask.data());
      } else if (kind / 3 % 6 == 1) {
        ReportedMove* const to = simulator == fast.get() ? reported_fast.data() : reported.data();
        interface_of<ReportedMoves>(*simulator).choose_and_report(mask.data(), MoveDraw::kUniform, to);
      } else if (kind / 3 % 6 == 2) {
        for (std::uint64_t left = mask[0]; left != 0; left &= left - 1) {
          const int lane = __builtin_ctzll(left), mover = interface_of<ReportedMoves>(*simulator).mover(lane);
          const int count = simulator->legal(lane, mover, moves.data());
          simulator->choose(lane, mover, moves[kind % count]);
        }
      } else {
        simulator->choose_at_random(mask.data());
      }
      simulator->step();
    }
    for (int lane = turn % 5; lane < 64; lane += 5) CHECK(stored(*plain, lane) == stored(*fast, lane));
    for (int lane = 0; lane < 64; ++lane) CHECK_EQUAL(reported[lane].move, reported_fast[lane].move);
    CHECK(std::equal(plain->terminal(), plain->terminal() + 1, fast->terminal()));
  }
}

// With twenty draws for each legal move, each move is drawn about twenty times (chi-squared, within five standard
// deviations).
void random_moves_are_even(const Module& module) {
  const auto simulator = module.simulator(64, has_fast_bits());
  const Mask all{~std::uint64_t{0}}, first{1};
  simulator->evaluate();
  for (int turn = 0; !is_over(*simulator, 0); ++turn) {
    const State state = stored(*simulator, 0);
    const int count = simulator->legal_count(0, module.mover(state.data()));
    if (turn % 9 == 5 && count > 1) {
      std::map<std::uint64_t, int> found;  // by the hash of the successor
      const std::vector<const std::uint64_t*> same(64, state.data());
      const int rounds = 20 * count / 64 + 1;
      for (int round = 0; round < rounds; ++round) {
        simulator->load(all.data(), same.data());
        simulator->evaluate();
        simulator->choose_at_random(all.data());
        simulator->step();
        for (int lane = 0; lane < 64; ++lane) ++found[module.hash(stored(*simulator, lane).data())];
      }
      CHECK_EQUAL(static_cast<int>(found.size()), count);
      const double expected = 64.0 * rounds / count;
      double squares = 0;
      for (const auto& [hash, times] : found) squares += (times - expected) * (times - expected) / expected;
      CHECK_BETWEEN(squares, 0, count - 1 + 5 * std::sqrt(2.0 * count) + 10);
      simulator->load(all.data(), same.data());
      simulator->evaluate();
    }
    simulator->choose_at_random(first.data());
    simulator->step();
    simulator->evaluate();
  }
}

// Amazons: by the policy a nearly enclosed amazon moves as often as others; with uniform moves far less often.
void amazons_move_in_turn(const Module& module) {
  const auto simulator = module.simulator(64, has_fast_bits());
  State state(simulator->state_words());
  module.read_board("b.b...\n......\n......\n..w...\nxx....\nw.x.x.\nwhite to move\n", state.data());
  const std::vector<const std::uint64_t*> same(64, state.data());
  const Mask all{~std::uint64_t{0}};
  simulator->load(all.data(), same.data());
  simulator->evaluate();
  GamePolicy& policy = interface_of<GamePolicy>(*simulator);
  std::uint64_t random = 21;
  int from_corner = 0;
  for (int i = 0; i < 1000; ++i)
    from_corner += module.move_text(0, policy.policy_move(0, random).move).substr(0, 5) == "a1-b1";
  CHECK_BETWEEN(from_corner, 420, 580);
  from_corner = 0;
  simulator->choose_at_random(all.data());
  simulator->step();
  for (int lane = 0; lane < 64; ++lane) {
    const std::string board = module.board(stored(*simulator, lane).data());
    from_corner += board.find("\n1 w") == std::string::npos;
  }
  CHECK_BETWEEN(from_corner, 0, 16);
}

// A position in which the policy draws only these moves of the first role; if they are forced, learned values do not
// overrule them.
void policy_draws(const Module& module, const char* position, const std::set<std::string>& moves, bool forced = true) {
  const auto simulator = module.simulator(64, has_fast_bits());
  State state(simulator->state_words());
  module.read_board(position, state.data());
  const std::uint64_t* start = state.data();
  const Mask first{1};
  simulator->load(first.data(), &start);
  simulator->evaluate();
  GamePolicy& policy = interface_of<GamePolicy>(*simulator);
  std::uint64_t random = 31;
  for (int i = 0; i < 50; ++i) {
    const PolicyMove drawn = policy.policy_move(0, random);
    CHECK_EQUAL(drawn.forced, forced);
    CHECK(moves.count(module.move_text(0, drawn.move)) == 1);
  }
}

// A move by the policy is legal; reading a printed position gives the same position.
void policy_and_texts(const Module& module) {
  const auto simulator = module.simulator(64, has_fast_bits());
  GamePolicy& policy = interface_of<GamePolicy>(*simulator);
  std::uint64_t random = 11;
  std::vector<int> moves(simulator->moves(0));
  const Mask first{1};
  for (int playout = 0; playout < 20; ++playout) {
    const std::uint64_t* initial = simulator->initial();
    simulator->load(first.data(), &initial);
    for (simulator->evaluate(); !is_over(*simulator, 0); simulator->evaluate()) {
      const State state = stored(*simulator, 0);
      State read(state.size());
      module.read_board(module.board(state.data()), read.data());
      CHECK(module.board(read.data()) == module.board(state.data()));
      const PolicyMove drawn = policy.policy_move(0, random);
      CHECK_EQUAL(drawn.role, module.mover(state.data()));
      const int count = simulator->legal(0, drawn.role, moves.data());
      CHECK(std::binary_search(moves.begin(), moves.begin() + count, drawn.move));
      simulator->choose(0, drawn.role, drawn.move);
      simulator->step();
    }
    for (std::size_t i = 0; i < module.facts().evaluations.size(); ++i)
      CHECK_BETWEEN(module.evaluation(stored(*simulator, 0).data(), static_cast<int>(i)), -1, 1);
  }
}

// The simulator evaluates states like the native game, and successors as if each were played.
void evaluations_agree_with_the_module(const Module& module) {
  const auto simulator = module.simulator(64, has_fast_bits());
  const auto behind = module.simulator(64, has_fast_bits());
  const std::vector<std::string> names = module.facts().evaluations;
  Evaluations& evaluations = interface_of<Evaluations>(*simulator);
  CHECK(evaluations.evaluations() == names && !names.empty());
  std::vector<int> moves(simulator->moves(0));
  std::vector<float> worth(2 * simulator->moves(0)), values(2 * 64);
  const Mask first{1};
  const std::uint64_t* initial = simulator->initial();
  simulator->load(first.data(), &initial);
  int looked = 0;
  for (simulator->evaluate(); !is_over(*simulator, 0); simulator->evaluate(), ++looked) {
    const State state = stored(*simulator, 0);
    const int mover = module.mover(state.data()), which = looked % static_cast<int>(names.size());
    evaluations.values(which, first.data(), values.data());
    CHECK_EQUAL(values[0], static_cast<float>(module.evaluation(state.data(), which)));
    CHECK_EQUAL(values[1], -values[0]);
    CHECK_EQUAL(evaluations.successor_values(which, 0, 1 - mover, worth.data()), 0);
    const int count = simulator->legal(0, mover, moves.data());
    CHECK_EQUAL(evaluations.successor_values(which, 0, mover, worth.data()), count);
    for (int i = 0; i < count; i += 1 + count / 8) {
      const std::uint64_t* from = state.data();
      behind->load(first.data(), &from);
      behind->evaluate();
      behind->choose(0, mover, moves[i]);
      behind->step();
      behind->evaluate();
      const State next = stored(*behind, 0);
      for (int role = 0; role < 2; ++role) {
        const double value = is_over(*behind, 0) ? behind->goal(0, role) / 50.0 - 1
                                                 : (role == 0 ? 1 : -1) * module.evaluation(next.data(), which);
        CHECK_EQUAL(worth[2 * i + role], static_cast<float>(value));
      }
    }
    simulator->choose_at_random(first.data());
    simulator->step();
  }
  CHECK(looked > 10);
}

// Counting without the simulator gives the same result as with it.
void perft_agrees_with_the_simulator(const Module& module, int depth) {
  const auto simulator = module.simulator(64, has_fast_bits());
  const std::vector<PerftLevel> direct = module.perft(simulator->initial(), depth, kGoOn);
  const std::vector<PerftLevel> stepped = perft(*simulator, simulator->initial(), depth, kGoOn);
  for (int level = 0; level < depth; ++level) {
    CHECK_EQUAL(direct[level].leaves, stepped[level].leaves);
    CHECK_EQUAL(direct[level].terminals, stepped[level].terminals);
  }
}

}  // namespace

TESTS(int, char**) {
  const std::set<std::string> as_on_another_board = {"go_9x9", "go_19x19", "gomoku_7x7", "gomoku_9x9", "gomoku_11x11"};
  std::set<std::string> names;
  for (const auto& module : modules()) {
    CHECK(names.insert(module->facts().name).second);
    const auto simulator = module->simulator(64, false);
    CHECK(static_cast<std::size_t>(8 * simulator->state_words()) <= kMostStateBytes);
    play_does_not_depend_on_the_lanes(*module, true);
    // Captures have their own vectors for each size; test_go_captures.cpp compares 19x19 with a single board.
    if (module->facts().name == "go_9x9") play_does_not_depend_on_the_lanes(*module, false);
    if (as_on_another_board.count(module->facts().name) == 1) continue;
    play_does_not_depend_on_the_lanes(*module, false);
    lanes_mix_kinds_of_choices(*module, Vectors::kAvx2);
    lanes_mix_kinds_of_choices(*module, Vectors::kAvx512);
    moves_are_played_as_they_are_numbered(*module);
    random_moves_are_even(*module);
    policy_and_texts(*module);
    evaluations_agree_with_the_module(*module);
    if (module->facts().name == "amazons_6x6") amazons_move_in_turn(*module);
    if (module->facts().name == "kalah")  // house 6 alone brings the seed that decides
      policy_draws(*module, "north 24 1 1 1 1 1 1\nsouth 6 0 0 0 0 6 6\nnorth to move\n", {"6"});
    if (module->facts().name == "atari_go")  // white's stone in the middle has one empty adjacent point
      policy_draws(*module, "......w\n.......\n...b...\n..bwb..\n.......\n.......\nw......\nblack to move\n", {"d3"});
    if (module->facts().name == "go_5x5")  // a5 and a3 are eyes of black, d5, d3 and d1 would be suicide
      policy_draws(*module, ".bw.w\nbbwww\n.bw.w\nbbwww\nb.w.w\nblack to move\n", {"b1"}, false);
    if (module->facts().name == "lines_of_action")  // two moves unite black
      policy_draws(*module,
                   "b.......\n........\n........\n...b....\nw.w....w\n........\n........\n........\n"
                   "moves: 20\nblack to move\n",
                   {"a8-c6", "d5-b7"});
    // Deep if few moves make it cheap.
    std::vector<int> moves(simulator->moves(0));
    const int width = simulator->legal(0, module->mover(simulator->initial()), moves.data());
    perft_agrees_with_the_simulator(*module, width > 200 ? 1 : 3);
  }
  CHECK(!names.empty());
}

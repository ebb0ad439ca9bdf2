// The parts below the driver: heap, joint table, tree, UCT.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "check.hpp"
#include "fixtures/choosers.hpp"
#include "fixtures/legal_of.hpp"
#include "fixtures/tree_checks.hpp"
#include "search/config/config.hpp"
#include "search/driver/traversal.hpp"
#include "search/playout/reward.hpp"
#include "search/selection/selection.hpp"
#include "search/tree/tree.hpp"

namespace {

using namespace ggp;

// Blocks of a heap allocated and freed in random order, each filled with its own mark.
void heap_keeps_blocks_apart(std::size_t most_bytes) {
  struct Block {
    Index at;
    std::size_t units;
    std::uint64_t mark;
  };
  Heap heap(most_bytes);
  std::vector<Block> blocks;
  std::uint64_t random = 5;
  std::size_t bytes = 0, refused = 0;
  const auto words = [&heap](Index at) { return reinterpret_cast<std::uint64_t*>(heap.at(at)); };
  for (int round = 0; round < 60000; ++round) {
    // Mostly more blocks are allocated than freed, then for a while the opposite.
    if (blocks.empty() || draw_below(random, 10) < (round / 5000 % 2 == 0 ? 7u : 3u)) {
      const std::size_t units = draw_below(random, 20) == 0 ? 1 + draw_below(random, 400) : 1 + draw_below(random, 20);
      const Index at = heap.allocate(units);
      if (at == kNone) {
        ++refused;
        CHECK(heap.extent() + 2 * units * Heap::kUnit > most_bytes);  // the rest of a chunk counts too
        continue;
      }
      blocks.push_back({at, units, draw(random)});
      bytes += units * Heap::kUnit;
      std::fill_n(words(at), units, blocks.back().mark);
    } else {
      std::swap(blocks[draw_below(random, static_cast<std::uint32_t>(blocks.size()))], blocks.back());
      const Block& block = blocks.back();
      for (std::size_t i = 0; i < block.units; ++i) CHECK_EQUAL(words(block.at)[i], block.mark);
      heap.give_back(block.at, block.units);
      bytes -= block.units * Heap::kUnit;
      blocks.pop_back();
    }
    CHECK_EQUAL(heap.bytes(), bytes);
    CHECK(heap.extent() <= most_bytes);
    CHECK_EQUAL(heap.room(), most_bytes - bytes);
  }
  CHECK_EQUAL(refused > 0, most_bytes < 1 << 20);
  for (const Block& block : blocks) heap.give_back(block.at, block.units);
  CHECK_EQUAL(heap.bytes(), std::size_t{0});
  // All free blocks are merged again: there is space for one large block.
  if (refused > 0) CHECK(heap.allocate(most_bytes / Heap::kUnit / 4) != kNone);
}

TEST(heap_exceeds_its_limit_only_on_request) {
  Heap heap(1000);
  const Index first = heap.allocate(100);
  CHECK(first != kNone);
  CHECK_EQUAL(heap.allocate(26), kNone);
  const Index large = heap.allocate(100000, true);  // more than a chunk
  CHECK(large != kNone);
  std::fill_n(reinterpret_cast<std::uint64_t*>(heap.at(large)), 100000, 7);
  CHECK_EQUAL(heap.allocate(26), first + 100);  // the rest of its chunk
  heap.give_back(large, 100000);
  const Index piece = heap.allocate(60000);
  CHECK_EQUAL(piece, large);
  CHECK(heap.at(piece + 40000) == heap.at(piece) + 40000 * Heap::kUnit);
}

TEST(heap_refuses_more_than_indices_can_name) {
  Heap heap(std::size_t{1} << 60);
  CHECK_THROWS(std::bad_alloc, heap.allocate((std::size_t{1} << 31) + 1));
  CHECK_EQUAL(heap.extent(), std::size_t{0});
}

TEST(rows_are_interned) {
  Interned rows(2);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 100; ++i) {
      const int row[] = {i, -1};
      const Index index = rows.add(row);
      CHECK_EQUAL(index, static_cast<Index>(i));
      CHECK_EQUAL(rows.at(index)[0], i);
    }
  }
  CHECK_EQUAL(rows.size(), 100u);
}

TEST(joint_table_finds_what_was_added) {
  Tree tree(2, 1, 2000, std::size_t{1} << 24);
  const Index node = tree.add_node(legal_of({200, 200}), kNoState);
  CHECK(tree.joints(tree.node(node)) == nullptr);
  for (std::uint32_t i = 0; i < 200; ++i) {
    for (std::uint32_t j = 0; j < 30; ++j) {
      const std::uint32_t places[] = {i, j};
      CHECK(tree.find_joint(tree.node(node), places) == nullptr);
      JointAction* made = tree.joint_action(node, places);
      CHECK_EQUAL(made->child, kNone);
      CHECK_EQUAL(made->visits, 0u);
      made->visits = 30 * i + j;
    }
  }
  for (std::uint32_t i = 0; i < 200; ++i) {
    for (std::uint32_t j = 0; j < 30; ++j) {
      const std::uint32_t places[] = {i, j};
      CHECK_EQUAL(tree.find_joint(tree.node(node), places)->visits, 30 * i + j);
      CHECK(tree.joint_action(node, places) == tree.find_joint(tree.node(node), places));
    }
  }
  CHECK_EQUAL(tree.joints(tree.node(node))->used, 6000u);
  tree.discard(node);
  CHECK_EQUAL(tree.bytes(), std::size_t{0});
}

void moves_are_tried_once_each_in_a_random_order(int widest) {
  Tree tree(2, 1, widest, std::size_t{1} << 24);
  for (const int count : {1, 2, 3, 5, 7, 50}) {
    const Index node = tree.add_node(legal_of({1, count}, 10, 7), kNoState);
    CHECK_EQUAL(tree.node(node).mover, count > 1 ? 1 : 0);
    const int mover = tree.node(node).mover;
    std::uint64_t random = 9;
    const Choice& choice = tree.node(node).choice(mover);
    CHECK_EQUAL(choice.count, static_cast<std::uint32_t>(count));
    std::vector<std::uint32_t> order;
    for (int i = 0; i < count; ++i) {
      std::set<std::uint32_t> all;
      for (int j = 0; j < i; ++j) all.insert(tree.move(choice, j));
      std::vector<std::uint32_t> room;
      const std::uint32_t* untried = tree.list_moves(choice, room);
      all.insert(untried, untried + count - i);
      CHECK_EQUAL(all.size(), std::size_t(count));
      CHECK_EQUAL(*all.rbegin(), 10u * (count - 1) + 7);
      CHECK_EQUAL(tree.add_action(node, mover, draw(random)), i);
    }
    for (int i = 0; i < count; ++i) {
      order.push_back(tree.move(choice, i));
      CHECK_EQUAL(tree.place_of(choice, order.back()), static_cast<std::uint32_t>(i));
    }
    CHECK_EQUAL(std::set<std::uint32_t>(order.begin(), order.end()).size(), std::size_t(count));
    if (count == 50) CHECK(!std::is_sorted(order.begin(), order.end()));
    CHECK_EQUAL(tree.only_move(tree.node(node), 0), 7);
    tree.discard(node);
    CHECK_EQUAL(tree.bytes(), std::size_t{0});
    CHECK_EQUAL(tree.nodes(), std::size_t{0});
  }
}

// Computes the legal moves of states of one word again.
class EveryThird final : public StoredLegality {
 public:
  int legal_in(const std::uint64_t* state, int* moves) const override {
    for (std::uint32_t i = 0; i < *state; ++i) moves[i] = nth_legal_in(state, i);
    std::fill_n(moves + *state, kSpare, -1);
    return static_cast<int>(*state);
  }
  int nth_legal_in(const std::uint64_t*, std::uint32_t n) const override { return 3 * static_cast<int>(n); }
};

TEST(sets_of_legal_moves_need_not_be_stored) {
  const EveryThird legality;
  Tree with_sets(2, 1, 3000, 1 << 24), without(2, 1, 3000, 1 << 24, false, 0, false, MoveTables::kNone, &legality);
  std::uint64_t random = 11;
  std::vector<std::uint32_t> room, other_room;
  for (const std::uint64_t count : {2, 70, 900, 1}) {
    LegalMoves legal{{}, {0}};
    for (std::uint64_t i = 0; i < count; ++i) legal.moves.push_back(3 * static_cast<int>(i));
    legal.begin.push_back(legal.moves.size());
    legal.moves.push_back(5);
    legal.begin.push_back(legal.moves.size());
    const std::size_t bytes = with_sets.bytes(), other_bytes = without.bytes();
    const Index node = with_sets.add_node(legal, &count), other = without.add_node(legal, &count);
    CHECK_EQUAL(without.bytes() - other_bytes < with_sets.bytes() - bytes, count > 1);
    const Choice &choice = with_sets.node(node).choice(0), &other_choice = without.node(other).choice(0);
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t drawn = draw(random);
      CHECK_EQUAL(with_sets.add_action(node, 0, drawn), without.add_action(other, 0, drawn));
      CHECK_EQUAL(with_sets.move(choice, i), without.move(other_choice, i));
      const std::uint32_t* list = with_sets.list_moves(choice, room);
      CHECK(std::equal(list, list + count, without.list_moves(other_choice, other_room)));
      CHECK_EQUAL(other_room.size(), std::size_t{count});
      CHECK_EQUAL(without.place_of(other_choice, without.move(other_choice, i)), i);
    }
    CHECK_EQUAL(with_sets.hash(node), without.hash(other));
  }
}

TEST(freed_blocks_are_used_again) {
  Tree tree(1, 1, 640, std::size_t{1} << 24);
  const Index first = tree.add_node(legal_of({64}, 10, 7), kNoState);
  for (int i = 0; i < 33; ++i) tree.add_action(first, 0, i);
  const std::size_t room = tree.room();
  tree.discard(tree.add_node(legal_of({64}, 10, 7), kNoState));
  CHECK_EQUAL(tree.room(), room);
  const Index second = tree.add_node(legal_of({64}, 10, 7), kNoState);
  for (int i = 0; i < 33; ++i) tree.add_action(second, 0, i);
  CHECK_EQUAL(tree.bytes(), 2 * (std::size_t{1} << 24) - 2 * room);
}

TEST(sizes_are_what_the_header_says) {
  Tree tree(2, 2, 70, std::size_t{1} << 24);
  tree.add_node(legal_of({7, 1}, 10, 7), kNoState);
  // A new node, and its block: a single-visit action, the index from which its move was taken, 10 bytes for 7 moves.
  CHECK_EQUAL(tree.bytes(), std::size_t{64 + 16});
}

// A mean of floats stays close to a mean of doubles, for any number of rewards.
TEST(means_do_not_drift) {
  float mean = 0;
  double sum = 0;
  std::uint64_t random = 3;
  for (std::uint32_t n = 1; n <= 20000000; ++n) {
    const double reward = draw_below(random, 10) < 7 ? 1.0 : -1.0;
    take_in(mean, reward, n, 1.0f / static_cast<float>(n));
    sum += reward;
  }
  CHECK(std::abs(mean - sum / 2e7) < 2e-5);
  // After many rewards a step is smaller than the precision of a float.
  mean = 0.5f;
  double exact = 0.5;
  for (std::uint32_t n = 100000000; n < 120000000; ++n) {
    const double reward = n % 4 == 0 ? -1.0 : 1.0;
    take_in(mean, reward, n, 1.0f / static_cast<float>(n));
    exact += (reward - exact) / n;
  }
  CHECK(std::abs(mean - exact) < 1e-4);
}

TEST(joint_codes_differ) {
  Tree tree(3, 1, 40, std::size_t{1} << 24);
  const Node& node = tree.node(tree.add_node(legal_of({4, 1, 3}), kNoState));
  CHECK_EQUAL(node.mover, kSimultaneous);
  std::set<std::uint64_t> codes;
  for (std::uint32_t a = 0; a < 4; ++a) {
    for (std::uint32_t c = 0; c < 3; ++c) {
      const std::uint32_t places[] = {a, 0, c};
      codes.insert(joint_code(node, places, 3));
    }
  }
  CHECK_EQUAL(codes.size(), std::size_t{12});
}

TEST(terminal_outcomes_are_interned) {
  Tree tree(2, 1, 4, std::size_t{1} << 24);
  const int win[] = {100, 0}, loss[] = {0, 100}, undefined[] = {-1, 0};
  const Index a = tree.terminal(win), b = tree.terminal(loss), c = tree.terminal(undefined);
  CHECK(is_terminal(a) && !is_node(a) && a != b && b != c && a != c);
  CHECK_EQUAL(tree.terminal(win), a);
  CHECK_EQUAL(tree.terminal(undefined), c);
  CHECK_EQUAL(tree.goals(b)[1], 100);
  CHECK(!is_terminal(kNone) && !is_node(kNone));
}

// Eq. of selection.hpp by hand: Q + C sqrt(ln(N + O) / (n + o)).
TEST(uct_follows_its_formula) {
  const double c = 1.4;
  const UctSelection uct(c);
  std::uint64_t random = 1;
  Chooser of = chooser(100, 0, 3, 3, 20);
  Action actions[8] = {action(10.0 / 50, 50, 10), action(-9.0 / 49, 49), action(0.0, 0, 10)};
  const auto select = [&] { return uct.select(of.node, of.choice, actions, {}, random); };
  auto value = [&](double q, double visits) { return q + c * std::sqrt(std::log(120.0) / visits); };
  const double values[] = {value(10.0 / 50, 60), value(-9.0 / 49, 49), value(0.0, 10)};
  CHECK(values[2] > values[0] && values[0] > values[1]);
  CHECK_EQUAL(select(), 2u);
  actions[2].unobserved = 5000;  // value(0.0, 5000) falls behind
  CHECK_EQUAL(select(), 0u);
  of.choice.mean = 1.0f;  // the value of an action without an observed visit
  CHECK_EQUAL(select(), 2u);
  of.choice.mean = 0.0f;
  actions[1].mean = 9.0f / 49;
  CHECK(value(9.0 / 49, 49) > value(10.0 / 50, 60));
  CHECK_EQUAL(select(), 1u);
  actions[0] = actions[1];
  CHECK_EQUAL(select(), 0u);  // a tie goes to the first
  of.choice.tried = 2;
  CHECK_EQUAL(select(), 2u);  // an untried move comes first
  // Counts beyond the tables.
  of = chooser(2000000, 0, 3, 3);
  actions[0] = action(0.5, 1000000);
  actions[1] = action(0.5, 900000);
  actions[2] = action(0.499, 100000);
  CHECK(0.499 + c * std::sqrt(std::log(2e6) / 1e5) > 0.5 + c * std::sqrt(std::log(2e6) / 9e5));
  CHECK_EQUAL(select(), 2u);
}

TEST(ucb1_tuned_follows_its_formula) {
  const double c = 1.4;
  SelectionConfig config;
  config.formula = SelectionConfig::Formula::kUcb1Tuned;
  config.exploration = c;
  const auto tuned = make_selection(config);
  std::uint64_t random = 1;
  const Chooser of = chooser(1000, 0, 2, 2);
  const auto value = [&](double q, double visits) {
    const double p = (q + 1) / 2;
    const double variance = p * (1 - p) + std::sqrt(2 * std::log(1000.0) / visits);
    return q + c * std::sqrt(std::log(1000.0) / visits * std::min(1.0, 4 * variance));
  };
  // The second action has the largest possible variance, the first nearly none: UCT would take the first.
  for (double reward = 4; reward > -4; reward -= 0.125) {
    const Action actions[8] = {action(0.95, 800), action(reward / 5, 5)};
    const bool second = value(reward / 5, 5) > value(0.95, 800);
    CHECK_EQUAL(tuned->select(of.node, of.choice, actions, {}, random), second ? 1u : 0u);
  }
}

TEST(ucb_v_follows_its_formula) {
  const UcbV formula{0.7f};
  for (float value = -1; value <= 1; value += 0.25f) {
    const Candidate of{value, 25, 0.2f, 1000, std::sqrt(std::log(1000.0f))};
    const double c = 1.0 / 3, b = 2, variance = 1 - value * value, exploration = 0.7 * 0.7 * std::log(1000.0) / 2;
    const double bound = value + std::sqrt(2 * variance * exploration / 25) + 3 * c * b * exploration / 25;
    CHECK_BETWEEN(formula(of), bound - 1e-5, bound + 1e-5);
  }
}

TEST(thompson_draws_from_the_posterior) {
  const Thompson formula{2.0f};
  const Candidate of{0.5f, 25, 0.2f, 1000, 1.0f};
  std::uint64_t random = 1;
  double sum = 0, squares = 0;
  constexpr int kSamples = 20'000;
  for (int i = 0; i < kSamples; ++i) {
    const double deviation = formula(of, random) - 0.5;
    sum += deviation;
    squares += deviation * deviation;
  }
  CHECK_BETWEEN(sum / kSamples, -0.015, 0.015);
  CHECK_BETWEEN(squares / kSamples, 0.16 - 0.008, 0.16 + 0.008);  // C^2 / n, five standard errors
}

TEST(closed_actions_are_skipped) {
  const UctSelection uct(1.4);
  std::uint64_t random = 1;
  Chooser of = chooser(90, 0, 3, 3);
  of.node.narrowed = true;
  of.choice.bounds = {50, 100};
  // The first has the best mean and is settled, the second cannot exceed the guaranteed value.
  Action actions[8] = {action(1, 30, 0, {50, 50}), action(20.0 / 30, 30, 0, {0, 50}), action(-1, 30)};
  const auto select = [&] { return uct.select(of.node, of.choice, actions, {}, random); };
  CHECK_EQUAL(select(), 2u);
  of.choice.tried = 2;  // an untried move is open
  CHECK_EQUAL(select(), 2u);
  of.choice.tried = 3;
  // Proven for the mover: only actions with this value count.
  actions[2].bounds = {0, 50};
  of.choice.bounds = {50, 50};
  CHECK_EQUAL(select(), 0u);
  of.choice.count = 9;
  CHECK_EQUAL(select(), 0u);
  // If roles mix, an action that is as good as any other stays open.
  of = chooser(90, kSimultaneous, 3, 3);
  of.node.narrowed = true;
  of.choice.bounds = {50, 100};
  actions[2].bounds = {20, 40};
  actions[2].mean = 1;
  for (int i = 0; i < 20; ++i) CHECK_EQUAL(select(), 0u);
}

TEST(simultaneous_roles_draw_among_actions_alike) {
  const UctSelection uct(0.7);
  const Chooser of = chooser(300, kSimultaneous, 3, 3);
  const Action actions[8] = {action(0, 100), action(0.008, 100), action(-0.04, 100)};
  std::uint64_t random = 1;
  int drawn[3] = {};
  for (int i = 0; i < 3000; ++i) ++drawn[uct.select(of.node, of.choice, actions, {}, random)];
  CHECK_BETWEEN(drawn[0], 1350, 1650);
  CHECK_EQUAL(drawn[0] + drawn[1], 3000);
}

TEST(rewards_run_from_minus_one_to_one) {
  GoalReward reward;
  const int goals[] = {100, 37, -1, 0};
  double rewards[4];
  reward.map({goals, 3, 5, NAN}, 4, rewards);
  CHECK_EQUAL(rewards[0], 1.0);
  CHECK_EQUAL(rewards[1], -0.26);
  CHECK_EQUAL(rewards[2], -1.0);
  CHECK_EQUAL(rewards[3], -1.0);
}

// One of the paths whose first step leads to a child of the root.
const Path& path_to(const std::vector<Path>& paths, const Tree& tree, const Traversal& traversal, Index child) {
  std::vector<int> moves(2);
  for (const Path& path : paths) {
    traversal.joint_move(path, 0, moves.data());
    if (tree.child(tree.root(), moves.data()) == child) return path;
  }
  std::abort();
}

// Builds a tree by descents only, each with rewards that depend on its number, and withdraws some.
TEST(backup_and_withdrawal_keep_the_counts) {
  for (const std::vector<int>& counts : {std::vector<int>{3, 1}, std::vector<int>{2, 3}}) {
    Tree tree(2, 1, 30, std::size_t{1} << 24);
    tree.set_root(tree.add_node(legal_of(counts), kNoState));
    const UctSelection uct(0.7);
    Traversal traversal(tree, uct);
    traversal.seed(4);
    std::vector<Path> paths(40);
    std::size_t expanded = 0;
    for (Path& path : paths) {
      if (traversal.descend(path, tree.root()) != Edge::kExpand) continue;
      traversal.set_child(path, tree.add_node(legal_of(counts), kNoState));
      traversal.descend(path, traversal.child(path));
      ++expanded;
    }
    CHECK(expanded > 3);
    CHECK_EQUAL(tree.nodes(), expanded + 1);
    const Node& root = tree.node(tree.root());
    CHECK_EQUAL(root.unobserved, 40);
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const double rewards[] = {i % 2 ? 1.0 : 0.0, 0.25};
      if (i % 4 == 3) {
        traversal.withdraw(paths[i]);
      } else {
        traversal.backup(paths[i], rewards);
      }
    }
    CHECK_EQUAL(root.visits, 30u);
    CHECK(std::abs(root.mean(0) - 10.0 / 30) < 1e-6);
    CHECK(std::abs(root.mean(1) - 0.25) < 1e-6);
    tree.for_each_node([&](Index index) {
      const Node& here = tree.node(index);
      CHECK_EQUAL(here.unobserved, 0);
      for (int role = 0; role < 2; ++role) {
        if (!here.chooses(role)) continue;
        const Choice& choice = here.choice(role);
        double reward = 0;
        std::uint32_t visits = 0;
        for (std::uint32_t i = 0; i < choice.tried; ++i) {
          const Action action = tree.actions(choice)[i];
          CHECK_EQUAL(action.unobserved, 0);
          reward += action.mean * action.visits;
          visits += action.visits;
        }
        CHECK_EQUAL(visits, here.visits);
        CHECK(std::abs(reward - choice.mean * here.visits) < 1e-5);
      }
    });
    // Another root: its part of the tree is the same, and the rest is freed in steps.
    Index child = kNone;
    tree.for_each_child(root, [&](Index each) { child = child == kNone ? each : child; });
    std::vector<int> moves(2);
    traversal.joint_move(path_to(paths, tree, traversal, child), 0, moves.data());
    const std::uint64_t hash = tree.hash(child);
    tree.advance_root(moves.data());
    CHECK_EQUAL(tree.root(), child);
    CHECK_EQUAL(tree.hash(), hash);
    CHECK_EQUAL(tree.nodes(), expanded + 1);
    tree.free_discarded(1);
    CHECK_EQUAL(tree.nodes(), expanded);
    CHECK(tree.has_discarded());
    tree.free_discarded(expanded);
    CHECK(!tree.has_discarded());
    CHECK_EQUAL(tree.hash(), hash);
    check_edges(tree);
    std::size_t kept = 0;
    tree.for_each_node([&](Index) { ++kept; });
    CHECK_EQUAL(tree.nodes(), kept);
  }
}

// The mover guarantees a draw, but the simulation took a move with a lower mean: above the node, the draw counts.
TEST(proofs_correct_what_is_backed_up) {
  Tree tree(2, 1, 30, std::size_t{1} << 24);
  tree.set_root(tree.add_node(legal_of({2, 1}), kNoState));
  const UctSelection uct(0.7);
  Traversal traversal(tree, uct);
  const auto simulate = [&](double reward) {
    Path path;
    traversal.descend(path, tree.root());
    const double rewards[] = {reward, -reward};
    traversal.backup(path, rewards);
    return tree.actions(tree.node(tree.root()).choices()[0])[path.words[1]].mean;
  };
  Node& root = tree.node(tree.root());
  root.narrowed = true;
  root.choices()[0].bounds = {50, 100};
  CHECK_EQUAL(simulate(-1), -1.0f);
  CHECK_EQUAL(root.mean(0), 0.0f);
  CHECK_EQUAL(root.mean(1), 0.0f);
  // A mean above the guaranteed value counts unchanged ..
  CHECK_EQUAL(simulate(1), 1.0f);
  CHECK_EQUAL(root.mean(0), 0.5f);
  CHECK_EQUAL(root.mean(1), -0.5f);
  // .. unless it exceeds the highest possible value.
  root.choices()[0].bounds = {0, 50};
  simulate(1);
  CHECK(std::abs(root.mean(0) - 1.0f / 3) < 1e-6f);
  // Goals that do not add up: the reward of the other role does not change.
  tree.set_constant_sum(false);
  simulate(1);
  CHECK(std::abs(root.mean(0) - 0.25f) < 1e-6f);
  CHECK(std::abs(root.mean(1) - -0.5f) < 1e-6f);
}

TEST(configurations_are_checked) {
  CHECK_EQUAL(checked(Config{}, 128).in_flight, 0);
  Config config;
  config.in_flight = 65;
  CHECK_EQUAL(checked(config, 128).in_flight, 65);
  CHECK_THROWS(std::invalid_argument, checked(config, 64));
  config = Config{};
  config.selection.exploration = NAN;
  CHECK_THROWS(std::invalid_argument, checked(config, 64));
}

}  // namespace

TESTS(int, char**) {
  heap_keeps_blocks_apart(std::size_t{1} << 24);
  heap_keeps_blocks_apart(std::size_t{1} << 17);
  moves_are_tried_once_each_in_a_random_order(500);
  moves_are_tried_once_each_in_a_random_order(1 << 17);
}

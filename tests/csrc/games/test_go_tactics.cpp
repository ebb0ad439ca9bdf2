// Flags: -O1
//
// Tactics of Go, its play-out policy and its priors, compared with a plain implementation on random positions and in
// games by the policy.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "check.hpp"
#include "fixtures/go_positions.hpp"
#include "fixtures/interface_of.hpp"
#include "fixtures/plain_go.hpp"
#include "fixtures/stored.hpp"
#include "games/go/go_tactics.hpp"
#include "games/registry.hpp"
#include "interfaces/game_policy.hpp"
#include "interfaces/move_priors.hpp"

namespace {

using namespace ggp;
using Points = PlainGoBoard::Points;

template <int kSize>
Points numbers(const typename GoBoard<kSize>::Set& points) {
  Points found;
  for_each_bit(points, [&](int point) { found.insert(GoBoard<kSize>::number_of(point)); });
  return found;
}

template <int kSize>
PlainGoBoard plain(const GoPosition<kSize>& position) {
  PlainGoBoard board{kSize, std::string(kSize * kSize, '.')};
  for (const int point : numbers<kSize>(position.mine)) board.cells[point] = 'X';
  for (const int point : numbers<kSize>(position.theirs)) board.cells[point] = 'O';
  return board;
}

template <int kSize>
void tactics_agree_with_the_plain_board(int rounds) {
  using Board = GoBoard<kSize>;
  std::uint64_t random = 9;
  std::map<std::string, int> seen;
  for (int round = 0; round < rounds; ++round) {
    const GoPosition<kSize> position = position_at_random<kSize>(random);
    const PlainGoBoard board = plain(position);
    const GoTactics<kSize> tactics(position.mine, position.theirs);
    CHECK(numbers<kSize>(tactics.captures()) == board.captures());
    seen["captures"] += !board.captures().empty();
    for (int number = 0; number < kSize * kSize; ++number) {
      const int point = Board::point_of(number);
      if (board.cells[number] == 'O') {
        CHECK(numbers<kSize>(tactics.answers(point)) == board.answers(number));
        seen["answers"] += !board.answers(number).empty();
        Points near;
        for (const int each : board.around(number))
          if (board.cells[each] == '.' && board.matches(each)) near.insert(each);
        CHECK(numbers<kSize>(tactics.patterns_beside(go_patterns(), point)) == near);
      }
      if (board.cells[number] != '.') continue;
      const auto attack = tactics.attack(point);
      CHECK_EQUAL(attack.captures, board.captures_at(number));
      if (!attack.captures) CHECK_EQUAL(attack.gives_atari, board.gives_atari(number));
      CHECK_EQUAL(tactics.is_self_atari(point), board.is_self_atari(number));
      if (!attack.captures) CHECK_EQUAL(tactics.loses_stones(point), board.loses_stones(number));
      CHECK_EQUAL(tactics.matches(go_patterns(), point), board.matches(number));
      seen["gives atari"] += attack.gives_atari;
      seen["self-atari"] += board.is_self_atari(number);
      seen["loses stones"] += board.loses_stones(number);
      seen["pattern"] += board.matches(number);
      seen["no pattern"] += !board.matches(number);
    }
  }
  for (const char* kind : {"captures", "answers", "gives atari", "self-atari", "loses stones", "pattern", "no pattern"})
    CHECK(seen[kind] > 0);
}

const Module* go(int points) {
  const std::string size = std::to_string(points);
  for (const auto& module : modules())
    if (module->facts().name == "go_" + size + "x" + size) return module.get();
  return nullptr;
}

// A game on lane 0 of a simulator.
struct Played {
  const Module* const module;
  const std::unique_ptr<Simulator> simulator;
  int size, last = -1;

  explicit Played(int points) : module(go(points)), simulator(module->simulator(64, has_fast_bits())), size(points) {
    simulator->evaluate();
  }
  int mover() { return module->mover(stored(*simulator, 0).data()); }
  bool is_over() { return simulator->terminal()[0] & 1; }
  void set(const char* text) {
    std::vector<std::uint64_t> words(simulator->state_words());
    module->read_board(text, words.data());
    const std::uint64_t first = 1, *from = words.data();
    simulator->load(&first, &from);
    simulator->evaluate();
    last = -1;
  }
  void play(int move) {
    simulator->choose(0, mover(), move);
    simulator->step();
    simulator->evaluate();
    last = move == size * size ? -1 : move;
  }
  void play(const char* text) { play(module->read_move(0, text)); }
  std::vector<int> legal() {
    std::vector<int> moves(simulator->moves(0));
    moves.resize(simulator->legal(0, mover(), moves.data()));
    return moves;
  }
  Points legal_points() {
    Points points;
    for (const int move : legal())
      if (move != size * size) points.insert(move);
    return points;
  }
  int draw(std::uint64_t& random) { return interface_of<GamePolicy>(*simulator).policy_move(0, random).move; }
  std::set<std::string> drawn() {
    std::set<std::string> moves;
    std::uint64_t random = 5;
    for (int i = 0; i < 200; ++i) moves.insert(module->move_text(0, draw(random)));
    return moves;
  }
  PlainGoBoard board() {
    const std::string text = module->board(stored(*simulator, 0).data());
    PlainGoBoard found{size, ""};
    const bool black = mover() == 0;
    // Rows from the top, each after its number.
    std::vector<std::string> rows;
    for (std::size_t at = 0; rows.size() < static_cast<std::size_t>(size); at = text.find('\n', at) + 1) {
      std::string row;
      for (const char each : text.substr(at, text.find('\n', at) - at)) {
        if (each == '.') row += '.';
        if (each == 'b' || each == 'w') row += (each == 'b') == black ? 'X' : 'O';
      }
      rows.insert(rows.begin(), row);
    }
    for (const std::string& row : rows) found.cells += row;
    return found;
  }
  // The priors of all legal moves, in order.
  std::vector<PlainGoBoard::Prior> priors(bool locality) {
    std::vector<float> values(simulator->moves(0));
    std::vector<std::uint32_t> visits(values.size());
    MovePriors& known = interface_of<MovePriors>(*simulator);
    CHECK_EQUAL(known.move_priors(0, 1 - mover(), locality, values.data(), visits.data()), 0);
    const int count = known.move_priors(0, mover(), locality, values.data(), visits.data());
    std::vector<PlainGoBoard::Prior> found;
    for (int i = 0; i < count; ++i) found.push_back({(values[i] + 1) / 2.0, static_cast<double>(visits[i])});
    CHECK_EQUAL(found.size(), legal().size());
    return found;
  }
  PlainGoBoard::Prior prior(const char* text, bool locality = false) {
    const std::vector<int> moves = legal();
    const auto at = std::find(moves.begin(), moves.end(), module->read_move(0, text));
    CHECK(at != moves.end());
    return priors(locality)[at - moves.begin()];
  }
};

bool is(PlainGoBoard::Prior prior, double chance, double visits) {
  return std::abs(prior.chance - chance) < 1e-6 && prior.visits == visits;
}

// In games by the policy: the moves that the policy may draw, and the priors of all moves.
void policy_and_priors_agree_with_the_plain_board(int size, int games, double many, double more) {
  std::uint64_t random = 21;
  int complete = 0, passes = 0;
  for (int game = 0; game < games; ++game) {
    for (Played played(size); !played.is_over();) {
      const PlainGoBoard board = played.board();
      CHECK_EQUAL(board.cells.size(), static_cast<std::size_t>(size * size));
      const Points expected = board.by_policy(played.last, played.legal_points());
      Points drawn;
      for (int i = 0; i < 40; ++i) {
        const int move = played.draw(random);
        CHECK(expected.empty() ? move == size * size : expected.count(move) == 1);
        drawn.insert(move);
      }
      passes += expected.empty();
      if (expected.size() < 4) {
        complete += !expected.empty();
        CHECK(expected.empty() || drawn == expected);
      }
      for (const bool locality : {false, true}) {
        const std::vector<PlainGoBoard::Prior> priors = played.priors(locality);
        const std::vector<int> moves = played.legal();
        const auto wanted = board.priors(played.last, played.legal_points(), many, locality ? more : 0);
        for (std::size_t i = 0; i < moves.size(); ++i)
          CHECK(moves[i] == size * size || is(priors[i], wanted.at(moves[i]).chance, wanted.at(moves[i]).visits));
      }
      played.play(played.draw(random));
    }
  }
  CHECK(complete > 20);
  CHECK(passes > 0);
}

TEST(groups_in_atari_escape_or_capture) {
  Played played(5);
  // White's c2 leaves c3 the liberty d3.
  played.set(".....\n..w..\n.wb..\n.....\n.....\nwhite to move\n");
  played.play("c2");
  CHECK(played.drawn() == std::set<std::string>{"d3"});
  // The same with the attacker c2 in atari at d2.
  played.set(".....\n..w..\n.wb..\n.b...\n..b..\nwhite to move\n");
  played.play("c2");
  CHECK((played.drawn() == std::set<std::string>{"d2", "d3"}));
  // At the edge a1 has no escape: b1 would be self-atari, so there is no answer.
  played.set("wwwww\n.....\n..w..\n..w..\nb.w..\nwhite to move\n");
  played.play("a2");
  CHECK(played.drawn().count("b1") == 0);
}

TEST(a_pass_is_likely_if_it_wins) {
  Played played(5);
  // Black owns the left, white the right: 15 to 10 points, less 7.5 for komi.
  const std::string even = ".bbw.\nbbbww\n.bbw.\nbbbww\n.bbw.\n";
  played.set((even + "moves: 30\nblack to move\n").c_str());  // 15 - 10 - 7.5 < 0: white wins
  CHECK(is(played.prior("pass"), 0.1, 9));
  played.play("pass");
  CHECK(is(played.prior("pass", true), 1, 9));
  played.set((even + "moves: 31\nwhite to move\n").c_str());
  CHECK(is(played.prior("pass", true), 1, 9));  // settled
  // With a point that both reach the position is not settled, but a pass after a pass wins.
  const std::string open = ".bbw.\nbbbww\n.b.w.\nbbbww\n.bbw.\n";
  played.set((open + "moves: 31\nwhite to move\n").c_str());
  CHECK(is(played.prior("pass"), 0.1, 9));
  played.set((open + "moves: 31\npasses: 1\nwhite to move\n").c_str());
  CHECK(is(played.prior("pass", true), 1, 9));
  CHECK(is(played.prior("e1", true), 0, 9));  // an own eye
}

TEST(priors_have_three_cases) {
  Played played(9);
  // An empty board: only the pass has a prior.
  CHECK(is(played.prior("pass"), 0.1, 9));
  CHECK(is(played.prior("e5"), 0, 0));
  // Beside a lone stone, only the self-atari at a1 has a prior.
  const std::string empty = ".........\n.........\n.........\n.........\n.........\n.........\n";
  played.set((empty + ".........\nb........\n.........\nwhite to move\n").c_str());
  CHECK(is(played.prior("a1"), 0.1, 9));
  CHECK(is(played.prior("e5"), 0, 0));
  // No answer, but patterns: white can turn around the black stone.
  const std::string rows = ".........\n.........\n.........\n.........\n";
  played.set((rows + "...wb....\n" + rows + "white to move\n").c_str());
  CHECK(is(played.prior("e6"), 0.9, 3));
  CHECK(is(played.prior("a9"), 0.5, 3));
  // No answer, but an atari at b3 and c2.
  played.set((empty + ".........\nwb.......\n.w.......\nwhite to move\n").c_str());
  CHECK(is(played.prior("c2"), 1, 3));
  CHECK(is(played.prior("g7"), 0.5, 3));
  CHECK(is(played.prior("pass"), 0.1, 9));
  // An answer: the black stone in atari escapes.
  played.play("c2");
  CHECK(is(played.prior("b3"), 1, 9));
  CHECK(is(played.prior("g7"), 0.4, 9));
}

TEST(locality_is_by_the_distance_from_the_last_move) {
  Played played(9);
  for (const char* move : {"e5", "pass", "f5", "pass", "g5"}) played.play(move);
  CHECK(is(played.prior("g6", true), 1, 4));
  CHECK(is(played.prior("e6", true), 1, 4));  // beside the group of the last move
  CHECK(is(played.prior("e7", true), 0.6, 4));
  CHECK(is(played.prior("e8", true), 0.6, 4));
  CHECK(is(played.prior("e9", true), 0.1, 4));
  CHECK(is(played.prior("pass", true), 0.1, 13));
  CHECK(is(played.prior("e9"), 0, 0));
  // Means: a pattern beside the stone, and another move far away.
  played.play("g6");
  CHECK(is(played.prior("f6", true), 1, 13));
  CHECK(is(played.prior("a1", true), (0.4 * 9 + 0.1 * 4) / 13, 13));
  played.play("pass");
  CHECK(is(played.prior("a1", true), played.prior("a1").chance, played.prior("a1").visits));
}

}  // namespace

TESTS(int, char**) {
  tactics_agree_with_the_plain_board<5>(80);
  tactics_agree_with_the_plain_board<9>(8);
  tactics_agree_with_the_plain_board<19>(1);
  policy_and_priors_agree_with_the_plain_board(5, 3, 9, 4);
  policy_and_priors_agree_with_the_plain_board(9, 1, 9, 4);
}

// Flags: -O1
//
// The choice of moves on random legal words, on every kernel and width, compared with a plain loop over lanes: the k-th
// legal move in an order, k from the lane's stream, uniform or by rank; single moves; winning moves; several roles of
// one lane; lanes that do not take part; and the masks of choices, and their counts.
#include <algorithm>
#include <numeric>
#include <vector>

#include "base/aligned_words.hpp"
#include "base/random.hpp"
#include "check.hpp"
#include "network/program/lane_kernel.hpp"

namespace {

using namespace ggp;

// A word whose bits are 1 with a chance of `eighths` / 8.
std::uint64_t sparse(std::uint64_t& random, int eighths) {
  if (eighths == 8) return ~std::uint64_t{0};
  std::uint64_t word = 0;
  for (int bit = 1; bit < 8; bit *= 2) word = eighths & bit ? word | draw(random) : word & draw(random);
  return word;
}

// Values of moves with random legality, and the data with which a kernel chooses among them.
struct Position {
  static constexpr std::uint32_t kFirstMove = LaneProgram::kLooksAhead + 1;

  // `chance`, in eighths, is the probability that a move is legal in some lane, and then in each lane.
  Position(int words, const std::vector<std::uint32_t>& moves, int chance, bool shuffled, std::uint64_t seed)
      : words(words), orders(moves.size()), all(moves.size()), wins(moves.size()), mask(words),
        streams(aligned_words(std::size_t(64) * words)), many(aligned_words(moves.size() * words)),
        pass(aligned_words(moves.size() * words)), single(aligned_words(moves.size() * words)),
        counts(aligned_words(moves.size() * words * ChoiceScratch::kMostPlanes)) {
    const std::uint32_t total = std::accumulate(moves.begin(), moves.end(), 0u);
    first_legal = kFirstMove + total;
    values = aligned_words(std::size_t(first_legal + 2 * total) * words);
    std::uint64_t random = seed;
    for (int w = 0; w < words; ++w) {
      value(LaneProgram::kOnes)[w] = ~std::uint64_t{0};
      value(LaneProgram::kLooksAhead)[w] = draw(random);
      mask[w] = sparse(random, 7);
    }
    for (int lane = 0; lane < 64 * words; ++lane) stream(lane) = draw(random);
    room.resize(total + moves.size() * LiveMoves::kPadding);
    MoveValues* live = room.data();
    std::uint32_t move_value = kFirstMove;
    for (std::size_t role = 0; role < moves.size(); ++role) {
      const std::uint32_t first_move = move_value;
      for (std::uint32_t move = 0; move < moves[role]; ++move, ++move_value) {
        const std::uint32_t legal = move_value + total, win = legal + total;
        const bool somewhere = draw_below(random, 8) < static_cast<std::uint32_t>(chance);
        for (int w = 0; w < words; ++w) value(legal)[w] = somewhere ? sparse(random, chance) : 0;
        orders[role].push_back(move);
        all[role].push_back({legal, move_value});
        if (draw_below(random, 4) != 0) continue;
        for (int w = 0; w < words; ++w) value(win)[w] = value(legal)[w] & sparse(random, 1);
        wins[role].push_back({move, win});
      }
      std::vector<std::uint32_t>& order = orders[role];
      for (std::uint32_t i = moves[role]; shuffled && i > 1; --i) std::swap(order[i - 1], order[draw_below(random, i)]);
      choices.push_back({all[role].data(), moves[role], first_move, order.data(), moves[role], wins[role].data(),
                         static_cast<std::uint32_t>(wins[role].size())});
      lists.push_back({live, 0});
      live += moves[role] + LiveMoves::kPadding;
    }
  }

  std::uint64_t* value(std::uint32_t number) { return &values[std::size_t(number) * words]; }
  bool bit(std::uint32_t number, int lane) { return value(number)[lane / 64] >> (lane % 64) & 1; }
  std::uint64_t& stream(int lane) { return streams[(lane % 64) * words + lane / 64]; }
  ChoiceScratch scratch() {
    return {streams.get(), nullptr, many.get(), pass.get(), single.get(), counts.get(), lists.data()};
  }

  // The expected move of a role in a lane, -1 for none; advances the stream as the choice does.
  int expected(const RankDraw& by, std::size_t role, int lane, std::uint64_t& stream) {
    if ((mask[lane / 64] >> (lane % 64) & 1) == 0) return -1;
    std::vector<std::uint32_t> legal;
    for (const std::uint32_t move : orders[role])
      if (bit(all[role][move].legal, lane)) legal.push_back(move);
    if (legal.empty()) return -1;
    if (legal.size() == 1) return static_cast<int>(legal[0]);
    if (bit(LaneProgram::kLooksAhead, lane))
      for (const auto& win : wins[role])
        if (bit(win.holds, lane)) return static_cast<int>(win.move);
    return static_cast<int>(legal[draw_rank(by, stream, static_cast<std::uint32_t>(legal.size()))]);
  }

  int words;
  std::uint32_t first_legal;
  std::vector<std::vector<std::uint32_t>> orders;
  std::vector<std::vector<MoveValues>> all;
  std::vector<std::vector<LaneProgram::Win>> wins;
  std::vector<std::uint64_t> mask;
  AlignedWords values, streams, many, pass, single, counts;
  std::vector<MoveValues> room;
  std::vector<LiveMoves> lists;
  std::vector<RoleChoice> choices;
};

// Masks of lanes for the moves of each role, with random initial content.
struct Notes {
  Notes(int words, const std::vector<std::uint32_t>& moves, std::uint64_t& random) : noted(words) {
    for (std::uint64_t& word : noted) word = draw(random);
    for (const std::uint32_t count : moves) {
      memory.push_back(aligned_words(std::size_t(count) * words));
      occurred.push_back(memory.back().get());
      for (std::size_t i = 0; i < std::size_t(count) * words; ++i) occurred.back()[i] = sparse(random, 1);
      before.emplace_back(occurred.back(), occurred.back() + std::size_t(count) * words);
    }
  }
  std::vector<std::uint64_t> noted;
  std::vector<AlignedWords> memory;
  std::vector<std::uint64_t*> occurred;
  std::vector<std::vector<std::uint64_t>> before;  // expected content
};

// Counts of moves in some lanes of three classes, and the other lanes left.
void counts_like_a_loop(const LaneKernel& kernel, std::uint32_t moves, std::uint64_t* occurred, std::uint64_t seed) {
  const int words = kernel.words;
  std::vector<std::uint64_t> lanes(words), of_class(std::size_t(3) * words);
  for (int w = 0; w < words; ++w) {
    lanes[w] = sparse(seed, 3);
    std::uint64_t left = lanes[w];
    for (int k = 0; k < 3; ++k) {
      of_class[k * words + w] = left & sparse(seed, 3);
      left &= ~of_class[k * words + w];
    }
  }
  const std::vector<std::uint64_t> before(occurred, occurred + std::size_t(moves) * words);
  std::vector<std::uint32_t> counts(std::size_t(3) * moves, 77);
  kernel.count({moves, occurred, lanes.data(), 3, of_class.data(), counts.data()});
  for (std::uint32_t move = 0; move < moves; ++move) {
    for (int k = 0; k < 3; ++k) {
      std::uint32_t expected = 0;
      for (int lane = 0; lane < 64 * words; ++lane)
        expected += before[move * words + lane / 64] >> (lane % 64) & of_class[k * words + lane / 64] >> (lane % 64) & 1;
      CHECK_EQUAL(counts[3 * move + k], expected);
    }
    for (int w = 0; w < words; ++w) CHECK_EQUAL(occurred[move * words + w], before[move * words + w] & ~lanes[w]);
  }
}

// Chooses by rank, or uniformly if there is no rank. Returns the number of draws.
int chooses_like_a_loop(const LaneKernel& kernel, const std::vector<std::uint32_t>& moves, int chance, bool shuffled,
                        std::uint64_t seed, const RankDraw* by) {
  Position position(kernel.words, moves, chance, shuffled, seed);
  Notes notes(kernel.words, moves, seed);
  const int lanes = 64 * kernel.words;
  std::vector<std::uint64_t> streams;
  std::vector<int> expected;
  int draws = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    std::uint64_t stream = position.stream(lane);
    for (std::size_t role = 0; role < moves.size(); ++role) {
      const std::uint64_t before = stream;
      const int move = position.expected(by != nullptr ? *by : RankDraw{}, role, lane, stream);
      expected.push_back(move);
      draws += stream != before;
      if (stream != before && by != nullptr && notes.noted[lane / 64] >> (lane % 64) & 1)
        notes.before[role][std::size_t(move) * kernel.words + lane / 64] |= std::uint64_t{1} << (lane % 64);
    }
    streams.push_back(stream);
  }
  if (by == nullptr) {
    kernel.choose(position.choices.data(), static_cast<int>(moves.size()), position.mask.data(), position.scratch(),
                  position.values.get());
  } else {
    kernel.choose_by_rank(position.choices.data(), static_cast<int>(moves.size()), position.mask.data(),
                          {*by, nullptr, notes.occurred.data(), notes.noted.data()}, position.scratch(),
                          position.values.get());
  }
  for (std::size_t role = 0; role < moves.size(); ++role) {
    CHECK(std::equal(notes.before[role].begin(), notes.before[role].end(), notes.occurred[role]));
    if (by != nullptr) counts_like_a_loop(kernel, moves[role], notes.occurred[role], seed + role);
  }
  std::size_t at = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    CHECK_EQUAL(position.stream(lane), streams[lane]);
    for (const RoleChoice& role : position.choices) {
      std::vector<int> chosen;
      for (std::uint32_t move = 0; move < role.moves; ++move)
        if (position.bit(role.first_move + move, lane)) chosen.push_back(static_cast<int>(move));
      const int wanted = expected[at++];
      CHECK(chosen == (wanted < 0 ? std::vector<int>{} : std::vector<int>{wanted}));
    }
  }
  std::vector<std::uint32_t> set(position.first_legal - Position::kFirstMove);
  std::iota(set.begin(), set.end(), Position::kFirstMove);
  kernel.clear(set.data(), set.data() + set.size(), position.values.get());
  for (const std::uint32_t number : set)
    for (int w = 0; w < kernel.words; ++w) CHECK_EQUAL(position.value(number)[w], 0u);
  return draws;
}

}  // namespace

TESTS(int, char**) {
  std::vector<std::uint32_t> tails(64, 0);
  double tail = 0x1p32;
  for (int rank = 1; rank < 60; ++rank) tails[rank] = static_cast<std::uint32_t>(tail *= 0.7);
  RankDraw even, geometric;
  geometric.kind = RankDraw::Kind::kGeometric;
  geometric.tails = tails.data();
  geometric.tail_bits = 6;
  const std::vector<std::vector<std::uint32_t>> games = {{1}, {2}, {9, 9}, {31, 1, 64}, {40, 300}, {700}, {70, 70, 70}};
  for (const char* isa : {"portable", "avx2", "avx512"}) {
    for (const int width : {64, 128, 256, 512}) {
      const LaneKernel* kernel = find_kernel(isa, width);
      if (kernel == nullptr) continue;
      int draws = 0;
      std::uint64_t seed = 0;
      for (const auto& moves : games)
        for (const int chance : {1, 4, 8}) {
          for (const bool shuffled : {false, true})
            draws += chooses_like_a_loop(*kernel, moves, chance, shuffled, ++seed, nullptr);
          for (const RankDraw* by : {&even, &geometric})
            draws += chooses_like_a_loop(*kernel, moves, chance, true, ++seed, by);
        }
      for (const RankDraw* by : {static_cast<const RankDraw*>(nullptr), static_cast<const RankDraw*>(&geometric)})
        draws += chooses_like_a_loop(*kernel, {5000}, 8, true, ++seed, by);  // counts of 13 bits
      CHECK(draws > 60 * width);
    }
  }
}

// Links: network
//
// The choice of moves on random legal words, on every kernel and width, against a plain loop over lanes: the k-th legal
// move in an order, k from the lane's stream; single moves; moves that win; several roles of one lane; lanes left out.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "network/lane_kernel.hpp"
#include "random.hpp"

namespace {

using namespace ggp;

struct Free {
  void operator()(std::uint64_t* memory) const { std::free(memory); }
};
using Words = std::unique_ptr<std::uint64_t[], Free>;

Words zeros(std::size_t words) {
  const std::size_t bytes = (std::max<std::size_t>(words, 1) * 8 + 63) / 64 * 64;
  Words memory(static_cast<std::uint64_t*>(std::aligned_alloc(64, bytes)));
  std::fill_n(memory.get(), bytes / 8, 0);
  return memory;
}

// A word whose bits are 1 with a chance of `eighths` / 8.
std::uint64_t sparse(std::uint64_t& random, int eighths) {
  if (eighths == 8) return ~std::uint64_t{0};
  std::uint64_t word = 0;
  for (int bit = 1; bit < 8; bit *= 2) word = eighths & bit ? word | draw(random) : word & draw(random);
  return word;
}

// Values of moves with random legality, and what a kernel needs to choose from them.
struct Position {
  static constexpr std::uint32_t kFirstMove = LaneProgram::kLooksAhead + 1;

  // `chance`, in eighths, is how probable it is that a move is legal anywhere, and there in a lane.
  Position(int words, const std::vector<std::uint32_t>& moves, int chance, bool shuffled, std::uint64_t seed)
      : words(words), orders(moves.size()), all(moves.size()), wins(moves.size()), mask(words),
        streams(zeros(std::size_t(64) * words)), many(zeros(moves.size() * words)), pass(zeros(moves.size() * words)) {
    const std::uint32_t total = std::accumulate(moves.begin(), moves.end(), 0u);
    first_legal = kFirstMove + total;
    values = zeros(std::size_t(first_legal + 2 * total) * words);
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
      choices.push_back({all[role].data(), moves[role], first_move, order.data(), wins[role].data(),
                         static_cast<std::uint32_t>(wins[role].size())});
      lists.push_back({live, 0});
      live += moves[role] + LiveMoves::kPadding;
    }
  }

  std::uint64_t* value(std::uint32_t number) { return &values[std::size_t(number) * words]; }
  bool bit(std::uint32_t number, int lane) { return value(number)[lane / 64] >> (lane % 64) & 1; }
  std::uint64_t& stream(int lane) { return streams[(lane % 64) * words + lane / 64]; }
  ChoiceScratch scratch() { return {streams.get(), nullptr, many.get(), pass.get(), lists.data()}; }

  // The move that a role of a lane has to make, -1 for none; advances the stream as the choice does.
  int expected(std::size_t role, int lane, std::uint64_t& stream) {
    if ((mask[lane / 64] >> (lane % 64) & 1) == 0) return -1;
    std::vector<std::uint32_t> legal;
    for (const std::uint32_t move : orders[role])
      if (bit(all[role][move].legal, lane)) legal.push_back(move);
    if (legal.empty()) return -1;
    if (legal.size() == 1) return static_cast<int>(legal[0]);
    if (bit(LaneProgram::kLooksAhead, lane))
      for (const auto& win : wins[role])
        if (bit(win.holds, lane)) return static_cast<int>(win.move);
    return static_cast<int>(legal[draw_below(stream, static_cast<std::uint32_t>(legal.size()))]);
  }

  int words;
  std::uint32_t first_legal;
  std::vector<std::vector<std::uint32_t>> orders;
  std::vector<std::vector<MoveValues>> all;
  std::vector<std::vector<LaneProgram::Win>> wins;
  std::vector<std::uint64_t> mask;
  Words values, streams, many, pass;
  std::vector<MoveValues> room;
  std::vector<LiveMoves> lists;
  std::vector<RoleChoice> choices;
};

// Returns the number of draws.
int chooses_like_a_loop(const LaneKernel& kernel, const std::vector<std::uint32_t>& moves, int chance, bool shuffled,
                        std::uint64_t seed) {
  Position position(kernel.words, moves, chance, shuffled, seed);
  const int lanes = 64 * kernel.words;
  std::vector<std::uint64_t> streams;
  std::vector<int> expected;
  int draws = 0;
  for (int lane = 0; lane < lanes; ++lane) {
    std::uint64_t stream = position.stream(lane);
    for (std::size_t role = 0; role < moves.size(); ++role) {
      const std::uint64_t before = stream;
      expected.push_back(position.expected(role, lane, stream));
      draws += stream != before;
    }
    streams.push_back(stream);
  }
  kernel.choose(position.choices.data(), static_cast<int>(moves.size()), position.mask.data(), position.scratch(),
                position.values.get());
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

int main() {
  const std::vector<std::vector<std::uint32_t>> games = {{1}, {2}, {9, 9}, {31, 1, 64}, {40, 300}, {700}, {70, 70, 70}};
  for (const char* isa : {"portable", "avx2", "avx512"}) {
    for (const int width : {64, 128, 256, 512}) {
      const LaneKernel* kernel = find_kernel(isa, width);
      if (kernel == nullptr) continue;
      int draws = 0;
      std::uint64_t seed = 0;
      for (const auto& moves : games)
        for (const int chance : {1, 4, 8})
          for (const bool shuffled : {false, true})
            draws += chooses_like_a_loop(*kernel, moves, chance, shuffled, ++seed);
      draws += chooses_like_a_loop(*kernel, {5000}, 8, true, ++seed);  // counts of 13 bits
      CHECK(draws > 20 * width);
    }
  }
}

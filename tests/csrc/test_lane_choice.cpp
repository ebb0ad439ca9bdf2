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

// The values of a program that has nothing but moves, with random legality, and what the kernels need to choose from it.
class Position {
 public:
  // `chance` is how probable it is that a move is legal anywhere, and there in a lane, in eighths.
  Position(int words, const std::vector<std::uint32_t>& moves, int chance, bool shuffled, std::uint64_t seed)
      : words_(words), random_(seed), mask(words), live_moves_(kMost) {
    std::uint32_t total = std::accumulate(moves.begin(), moves.end(), 0u);
    first_legal_ = LaneProgram::kLooksAhead + 1 + total;
    std::uint32_t first_move = LaneProgram::kLooksAhead + 1;
    values = zeros(std::size_t(first_legal_ + 2 * total) * words);
    std::fill_n(value(LaneProgram::kOnes), words, ~std::uint64_t{0});
    for (int w = 0; w < words; ++w) value(LaneProgram::kLooksAhead)[w] = draw(random_), mask[w] = sparse(random_, 7);
    for (std::uint32_t number = first_legal_; number < first_legal_ + total; ++number) {
      const bool somewhere = draw_below(random_, 8) < static_cast<std::uint32_t>(chance);
      for (int w = 0; w < words; ++w) value(number)[w] = somewhere ? sparse(random_, chance) : 0;
    }
    orders_.resize(moves.size());
    all_.resize(moves.size());
    wins_.resize(moves.size());
    MoveValues* live = live_moves_.data();
    std::uint32_t next_legal = first_legal_, next_win = first_legal_ + total;
    for (std::size_t role = 0; role < moves.size(); ++role) {
      for (std::uint32_t move = 0; move < moves[role]; ++move, ++next_legal, ++next_win) {
        orders_[role].push_back(move);
        all_[role].push_back({next_legal, first_move + move});
        if (draw_below(random_, 4) != 0) continue;
        for (int w = 0; w < words; ++w) value(next_win)[w] = value(next_legal)[w] & sparse(random_, 1);
        wins_[role].push_back({move, next_win});
      }
      if (shuffled)
        for (std::uint32_t i = moves[role]; i > 1; --i) std::swap(orders_[role][i - 1], orders_[role][draw_below(random_, i)]);
      choices.push_back({all_[role].data(), moves[role], first_move, orders_[role].data(), wins_[role].data(),
                         static_cast<std::uint32_t>(wins_[role].size())});
      lists_.push_back({live, 0});
      first_move += moves[role];
      live += moves[role] + LiveMoves::kPadding;
    }
    CHECK(live <= live_moves_.data() + kMost);
    streams = zeros(std::size_t(64) * words);
    for (int lane = 0; lane < 64 * words; ++lane) stream(lane) = mix64(seed + static_cast<std::uint64_t>(lane));
    many_ = zeros(moves.size() * words);
    pass_ = zeros(moves.size() * words);
  }

  int lanes() const { return 64 * words_; }
  std::uint64_t* value(std::uint32_t number) { return &values[std::size_t(number) * words_]; }
  bool bit(std::uint32_t number, int lane) { return value(number)[lane / 64] >> (lane % 64) & 1; }
  std::uint64_t& stream(int lane) { return streams[(lane % 64) * words_ + lane / 64]; }
  ChoiceScratch scratch() { return {streams.get(), nullptr, many_.get(), pass_.get(), lists_.data()}; }

  // The move that a role of a lane has to make, -1 for none; advances the stream as the choice does.
  int expected(int role, int lane, std::uint64_t& stream) {
    if ((mask[lane / 64] >> (lane % 64) & 1) == 0) return -1;
    std::vector<std::uint32_t> legal;
    for (const std::uint32_t move : orders_[role])
      if (bit(all_[role][move].legal, lane)) legal.push_back(move);
    if (legal.empty()) return -1;
    if (legal.size() == 1) return static_cast<int>(legal[0]);
    if (bit(LaneProgram::kLooksAhead, lane))
      for (const auto& win : wins_[role])
        if (bit(win.holds, lane)) return static_cast<int>(win.move);
    return static_cast<int>(legal[draw_below(stream, static_cast<std::uint32_t>(legal.size()))]);
  }

 private:
  static constexpr std::size_t kMost = 8192;
  int words_;
  std::uint64_t random_;
  std::uint32_t first_legal_ = 0;
  std::vector<std::vector<std::uint32_t>> orders_;
  std::vector<std::vector<MoveValues>> all_;
  std::vector<std::vector<LaneProgram::Win>> wins_;
  Words many_, pass_;
  std::vector<LiveMoves> lists_;

 public:
  std::vector<std::uint64_t> mask;
  std::vector<RoleChoice> choices;
  Words values, streams;

 private:
  std::vector<MoveValues> live_moves_;
};

// Returns the number of draws.
int chooses_like_a_loop(const LaneKernel& kernel, const std::vector<std::uint32_t>& moves, int chance, bool shuffled,
                        std::uint64_t seed) {
  Position position(kernel.words, moves, chance, shuffled, seed);
  std::vector<std::uint64_t> streams;
  std::vector<int> expected;
  int draws = 0;
  for (int lane = 0; lane < position.lanes(); ++lane) {
    std::uint64_t stream = position.stream(lane);
    for (std::size_t role = 0; role < moves.size(); ++role) {
      const std::uint64_t before = stream;
      expected.push_back(position.expected(static_cast<int>(role), lane, stream));
      draws += stream != before;
    }
    streams.push_back(stream);
  }
  const int roles = static_cast<int>(moves.size());
  kernel.choose(position.choices.data(), roles, position.mask.data(), position.scratch(), position.values.get());
  std::vector<std::uint32_t> live;
  for (int lane = 0, at = 0; lane < position.lanes(); ++lane) {
    CHECK_EQUAL(position.stream(lane), streams[lane]);
    for (int role = 0; role < roles; ++role, ++at) {
      std::vector<int> chosen;
      for (std::uint32_t move = 0; move < moves[role]; ++move)
        if (position.bit(position.choices[role].first_move + move, lane)) chosen.push_back(static_cast<int>(move));
      CHECK(chosen == (expected[at] < 0 ? std::vector<int>{} : std::vector<int>{expected[at]}));
    }
  }
  for (std::uint32_t number = LaneProgram::kLooksAhead + 1; number < position.choices[0].all[0].legal; ++number) live.push_back(number);
  kernel.clear(live.data(), live.data() + live.size(), position.values.get());
  for (const std::uint32_t number : live)
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
          for (const bool shuffled : {false, true}) draws += chooses_like_a_loop(*kernel, moves, chance, shuffled, ++seed);
      draws += chooses_like_a_loop(*kernel, {5000}, 8, true, ++seed);  // counts of 13 bits
      CHECK(draws > 20 * width);
    }
  }
}

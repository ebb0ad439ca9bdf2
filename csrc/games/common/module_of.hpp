// The implementation of Module for a game class. module_simulator.hpp lists the first half of its members. The second
// half:
//
//     static ModuleFacts facts();
//     static std::string move_text(int role, int number);      // number < kMoves; empty if it is not a move
//     static int read_move(int role, std::string_view text);   // or -1; accepts what move_in() prints, too
//     static std::string move_in(const State&, int number);
//     static std::string board(const State&);
//     static State read_board(std::string_view text);          // throws std::invalid_argument
#pragma once

#include <algorithm>

#include "games/common/module.hpp"
#include "games/common/module_simulator.hpp"

namespace ggp {

template <class Game>
class ModuleOf final : public Module {
  using State = typename Game::State;
  using Move = typename Game::Move;
  using Draws = ModuleDraws<Game>;

 public:
  [[gnu::cold]] ModuleFacts facts() const override { return Game::facts(); }
  std::unique_ptr<Simulator> simulator(int lanes, bool fast, Vectors widest) const override {
    const Vectors vectors = fast ? std::min(widest, widest_vectors()) : Vectors::kNone;
    return std::make_unique<ModuleSimulator<Game>>(lanes, fast, vectors);
  }

  [[gnu::cold]] std::string move_text(int role, int number) const override {
    return number == Game::kMoves ? "noop" : Game::move_text(role, number);
  }
  [[gnu::cold]] std::string move_in(const std::uint64_t* state, int number) const override {
    return number == Game::kMoves ? "noop" : Game::move_in(unpack(state), number);
  }
  [[gnu::cold]] int read_move(int role, std::string_view text) const override {
    return text == "noop" ? Game::kMoves : Game::read_move(role, text);
  }
  [[gnu::cold]] std::string board(const std::uint64_t* state) const override { return Game::board(unpack(state)); }
  [[gnu::cold]] void read_board(std::string_view text, std::uint64_t* state) const override {
    store_state<Game>(Game::read_board(text), state);
  }

  int mover(const std::uint64_t* state) const override { return Game::mover(unpack(state)); }
  std::vector<int> fluents(const std::uint64_t* state) const override {
    std::vector<int> holding;
    Game::for_each_fluent(unpack(state), [&](int fluent) { holding.push_back(fluent); });
    return holding;
  }
  std::uint64_t hash(const std::uint64_t* state) const override { return unpack(state).hash; }
  std::uint64_t hash_anew(const std::uint64_t* state) const override { return Game::hash(unpack(state)); }
  double quality(const std::uint64_t* state) const override { return quality_of_end<Game>(unpack(state)); }
  double evaluation(const std::uint64_t* state, int which) const override {
    return Game::evaluation(unpack(state), which);
  }

  std::vector<PerftLevel> perft(const std::uint64_t* state, int depth, const std::atomic<bool>& stop) const override {
    std::vector<PerftLevel> levels(depth);
    const State root = unpack(state);
    if (!Game::terminal(root)) count(root, levels.data(), depth, stop, Draws::count(has_fast_bits()));
    return levels;
  }
  PlayoutStatistics playouts(std::uint64_t count, std::uint64_t seed, bool by_policy,
                             const std::atomic<bool>& stop) const override {
    const bool fast = has_fast_bits();
    const auto moves = Draws::count(fast);
    const auto draw = Draws::draw(fast, by_policy);
    PlayoutStatistics result;
    while (result.playouts < count && !stop.load(std::memory_order_relaxed)) {
      State state = Game::initial();
      std::uint64_t plies = 0;
      for (; !Game::terminal(state); ++plies) {
        result.choices += moves(state).moves;
        Game::template play<false>(state, draw(state, seed).move);
      }
      ++result.playouts;
      result.plies += plies;
      result.square_plies += plies * plies;
      result.longest = std::max(result.longest, plies);
      for (int role = 0; role < Game::kRoles; ++role) result.goals[role] += Game::goal(state, role);
      result.quality += quality_of_end<Game>(state);
    }
    return result;
  }

 private:
  [[gnu::noinline]] static State unpack(const std::uint64_t* words) { return restore_state<Game>(words); }

  // The moves of the last ply are counted instead of played (bulk counting), by the given function.
  static void count(const State& state, PerftLevel* level, int depth, const std::atomic<bool>& stop,
                    typename Draws::Count leaves) {
    if (depth == 1) {
      const LeafCounts counts = leaves(state);
      level->leaves += counts.moves;
      level->terminals += counts.ends;
      return;
    }
    if (stop.load(std::memory_order_relaxed)) return;
    Game::for_each_move(state, [&](Move move) {
      State next = state;
      Game::template play<false>(next, move);
      ++level->leaves;
      if (Game::terminal(next))
        ++level->terminals;
      else
        count(next, level + 1, depth - 1, stop, leaves);
    });
  }
};

template <class... Games>
void add_modules(Modules& to) {
  (to.push_back(std::make_unique<ModuleOf<Games>>()), ...);
}

}  // namespace ggp

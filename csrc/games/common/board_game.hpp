// The base of native games on boards: fluents and text of a position, from the pieces on its cells.
//
// The fluents are numbered as ggp_agent/game/native/board_game.py names them: for each kind of piece, all cells in the
// order in which they are printed; the role to move; and a counter, given by its binary digits that are 1, or by its
// value.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.hpp"
#include "games/common/module.hpp"
#include "games/common/square_board.hpp"

namespace ggp {

// Binary digits of the numbers up to the greatest.
constexpr int digits_up_to(std::uint64_t greatest) { return greatest == 0 ? 0 : 1 + digits_up_to(greatest / 2); }

enum class Counter { kNone, kDigits, kValue };

// kMost: the greatest value of the counter.
template <int kKinds, int kCells, Counter kBy = Counter::kNone, int kMost = 0>
struct BoardFluents {
  static constexpr int kBoardCells = kCells, kTurn = kKinds * kCells, kCounter = kTurn + 2;
  static constexpr bool kCounts = kBy != Counter::kNone;
  static constexpr int kCount =
      kCounter + (kBy == Counter::kDigits ? digits_up_to(kMost) : kBy == Counter::kValue ? kMost + 1 : 0);

  static constexpr int piece(int kind, int cell) { return kCells * kind + cell; }
  static constexpr int turn(int role) { return kTurn + role; }
  template <class See>
  static void counted(std::uint64_t count, See&& see) {
    if constexpr (kBy == Counter::kValue) return see(kCounter + static_cast<int>(count));
    for (; count != 0; count &= count - 1) see(kCounter + __builtin_ctzll(count));
  }
};

// A random word for each piece on its cell, whose sum, bit by bit, is the hash of a position (Zobrist 1970). `Keys` is a
// struct of arrays of words.
template <class Keys>
Keys random_keys() {
  static_assert(sizeof(Keys) % sizeof(std::uint64_t) == 0);
  Keys keys;
  auto* word = reinterpret_cast<std::uint64_t*>(&keys);
  for (std::uint64_t i = 0; i < sizeof keys / sizeof *word; ++i) word[i] = mix64(i + 1);
  return keys;
}

// `Game` has
//     static constexpr char kLetters[];                           // the letter of each kind of piece in the text
//     using Fluents = BoardFluents<...>;
//     template <class See>
//     static void for_each_piece(const State&, See&& see);        // see(kind, cell): cell by place in the text
//     static std::uint64_t counter(const State&);                 // if Fluents has a counter
template <class Game>
struct BoardGame {
  template <class State, class See>
  static void for_each_fluent(const State& state, See&& see) {
    using Fluents = typename Game::Fluents;
    Game::for_each_piece(state, [&](int kind, int cell) { see(Fluents::piece(kind, cell)); });
    see(Fluents::turn(Game::mover(state)));
    if constexpr (Fluents::kCounts) Fluents::counted(Game::counter(state), see);
  }

  template <class State>
  static SquareBoard squares(const State& state) {
    using Fluents = typename Game::Fluents;
    SquareBoard board{std::string(Fluents::kBoardCells, '.'), Game::mover(state)};
    if constexpr (Fluents::kCounts) board.moves = static_cast<int>(Game::counter(state));
    Game::for_each_piece(state, [&](int kind, int cell) { board.squares[cell] = Game::kLetters[kind]; });
    return board;
  }
  template <class State>
  static std::string board(const State& state) {
    const ModuleFacts facts = Game::facts();
    return print_board(squares(state), facts.size, facts.roles);
  }

  // For games whose texts of moves do not depend on the position.
  template <class State>
  static std::string move_in(const State& state, int number) {
    return Game::move_text(Game::mover(state), number);
  }
};

}  // namespace ggp

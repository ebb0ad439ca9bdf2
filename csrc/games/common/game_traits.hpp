// Compile-time tests for the optional members of a native game (module_simulator.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/bits.hpp"
#include "base/vector_kernels.hpp"
#include "interfaces/game_policy.hpp"

namespace ggp {

// Whether a game has list().
template <class Game, class = void>
struct HasList : std::false_type {};
template <class Game>
struct HasList<Game, std::void_t<decltype(&Game::list)>> : std::true_type {};

// Whether a game has legal_bits().
template <class Game, class = void>
struct HasLegalBits : std::false_type {};
template <class Game>
struct HasLegalBits<Game, std::void_t<decltype(&Game::legal_bits)>> : std::true_type {};

// Whether a game has find_legal().
template <class Game, class = void>
struct FindsLegal : std::false_type {};
template <class Game>
struct FindsLegal<Game, std::void_t<decltype(&Game::template find_legal<PlainBits>)>> : std::true_type {};

// Whether a game has nth().
template <class Game, class = void>
struct HasNth : std::false_type {};
template <class Game>
struct HasNth<Game, std::void_t<decltype(&Game::nth)>> : std::true_type {};

// The form in which states leave a simulator: Game::Stored, or the state itself.
template <class Game, class = void>
struct StoredForm {
  using Type = typename Game::State;
  static const Type& store(const Type& state) { return state; }
  static const Type& restore(const Type& stored) { return stored; }
};
template <class Game>
struct StoredForm<Game, std::void_t<typename Game::Stored>> {
  using Type = typename Game::Stored;
  static Type store(const typename Game::State& state) { return Game::store(state); }
  static typename Game::State restore(const Type& stored) { return Game::restore(stored); }
};
// Copies a state to or from words in this form.
template <class Game>
void store_state(const typename Game::State& state, std::uint64_t* words) {
  const auto& stored = StoredForm<Game>::store(state);
  std::memcpy(words, &stored, sizeof stored);
}
template <class Game>
typename Game::State restore_state(const std::uint64_t* words) {
  typename StoredForm<Game>::Type stored;
  std::memcpy(&stored, words, sizeof stored);
  return StoredForm<Game>::restore(stored);
}

// Whether a game has a Ranking.
template <class Game, class = void>
struct HasRanking : std::false_type {};
template <class Game>
struct HasRanking<Game, std::void_t<typename Game::Ranking>> : std::true_type {};

// Whether a game has move_priors().
template <class Game, class = void>
struct HasMovePriors : std::false_type {};
template <class Game>
struct HasMovePriors<Game, std::void_t<decltype(&Game::move_priors)>> : std::true_type {};

// Whether a game has light_move().
template <class Game, class = void>
struct HasLightPolicy : std::false_type {};
template <class Game>
struct HasLightPolicy<Game, std::void_t<decltype(&Game::template light_move<PlainBits>)>> : std::true_type {};

// Whether a game has draw_many().
template <class Game, class = void>
struct HasDrawMany : std::false_type {};
template <class Game>
struct HasDrawMany<Game, std::void_t<decltype(Game::template draw_many<MoveDraw::kUniform>(
                             Vectors{}, std::declval<const typename Game::State*>(), std::uint64_t{},
                             std::declval<const std::uint64_t*>(),
                             std::declval<void (*)(std::size_t, const typename Game::Move&, std::uint64_t)>()))>>
    : std::true_type {};

// Whether a game has a SideBySide.
template <class Game, class = void>
struct HasSideBySide : std::false_type {
  struct Type {
    using Kernel = std::nullptr_t;
  };
};
template <class Game>
struct HasSideBySide<Game, std::void_t<typename Game::SideBySide>> : std::true_type {
  using Type = typename Game::SideBySide;
};

}  // namespace ggp

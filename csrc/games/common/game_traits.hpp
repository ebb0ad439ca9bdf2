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

// Whether a game has an optional member, such as kHas<ListOf, Game>.
template <template <class> class MemberOf, class Game, class = void>
constexpr bool kHas = false;
template <template <class> class MemberOf, class Game>
constexpr bool kHas<MemberOf, Game, std::void_t<MemberOf<Game>>> = true;

template <class Game>
using ListOf = decltype(&Game::list);
template <class Game>
using LegalBitsOf = decltype(&Game::legal_bits);
template <class Game>
using FindLegalOf = decltype(&Game::template find_legal<PlainBits>);
template <class Game>
using NthOf = decltype(&Game::nth);
template <class Game>
using RankingOf = typename Game::Ranking;
template <class Game>
using MovePriorsOf = decltype(&Game::move_priors);
template <class Game>
using LightMoveOf = decltype(&Game::template light_move<PlainBits>);
template <class Game>
using DrawManyOf = decltype(Game::template draw_many<MoveDraw::kUniform>(
    Vectors{}, std::declval<const typename Game::State*>(), std::uint64_t{}, std::declval<const std::uint64_t*>(),
    std::declval<void (*)(std::size_t, const typename Game::Move&, std::uint64_t)>()));

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

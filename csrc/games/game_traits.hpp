// Compile-time tests for the optional members of a native game (module_simulator.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "games/bits.hpp"
#include "games/vector_kernels.hpp"
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

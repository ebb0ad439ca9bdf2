// The optional interfaces that only some native games have. A game has an interface if its class has the functions that
// the interface needs (game_traits.hpp).
//
// `Self` is the simulator of the game, which derives from all class templates below. For a game without the functions
// the template is an empty class, so the simulator does not have the interface.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bits.hpp"
#include "games/common/game_traits.hpp"
#include "interfaces/legality.hpp"
#include "interfaces/move_priors.hpp"
#include "interfaces/ranked_moves.hpp"

namespace ggp {

template <class Self, class Game, bool has = kHas<LegalBitsOf, Game>>
class ModuleLegalBits {};

template <class Self, class Game>
class ModuleLegalBits<Self, Game, true> : public BitwiseLegality {
 public:
  std::uint64_t legal_bits(int lane) const override {
    static_assert(Game::kMoves < 64);
    return Game::legal_bits(static_cast<const Self&>(*this).state(lane));
  }
};

template <class Self, class Game, bool has = kHas<FindLegalOf, Game>>
class ModuleLegalityLookup {};

template <class Self, class Game>
class ModuleLegalityLookup<Self, Game, true> : public LegalityLookup {
  using State = typename Game::State;

 public:
  std::uint32_t find_legal(int lane, MoveDraw by, const std::uint32_t* moves, std::uint32_t count,
                           std::uint32_t* indices) override {
    const Self& self = static_cast<const Self&>(*this);
    return self.fast_ ? find_fast(self.state(lane), by, moves, count, indices)
                      : Game::template find_legal<PlainBits>(self.state(lane), by, moves, count, indices);
  }

 private:
  GGP_FAST_BITS static std::uint32_t find_fast(const State& state, MoveDraw by, const std::uint32_t* moves,
                                               std::uint32_t count, std::uint32_t* indices) {
    return Game::template find_legal<FastBits>(state, by, moves, count, indices);
  }
};

template <class Self, class Game, bool has = kHas<NthOf, Game>>
class ModuleStoredLegality {};

template <class Self, class Game>
class ModuleStoredLegality<Self, Game, true> : public StoredLegality {
 public:
  int legal_in(const std::uint64_t* state, int* moves) const override {
    return Game::list(restore_state<Game>(state), moves);
  }
  int nth_legal_in(const std::uint64_t* state, std::uint32_t n) const override {
    return Game::nth(restore_state<Game>(state), n);
  }
};

template <class Self, class Game, bool has = kHas<RankingOf, Game>>
class ModuleRankedMoves {};

template <class Self, class Game>
class ModuleRankedMoves<Self, Game, true> : public RankedMoves {
  using Ranking = typename Game::Ranking;

 public:
  std::unique_ptr<MoveRanking> rank_moves(const float* const* values) const override {
    return std::make_unique<Ranking>(values, static_cast<const Self&>(*this).vectors_);
  }
  int best_move(int lane, const MoveRanking& ranking, std::uint64_t random) override {
    const typename Game::State& state = static_cast<const Self&>(*this).state(lane);
    return Game::number(state, static_cast<const Ranking&>(ranking).best_move(state, random));
  }
  int best_move_with(int lane, const MoveRanking& ranking, int move, std::uint64_t random) override {
    const typename Game::State& state = static_cast<const Self&>(*this).state(lane);
    const auto only = Game::only_with(state, Game::move(state, move));
    return Game::number(only, static_cast<const Ranking&>(ranking).best_move(only, random));
  }
};

template <class Self, class Game, bool has = kHas<MovePriorsOf, Game>>
class ModuleMovePriors {};

template <class Self, class Game>
class ModuleMovePriors<Self, Game, true> : public MovePriors {
 public:
  int move_priors(int lane, int role, bool locality, float* values, std::uint32_t* visits) override {
    Self& self = static_cast<Self&>(*this);
    if (self.is_over(lane) || role != self.mover(lane)) return 0;
    listed_.resize(self.moves(role));
    const int count = self.legal(lane, role, listed_.data());
    Game::move_priors(self.state(lane), listed_.data(), count, locality, values, visits);
    return count;
  }

 private:
  std::vector<int> listed_;  // the legal moves of a lane
};

}  // namespace ggp

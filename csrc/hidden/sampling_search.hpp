// The common part of searches that sample games with hidden information: one simulation in each lane of a simulator.
//
// A lane descends while its simulation can reach stored information states of a role. The search chooses the moves of
// all roles in a lane that descends; later moves are drawn uniformly. The key of an information state follows the moves
// and percepts of its role. A lane whose game has ended learns and starts the next simulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "hidden/hidden_search.hpp"
#include "simulation/load_played.hpp"

namespace ggp {

// `Search` derives from this class and has:
//   const auto& table(int role)                the information states of a role
//   bool descends(int lane)                    whether the search chooses the next moves of the lane
//   int choose(int lane, int role, const int* moves, int count)
//   bool learn(Simulator& simulator, int lane) learns from an ended game; returns whether the simulation counts
template <class Search>
class SamplingSearch : public HiddenSearch, public MovePolicy {
 public:
  const MovePolicy* policy() const override { return this; }
  // The nodes of all tables.
  std::size_t nodes() const {
    std::size_t sum = 0;
    for (int role = 0; role < roles_; ++role) sum += search().table(role).size();
    return sum;
  }

 protected:
  SamplingSearch(const HiddenGame& game, int role, std::uint64_t seed)
      : role_(role),
        roles_(game.roles()),
        chance_(game.chance()),
        lanes_(game.lanes()),
        widest_(game.widest()),
        random_(mix64(seed)),
        keys_(std::size_t(game.lanes()) * game.roles()),
        moves_(std::size_t(game.lanes()) * game.roles()) {}

  // A bit for each role except chance.
  std::uint32_t all_players() const {
    return ((std::uint32_t{1} << roles_) - 1) & ~(chance_ < 0 ? 0 : std::uint32_t{1} << chance_);
  }
  // The keys of the information states in a lane, by role.
  std::uint64_t* keys(int lane) { return &keys_[std::size_t(lane) * roles_]; }
  double uniform() { return static_cast<double>(draw(random_) >> 11) * 0x1p-53; }

  // Simulates until the watch ends the run. `start` prepares the simulation of a lane and returns its first state.
  template <class Start>
  void simulate(HiddenGame& game, Watch& watch, HiddenResult& result, Start start);

  int role_, roles_, chance_, lanes_, widest_;
  std::uint64_t random_;

 private:
  class Chooser;
  Search& search() { return static_cast<Search&>(*this); }
  const Search& search() const { return static_cast<const Search&>(*this); }

  std::vector<std::uint64_t> keys_;  // [lanes][roles]
  std::vector<std::int32_t> moves_;  // [roles][lanes], of the present turn
};

template <class Search>
class SamplingSearch<Search>::Chooser final : public MoveChooser {
 public:
  explicit Chooser(SamplingSearch& shared) : shared_(shared), legal_(shared.widest_) {}

  void choose(const Choices& choices) override {
    for (int role = 0; role < shared_.roles_; ++role) {
      const auto& table = shared_.search().table(role);
      const auto key = [&](int lane) { return shared_.keys(lane)[role]; };
      choices.for_each_lane(role, [&](int lane) { table.prefetch_slot(key(lane)); });
      choices.for_each_lane(role, [&](int lane) { table.prefetch_node(key(lane)); });
      choices.for_each_lane(role, [&](int lane) { table.prefetch_edges(key(lane)); });
      choices.for_each_lane(role, [&](int lane) {
        int count = 0;
        for (int block = 0; block < choices.blocks; ++block)
          for (std::uint64_t word = choices.word(lane, block); word != 0; word &= word - 1)
            legal_[count++] = 64 * block + __builtin_ctzll(word);
        const int move = shared_.search().choose(lane, role, legal_.data(), count);
        choices.moves[lane] = static_cast<std::uint32_t>(move);
        shared_.moves_[std::size_t(role) * shared_.lanes_ + lane] = move;
      });
    }
  }

 private:
  SamplingSearch& shared_;
  std::vector<int> legal_;
};

template <class Search>
template <class Start>
void SamplingSearch<Search>::simulate(HiddenGame& game, Watch& watch, HiddenResult& result, Start start) {
  Simulator& simulator = game.simulator();
  Chooser chooser(*this);
  const std::size_t groups = simulator.groups();
  std::vector<const std::uint64_t*> states(lanes_);
  LaneMask restarts(groups, ~std::uint64_t{0}), descending(groups), playing(groups);
  for (int lane = 0; lane < lanes_; ++lane) simulator.seed(lane, draw(random_));
  while (!watch.ended(result.simulations)) {
    for (std::size_t group = 0; group < groups; ++group)
      for_each_lane(static_cast<int>(group), restarts[group], [&](int lane) { states[lane] = start(lane); });
    load_played(simulator, restarts.data(), states.data());
    simulator.evaluate();
    for (std::size_t group = 0; group < groups; ++group) {
      const std::uint64_t over = simulator.terminal()[group];
      for_each_lane(static_cast<int>(group), over, [&](int lane) {
        if (search().learn(simulator, lane)) ++result.simulations;
      });
      restarts[group] = over;
      descending[group] = 0;
      for_each_lane(static_cast<int>(group), ~over, [&](int lane) {
        if (search().descends(lane)) descending[group] |= lane_bit(lane);
      });
      playing[group] = ~over & ~descending[group];
    }
    const bool any_descends = any_lane(descending);
    if (any_descends) {
      std::fill(moves_.begin(), moves_.end(), kForced);
      simulator.choose_with(descending.data(), chooser);
    }
    if (any_lane(playing)) simulator.choose_at_random(playing.data());
    if (any_descends) {
      game.perceive();
      game.advance_keys(descending, moves_.data(), keys_.data());
    }
    simulator.step();
  }
}

}  // namespace ggp

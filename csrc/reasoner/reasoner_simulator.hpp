// The simulator of a game whose rules the reasoner evaluates directly, one lane after the other.
//
// Lanes without a state cost nothing. All lanes share the memory for the tables of a state: tables that stay in the
// cache are faster (5 to 80 % in random play-outs) than the tables of 64 states that wait for step(). Packed states are
// numbers of the registry (one word), moves are numbered in the order of their first use, and moves() is a fixed
// capacity. Legal moves are listed in ascending order, as the interface requires. Two simulators that share a registry
// list the moves of a state in the same order, whichever asks first, so a search that is repeated on one machine makes
// the same tree. Another process makes the same tree if it has evaluated the same states in the same order before.
//
// Beyond ReasonerLimits, std::overflow_error is thrown. If the rules have no meaning, std::runtime_error is thrown, as
// Simulator allows. load() of a word that is not a state throws std::invalid_argument.
#pragma once

#include <memory>
#include <vector>

#include "interfaces/percepts.hpp"
#include "reasoner/evaluator.hpp"
#include "reasoner/registry.hpp"
#include "reasoner/tables.hpp"
#include "simulator.hpp"

namespace ggp {

class ReasonerSimulator final : public Simulator, public Percepts {
 public:
  ReasonerSimulator(std::shared_ptr<Registry> registry, int lanes);

  std::unique_ptr<Simulator> clone() const override;

  int roles() const override { return static_cast<int>(roles_.size()); }
  int moves(int) const override { return Registry::kMostMoves; }
  int state_words() const override { return 1; }
  const std::uint64_t* initial() const override { return registry_->initial(); }
  int lanes() const override { return static_cast<int>(lanes_.size()); }

  void load(const std::uint64_t* mask, const std::uint64_t* const* states) override;
  void store(const std::uint64_t* mask, std::uint64_t* const* states) override;
  void seed(int lane, std::uint64_t seed) override { lanes_[lane].random = seed; }
  std::uint64_t stream(int lane) const override { return lanes_[lane].random; }

  void evaluate() override;
  const std::uint64_t* terminal() const override { return terminal_.data(); }
  int goal(int lane, int role) override;
  int goals(int lane, int role, int* out) override;
  int legal_count(int lane, int role) override;
  int legal(int lane, int role, int* out) override;
  void choose(int lane, int role, int move) override;
  void choose_at_random(const std::uint64_t* mask) override;
  void perceive() override;
  void perceived(int lane, int role, std::vector<std::uint32_t>& out) const override { out = lanes_[lane].perceived[role]; }
  void keep_lanes(int role, const std::uint32_t* wanted, std::size_t count, std::uint64_t* mask) const override;
  void hash_percepts(int role, const std::uint64_t* mask, std::uint64_t* hashes) const override;
  void step() override;

 private:
  void* find_interface(InterfaceId id) override { return select_interface<Percepts>(*this, id); }
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  struct Lane {
    bool holds = false;              // whether the lane contains a state
    std::uint64_t packed = 0;        // its number, if known
    bool is_packed = false;
    std::vector<Term> fluents;
    std::vector<std::vector<std::uint32_t>> legal;  // by role: numbers, ascending
    std::vector<Term> chosen;        // by role
    std::vector<std::vector<std::uint32_t>> perceived;  // by role: numbers, ascending
    std::uint64_t random = 0;
  };
  struct Role {
    Term term;
    std::vector<std::uint32_t> number_of;  // by term: number of the move, or kUnknown
    std::vector<Term> move;                // by number
    std::vector<std::uint32_t> number_of_percept;  // by term: number of the percept, or kUnknown
  };

  // Sets the state of the evaluator to the state of a lane.
  void enter(Lane& lane);
  void drop(Lane& lane);
  void drop_all();
  // Calls work(lane, number) for each lane with a state; drops all states if it throws.
  template <class Work>
  void for_held_lanes(Work work);
  void unpack(Lane& lane, std::uint64_t state);
  std::uint64_t pack(Lane& lane);
  void find_legal(Lane& lane, std::size_t role);
  void find_percepts(Lane& lane, std::size_t role);
  static bool is_complete(const Lane& lane);  // whether every role has a move
  Term move_of(int role, std::uint32_t number);

  std::shared_ptr<Registry> registry_;
  Evaluator evaluator_;
  Tables tables_;                  // tables of the most recently entered state
  const Lane* entered_ = nullptr;  // its lane
  std::vector<Role> roles_;
  std::vector<std::uint32_t> number_of_fluent_;  // by term, or kUnknown
  std::vector<Term> fluent_;                     // by number
  std::vector<Lane> lanes_;
  std::vector<std::uint64_t> terminal_;
  // Scratch.
  std::vector<std::uint32_t> numbers_;
  std::vector<Term> terms_;
};

}  // namespace ggp

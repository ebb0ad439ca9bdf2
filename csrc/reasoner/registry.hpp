// Data that all simulators of one game share: the numbers of fluents and moves, and the packed states.
//
// Fluents, moves and percepts are not known in advance. Each gets a permanent number on its first use. A packed state
// is one word: the number of an ordered list of fluents that is stored once. Every simulator has its own terms, so a
// simulator evaluates without locks. Simulators use the registry for new fluents and moves, and when they store or load
// states. All functions may be called from any thread.
//
// New moves of one state are numbered in the order of their texts. So numbers depend only on the order in which states
// were evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "reasoner/evaluator.hpp"
#include "reasoner/plan.hpp"
#include "reasoner/terms.hpp"

namespace ggp {

class Registry {
 public:
  // Evaluates the initial state. Throws the exceptions of Evaluator::query.
  Registry(std::shared_ptr<const Plan> plan, const ReasonerLimits& limits);

  const std::shared_ptr<const Plan>& plan() const { return plan_; }
  const ReasonerLimits& limits() const { return limits_; }
  const std::uint64_t* initial() const { return &initial_; }

  // Maximal number of moves of a role.
  static constexpr int kMostMoves = 65'536;

  // ---- numbers; equal terms have equal numbers. Throw std::overflow_error beyond the limits.
  std::uint32_t fluent_number(const TermTable& terms, Term fluent);
  std::uint32_t move_number(int role, const TermTable& terms, Term move);
  std::uint32_t percept_number(int role, const TermTable& terms, Term percept);
  // Appends the terms of the numbers from `known.size()` on.
  void import_fluents(TermTable& terms, std::vector<Term>& known);
  void import_moves(int role, TermTable& terms, std::vector<Term>& known);

  // ---- states: ascending numbers of fluents
  // Throws std::overflow_error if the states take too much memory.
  std::uint64_t pack(const std::vector<std::uint32_t>& fluents);
  // Throws std::invalid_argument if no state has this number.
  void unpack(std::uint64_t state, std::vector<std::uint32_t>& fluents);

  // ---- names: terms in the notation of rules.hpp. An unused number throws std::invalid_argument.
  std::string move_name(int role, std::uint64_t number);
  std::string percept_name(int role, std::uint64_t number);
  std::uint32_t read_move(int role, const std::string& text);
  std::uint32_t read_percept(int role, const std::string& text);
  std::vector<std::string> fluents(std::uint64_t state);
  std::uint64_t read_state(const std::vector<std::string>& texts);

 private:
  struct Numbers {
    std::vector<Term> terms;  // by number
    std::unordered_map<Term, std::uint32_t> numbers;
    std::uint32_t number(Term term);
  };
  struct Stored {
    const std::uint32_t* fluents;
    std::uint32_t count, hash;
  };

  std::string name_of(const std::vector<Numbers>& numbers, int role, std::uint64_t number, const char* kind);
  std::uint64_t store(const std::vector<std::uint32_t>& fluents);
  std::uint32_t number_move(int role, Term move);
  const std::uint32_t* keep(const std::vector<std::uint32_t>& fluents);

  const std::shared_ptr<const Plan> plan_;
  const ReasonerLimits limits_;
  std::mutex mutex_;
  TermTable terms_;
  Numbers fluents_;
  std::vector<Numbers> moves_, percepts_;  // by role

  std::vector<Stored> states_;
  std::vector<std::uint32_t> slots_;  // open addressing: state + 1, or 0 if free
  std::vector<std::unique_ptr<std::uint32_t[]>> blocks_;
  std::uint32_t* block_next_ = nullptr;
  std::size_t block_left_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t initial_ = 0;
};

}  // namespace ggp

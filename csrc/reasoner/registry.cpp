#include "reasoner/registry.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/random.hpp"

namespace ggp {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;  // numbers of fluents that are allocated together

std::uint32_t hash_of_fluents(const std::vector<std::uint32_t>& fluents) {
  std::uint64_t hash = fluents.size();
  for (const std::uint32_t fluent : fluents) hash = (hash ^ (hash >> 32) ^ fluent) * 0x9E3779B97F4A7C15ull;
  return static_cast<std::uint32_t>(mix64(hash));
}

}  // namespace

Registry::Registry(std::shared_ptr<const Plan> plan, const ReasonerLimits& limits)
    : plan_(std::move(plan)), limits_(limits), terms_(plan_->rules.terms), moves_(plan_->rules.roles.size()),
      percepts_(plan_->rules.roles.size()) {
  Evaluator evaluator(plan_, limits_);
  Tables tables(limits_.table_bytes);
  const std::vector<Term> nothing;
  evaluator.enter(tables, nothing);
  const Evaluator::Answers found = evaluator.query(plan_->init, nullptr);
  std::vector<Term> fluents(found.first, found.first + found.count);
  std::sort(fluents.begin(), fluents.end(),
            [&](Term left, Term right) { return evaluator.terms().compare(left, right) < 0; });
  std::vector<std::uint32_t> numbers;
  for (const Term fluent : fluents) numbers.push_back(fluent_number(evaluator.terms(), fluent));
  std::sort(numbers.begin(), numbers.end());
  initial_ = pack(numbers);
}

// ---- numbers

std::uint32_t Registry::Numbers::number(Term term) {
  const auto [place, added] = numbers.emplace(term, static_cast<std::uint32_t>(terms.size()));
  if (added) terms.push_back(term);
  return place->second;
}

std::uint32_t Registry::fluent_number(const TermTable& terms, Term fluent) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return fluents_.number(terms_.import(terms, fluent));
}

std::uint32_t Registry::move_number(int role, const TermTable& terms, Term move) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return number_move(role, terms_.import(terms, move));
}

std::uint32_t Registry::percept_number(int role, const TermTable& terms, Term percept) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return percepts_[static_cast<std::size_t>(role)].number(terms_.import(terms, percept));
}

std::uint32_t Registry::number_move(int role, Term move) {
  Numbers& moves = moves_[static_cast<std::size_t>(role)];
  const std::uint32_t number = moves.number(move);
  if (number < static_cast<std::uint32_t>(kMostMoves)) return number;
  moves.numbers.erase(move);
  moves.terms.pop_back();
  throw std::overflow_error("the role " + terms_.print(plan_->rules.roles[static_cast<std::size_t>(role)]) +
                            " has more than " + std::to_string(kMostMoves) + " moves");
}

void Registry::import_fluents(TermTable& terms, std::vector<Term>& known) {
  const std::lock_guard<std::mutex> lock(mutex_);
  while (known.size() < fluents_.terms.size()) known.push_back(terms.import(terms_, fluents_.terms[known.size()]));
}

void Registry::import_moves(int role, TermTable& terms, std::vector<Term>& known) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<Term>& moves = moves_[static_cast<std::size_t>(role)].terms;
  while (known.size() < moves.size()) known.push_back(terms.import(terms_, moves[known.size()]));
}

// ---- states

std::uint64_t Registry::pack(const std::vector<std::uint32_t>& fluents) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return store(fluents);
}

std::uint64_t Registry::store(const std::vector<std::uint32_t>& fluents) {
  if (2 * (states_.size() + 1) > slots_.size()) {
    std::vector<std::uint32_t> grown(std::max<std::size_t>(1024, 2 * slots_.size()), 0);
    for (std::uint32_t state = 0; state < states_.size(); ++state) {
      std::size_t slot = states_[state].hash & (grown.size() - 1);
      while (grown[slot] != 0) slot = (slot + 1) & (grown.size() - 1);
      grown[slot] = state + 1;
    }
    bytes_ += (grown.size() - slots_.size()) * sizeof(std::uint32_t);
    slots_.swap(grown);
  }
  const std::uint32_t hash = hash_of_fluents(fluents);
  std::size_t slot = hash & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const Stored& stored = states_[slots_[slot] - 1];
    if (stored.hash == hash && stored.count == fluents.size() &&
        std::equal(fluents.begin(), fluents.end(), stored.fluents))
      return slots_[slot] - 1;
  }
  const std::size_t needed = sizeof(Stored) + (fluents.size() > block_left_ ? kBlock * sizeof(std::uint32_t) : 0);
  if (bytes_ + needed > limits_.state_bytes)
    throw std::overflow_error("the states so far take more than " + std::to_string(limits_.state_bytes >> 20) +
                              " MB");
  const std::uint32_t* kept = keep(fluents);
  states_.push_back({kept, static_cast<std::uint32_t>(fluents.size()), hash});
  bytes_ += sizeof(Stored);
  slots_[slot] = static_cast<std::uint32_t>(states_.size());
  return states_.size() - 1;
}

const std::uint32_t* Registry::keep(const std::vector<std::uint32_t>& fluents) {
  if (blocks_.empty() || fluents.size() > block_left_) {
    const std::size_t size = std::max(kBlock, fluents.size());
    blocks_.push_back(std::make_unique<std::uint32_t[]>(size));
    bytes_ += size * sizeof(std::uint32_t);
    block_left_ = size;
    block_next_ = blocks_.back().get();
  }
  std::uint32_t* place = block_next_;
  std::copy(fluents.begin(), fluents.end(), place);
  block_next_ += fluents.size();
  block_left_ -= fluents.size();
  return place;
}

void Registry::unpack(std::uint64_t state, std::vector<std::uint32_t>& fluents) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state >= states_.size()) throw std::invalid_argument("no state of this game has the number " + std::to_string(state));
  const Stored& stored = states_[state];
  fluents.assign(stored.fluents, stored.fluents + stored.count);
}

// ---- names

std::string Registry::name_of(const std::vector<Numbers>& numbers, int role, std::uint64_t number, const char* kind) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<Term>& terms = numbers.at(static_cast<std::size_t>(role)).terms;
  if (number >= terms.size())
    throw std::invalid_argument(std::string("no ") + kind + " has the number " + std::to_string(number));
  return terms_.print(terms[number]);
}

std::string Registry::move_name(int role, std::uint64_t number) { return name_of(moves_, role, number, "move"); }

std::string Registry::percept_name(int role, std::uint64_t number) {
  return name_of(percepts_, role, number, "percept");
}

std::uint32_t Registry::read_move(int role, const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return number_move(role, read_term(text, terms_));
}

std::uint32_t Registry::read_percept(int role, const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return percepts_[static_cast<std::size_t>(role)].number(read_term(text, terms_));
}

std::vector<std::string> Registry::fluents(std::uint64_t state) {
  std::vector<std::uint32_t> numbers;
  unpack(state, numbers);
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  for (const std::uint32_t number : numbers) names.push_back(terms_.print(fluents_.terms[number]));
  return names;
}

std::uint64_t Registry::read_state(const std::vector<std::string>& texts) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::uint32_t> numbers;
  for (const std::string& text : texts) numbers.push_back(fluents_.number(read_term(text, terms_)));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return store(numbers);
}

}  // namespace ggp

#include "reasoner/evaluator.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ggp {
namespace {

void bind(const Term* answer, std::uint32_t width, Term* slots) {
  for (std::uint32_t i = 0; i < width; ++i) slots[i] = answer[i];
}

}  // namespace

Evaluator::Evaluator(std::shared_ptr<const Plan> plan, const ReasonerLimits& limits)
    : plan_(std::move(plan)),
      limits_(limits),
      terms_(plan_->rules.terms),
      game_(limits.table_bytes),
      move_(limits.table_bytes),
      tables_{&game_, nullptr, &move_},
      known_(plan_->modes.size()),
      fact_key_(plan_->widest),
      fact_answer_(plan_->widest),
      key_(plan_->widest),
      answer_(plan_->widest),
      build_(plan_->widest) {}

void Evaluator::enter(Tables& state, const std::vector<Term>& fluents) {
  // Tables that are always valid are only a cache: their content can be derived again.
  if (game_.bytes() > limits_.table_bytes / 2) game_.release();
  tables_[static_cast<int>(Lifetime::kState)] = &state;
  fluents_ = &fluents;
  does_.clear();
  move_.clear();
  steps_ = 0;
}

void Evaluator::set_moves(const Term* moves) {
  move_.clear();
  does_.clear();
  for (std::size_t role = 0; role < plan_->rules.roles.size(); ++role) {
    does_.push_back(plan_->rules.roles[role]);
    does_.push_back(moves[role]);
  }
}

Evaluator::Answers Evaluator::query(std::uint32_t mode, const Term* key) {
  Tables& tables = tables_of(plan_->modes[mode]);
  try {
    const std::uint32_t table = look_up(mode, key);
    if (table == kNoTable) return {nullptr, 0};
    if (!tables[table].complete) solve(tables, table);
    return {tables.answer(tables[table], 0, plan_->modes[mode].width), tables[table].count};
  } catch (...) {
    reset();
    throw;
  }
}

void Evaluator::reset() {
  for (Tables* tables : tables_)
    if (tables != nullptr) tables->release();
  frames_.clear();
  slots_used_ = choices_used_ = 0;
  unfinished_.clear();
  low_ = kNever;
}

// ---- facts

std::uint32_t Evaluator::look_up(std::uint32_t number, const Term* key) {
  const Mode& mode = plan_->modes[number];
  Tables& tables = tables_of(mode);
  if (mode.facts && !tables.is_indexed(number)) index(number, tables);
  if (!mode.rules) return mode.facts ? tables.find(number, key, mode.keys) : kNoTable;
  const std::uint32_t table = tables.find_or_add(number, key, mode.keys);
  if (mode.width == 0 && tables[table].count > 0) tables[table].complete = true;
  return table;
}

void Evaluator::index(std::uint32_t number, Tables& tables) {
  const Mode& mode = plan_->modes[number];
  const Relation& relation = plan_->relations[mode.relation];
  tables.set_indexed(number);
  switch (relation.source) {
    case Relation::Source::kTrue: {
      KnownFluents& known = known_[number];
      for (const Term fluent : *fluents_) {
        if (fluent >= known.by_term.size()) known.by_term.resize(terms_.size(), 0);
        std::uint32_t& place = known.by_term[fluent];
        if (place == 0) {
          const std::size_t next = known.words.size();
          const bool matches = match(mode.shape, &fluent);
          if (matches) {
            known.words.insert(known.words.end(), fact_key_.begin(), fact_key_.begin() + mode.keys);
            known.words.insert(known.words.end(), fact_answer_.begin(), fact_answer_.begin() + mode.width);
          }
          place = matches ? static_cast<std::uint32_t>(next) + 2 : 1;
        }
        if (place == 1) continue;
        const Term* words = known.words.data() + place - 2;
        const std::uint32_t table = tables.find_or_add(number, words, mode.keys);
        tables[table].complete = !mode.rules;
        if (mode.projects || mode.width == 0)
          tables.add(table, words + mode.keys, mode.width);
        else
          tables.append(table, words + mode.keys, mode.width);
      }
      return;
    }
    case Relation::Source::kDoes:
      for (std::size_t i = 0; i < does_.size(); i += 2)
        if (match(mode.shape, &does_[i])) add_fact(number, tables);
      return;
    case Relation::Source::kRules:
      if (relation.arity == 0) {
        add_fact(number, tables);
        return;
      }
      for (std::size_t i = 0; i < relation.facts.size(); i += relation.arity)
        if (match(mode.shape, &relation.facts[i])) add_fact(number, tables);
  }
}

// Adds the most recently matched fact.
void Evaluator::add_fact(std::uint32_t number, Tables& tables) {
  const Mode& mode = plan_->modes[number];
  const std::uint32_t table = tables.find_or_add(number, fact_key_.data(), mode.keys);
  tables[table].complete = !mode.rules;
  tables.add(table, fact_answer_.data(), mode.width);
}

// Reads key and answer of a mode from the arguments of a fact, if it matches.
bool Evaluator::match(const Shape& shape, const Term* arguments) {
  keys_found_ = free_found_ = 0;
  const std::int32_t* place = shape.data();
  const std::int32_t* end = place + shape.size();
  while (place != end)
    if (!match_part(place, *arguments++)) return false;
  return true;
}

bool Evaluator::match_part(const std::int32_t*& shape, Term term) {
  const std::int32_t code = *shape++;
  if (code == kBound) {
    fact_key_[keys_found_++] = term;
  } else if (code <= kFree) {
    const auto number = static_cast<std::uint32_t>(kFree - code);
    if (number < free_found_) return fact_answer_[number] == term;
    fact_answer_[free_found_++] = term;
  } else if (code >= 0) {
    const auto arity = static_cast<std::uint32_t>(*shape++);
    if (terms_.symbol_of(term) != static_cast<Symbol>(code) || terms_.arity(term) != arity) return false;
    for (std::uint32_t i = 0; i < arity; ++i)
      if (!match_part(shape, terms_.arguments(term)[i])) return false;
  }
  return true;
}

// ---- rules

void Evaluator::solve(Tables& tables, std::uint32_t table) {
  push(tables, table);
  while (!frames_.empty())
    if (run()) end_round();
}

void Evaluator::push(Tables& tables, std::uint32_t number) {
  if (frames_.size() >= limits_.depth)
    throw std::overflow_error("the rules recurse more than " + std::to_string(limits_.depth) + " goals deep");
  const Table& table = tables[number];
  const Mode& mode = plan_->modes[table.mode];
  Frame frame{};
  frame.tables = &tables;
  frame.table = number;
  frame.mode = table.mode;
  frame.slots = slots_used_;
  frame.choices = choices_used_;
  frame.place = static_cast<std::uint32_t>(unfinished_.size());
  frame.outer_low = low_;
  slots_used_ += mode.slots;
  choices_used_ += mode.choices;
  if (slots_used_ > slots_.size()) slots_.resize(2 * std::size_t{slots_used_});
  if (choices_used_ > choices_.size()) choices_.resize(2 * std::size_t{choices_used_});
  const Term* key = tables.key(number);
  for (std::uint32_t i = 0; i < mode.keys; ++i) slots_[frame.slots + i] = key[i];
  begin_round(frame, static_cast<std::uint32_t>(frames_.size()));
  frames_.push_back(frame);
}

void Evaluator::begin_round(Frame& frame, std::uint32_t depth) {
  for (std::size_t i = frame.place; i < unfinished_.size(); ++i)
    (*unfinished_[i].tables)[unfinished_[i].table].visited = false;
  unfinished_.resize(frame.place);
  unfinished_.push_back({frame.tables, frame.table});
  Table& table = (*frame.tables)[frame.table];
  table.visited = true;
  table.low = depth;
  low_ = kNever;
  frame.grown = grown_;
  frame.body = 0;
  frame.pc = plan_->modes[frame.mode].bodies[0];
  frame.asked = kNoTable;
}

void Evaluator::end_round() {
  Frame& frame = frames_.back();
  const auto depth = static_cast<std::uint32_t>(frames_.size() - 1);
  Table& table = (*frame.tables)[frame.table];
  if (!table.complete && low_ == depth && grown_ != frame.grown) return begin_round(frame, depth);
  const std::uint32_t low = low_, place = frame.place;
  low_ = frame.outer_low;
  slots_used_ = frame.slots;
  choices_used_ = frame.choices;
  frames_.pop_back();
  if (!table.complete && low < depth) {
    // A shallower goal leads. All goals visited here also wait for this leader, whichever goal needs them next.
    for (std::size_t i = place; i < unfinished_.size(); ++i) {
      Table& waiting = (*unfinished_[i].tables)[unfinished_[i].table];
      waiting.low = std::min(waiting.low, low);
    }
    return;
  }
  // If a goal without free parts was proved within a round, goals that waited for it are evaluated when they are asked
  // again.
  const bool proved = table.complete;
  for (std::size_t i = place; i < unfinished_.size(); ++i) {
    Table& waiting = (*unfinished_[i].tables)[unfinished_[i].table];
    if (proved)
      waiting.visited = false;
    else
      waiting.complete = true;
  }
  unfinished_.resize(place);
  table.low = kNever;
}

bool Evaluator::run() {
  Frame& frame = frames_.back();
  const Mode& mode = plan_->modes[frame.mode];
  const Instruction* code = plan_->code.data();
  const std::uint32_t* operands = plan_->operands.data();
  Term* slots = slots_.data() + frame.slots;
  Choice* choices = choices_.data() + frame.choices;
  std::uint32_t pc = frame.pc;
  for (;;) {
    if (++steps_ > limits_.steps) {
      throw std::overflow_error("evaluating one state takes more than " + std::to_string(limits_.steps) +
                                " steps of the rules");
    }
    const Instruction& in = code[pc];
    bool holds = true;
    switch (in.op) {
      case Instruction::Op::kOpen: {
        const Term term = slots[in.a];
        holds = terms_.symbol_of(term) == in.symbol && terms_.arity(term) == in.count;
        if (holds) std::copy_n(terms_.arguments(term), in.count, slots + in.b);
        break;
      }
      case Instruction::Op::kBuild: {
        for (std::uint32_t i = 0; i < in.count; ++i) build_[i] = value(operands[in.operands + i], slots);
        slots[in.a] = terms_.intern(in.symbol, build_.data(), in.count);
        break;
      }
      case Instruction::Op::kSame:
        holds = value(in.a, slots) == value(in.b, slots);
        break;
      case Instruction::Op::kDiffer:
        holds = value(in.a, slots) != value(in.b, slots);
        break;
      case Instruction::Op::kAsk:
      case Instruction::Op::kRefute: {
        const Mode& asked = plan_->modes[in.a];
        std::uint32_t number = frame.asked;
        if (number == kNoTable) {
          for (std::uint32_t i = 0; i < asked.keys; ++i) key_[i] = value(operands[in.operands + i], slots);
          number = look_up(in.a, key_.data());
        }
        frame.asked = kNoTable;
        const bool refute = in.op == Instruction::Op::kRefute;
        if (number == kNoTable) {
          holds = refute;
          break;
        }
        Tables& tables = tables_of(asked);
        const Table& table = tables[number];
        if (!table.complete) {
          if (!table.visited) {
            // This instruction runs again when the goal has been evaluated.
            frame.pc = pc;
            frame.asked = number;
            push(tables, number);
            return false;
          }
          if (refute && table.count == 0) refuse_negation(asked);
          low_ = std::min(low_, table.low);
        }
        holds = (table.count > 0) != refute;
        if (!holds || refute) break;
        if (in.choice) choices[in.number] = {&tables, number, 1};
        bind(tables.answer(table, 0, asked.width), asked.width, slots + binds(in, asked, operands));
        break;
      }
      case Instruction::Op::kEmit: {
        for (std::uint32_t i = 0; i < in.count; ++i) answer_[i] = value(operands[in.operands + i], slots);
        if (frame.tables->add(frame.table, answer_.data(), in.count)) {
          ++grown_;
          if (in.count == 0) {
            (*frame.tables)[frame.table].complete = true;
            return true;
          }
        }
        holds = false;
        break;
      }
    }
    if (holds) {
      ++pc;
      continue;
    }
    std::uint32_t back = in.fail;
    for (;; back = code[back].previous) {
      if (back == kNowhere) break;
      const Instruction& ask = code[back];
      Choice& choice = choices[ask.number];
      Tables& tables = *choice.tables;
      const Table& table = tables[choice.table];
      if (choice.next == table.count) continue;
      const Mode& asked = plan_->modes[ask.a];
      bind(tables.answer(table, choice.next++, asked.width), asked.width, slots + binds(ask, asked, operands));
      pc = back + 1;
      break;
    }
    if (back != kNowhere) continue;
    if (++frame.body == mode.bodies.size()) return true;
    pc = mode.bodies[frame.body];
  }
}

void Evaluator::refuse_negation(const Mode& mode) const {
  const Relation& relation = plan_->relations[mode.relation];
  throw std::runtime_error("the rules make " + terms_.name(relation.symbol) + " depend on its own negation");
}

}  // namespace ggp

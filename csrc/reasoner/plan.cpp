#include "reasoner/plan.hpp"

#include <algorithm>
#include <utility>

namespace ggp {
namespace {

using Op = Instruction::Op;
using Variables = std::vector<bool>;

void mark(const Pattern& pattern, Variables& seen) {
  if (pattern.variable >= 0) seen[pattern.variable] = true;
  for (const Pattern& argument : pattern.arguments) mark(argument, seen);
}

void mark(const Condition& condition, Variables& seen) {
  mark(condition.left, seen);
  if (condition.kind == Condition::Kind::kDiffers || condition.kind == Condition::Kind::kEquals)
    mark(condition.right, seen);
}

int occurrences(const Pattern& pattern, int variable) {
  int count = pattern.variable == variable;
  for (const Pattern& argument : pattern.arguments) count += occurrences(argument, variable);
  return count;
}

// Returns the end of the shape that begins at a place.
std::size_t skip(const Shape& shape, std::size_t place) {
  if (shape[place] < 0) return place + 1;
  std::size_t end = place + 2;
  for (std::int32_t i = 0; i < shape[place + 1]; ++i) end = skip(shape, end);
  return end;
}

class Compiler {
 public:
  explicit Compiler(RuleProgram rules) { plan_.rules = std::move(rules); }

  Plan run() {
    find_relations();
    find_lifetimes();
    const std::int32_t key = kBound, free = kFree;
    plan_.init = mode(relation("init", 1), {free});
    plan_.next = mode(relation("next", 1), {free});
    plan_.legal = mode(relation("legal", 2), {key, free});
    plan_.goal = mode(relation("goal", 2), {key, free});
    plan_.sees = mode(relation("sees", 2), {key, free});
    plan_.terminal = mode(relation("terminal", 0), {});
    for (std::uint32_t number = 0; number < plan_.modes.size(); ++number) compile(number);
    return std::move(plan_);
  }

  // ---- relations

  std::uint32_t relation(Symbol symbol, std::uint32_t arity) {
    const auto [place, added] =
        relation_numbers_.emplace(std::make_pair(symbol, arity), static_cast<std::uint32_t>(plan_.relations.size()));
    if (added) plan_.relations.push_back({symbol, arity, Relation::Source::kRules, Lifetime::kGame, {}, {}, false});
    return place->second;
  }
  std::uint32_t relation(const char* name, std::uint32_t arity) {
    return relation(plan_.rules.terms.symbol(name), arity);
  }
  std::uint32_t relation(const Pattern& sentence) {
    return relation(sentence.symbol, static_cast<std::uint32_t>(sentence.arguments.size()));
  }

  void find_relations() {
    for (const auto& [name, arity, source, lifetime] :
         {std::tuple("true", 1, Relation::Source::kTrue, Lifetime::kState),
          std::tuple("does", 2, Relation::Source::kDoes, Lifetime::kMove)}) {
      Relation& given = plan_.relations[relation(name, arity)];
      given.source = source;
      given.lifetime = lifetime;
      given.has_facts = true;
    }
    for (std::uint32_t number = 0; number < plan_.rules.clauses.size(); ++number) {
      const Clause& clause = plan_.rules.clauses[number];
      const std::uint32_t head = relation(clause.head);
      if (clause.body.empty() && clause.head.is_ground()) {
        for (const Pattern& argument : clause.head.arguments) {
          const Term term = constant(argument);
          plan_.relations[head].facts.push_back(term);
        }
        plan_.relations[head].has_facts = true;
      } else {
        plan_.relations[head].clauses.push_back(number);
      }
    }
  }

  void find_lifetimes() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Clause& clause : plan_.rules.clauses) {
        const std::uint32_t head = relation(clause.head);
        Lifetime lifetime = plan_.relations[head].lifetime;
        for (const Condition& condition : clause.body)
          if (is_literal(condition)) lifetime = std::max(lifetime, plan_.relations[relation(condition.left)].lifetime);
        changed |= lifetime != plan_.relations[head].lifetime;
        plan_.relations[head].lifetime = lifetime;
      }
    }
  }

  static bool is_literal(const Condition& condition) {
    return condition.kind == Condition::Kind::kHolds || condition.kind == Condition::Kind::kFails;
  }

  bool given_by_facts(const Pattern& sentence) { return plan_.relations[relation(sentence)].clauses.empty(); }

  Term constant(const Pattern& pattern) {
    std::vector<Term> arguments;
    for (const Pattern& argument : pattern.arguments) arguments.push_back(constant(argument));
    return plan_.rules.terms.intern(pattern.symbol, arguments.data(), static_cast<std::uint32_t>(arguments.size()));
  }

  // ---- modes

  std::uint32_t mode(std::uint32_t relation, const Shape& shape) {
    const auto [place, added] =
        mode_numbers_.emplace(std::make_pair(relation, shape), static_cast<std::uint32_t>(plan_.modes.size()));
    if (!added) return place->second;
    const Relation& asked = plan_.relations[relation];
    Mode mode;
    mode.relation = relation;
    mode.shape = shape;
    mode.lifetime = asked.lifetime;
    mode.facts = asked.has_facts;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] >= 0) {
        ++i;  // the number of arguments
      } else if (shape[i] == kBound) {
        ++mode.keys;
      } else if (shape[i] == kAny) {
        mode.projects = true;
      } else {
        mode.width = std::max(mode.width, static_cast<std::uint32_t>(kFree - shape[i] + 1));
      }
    }
    plan_.widest = std::max({plan_.widest, mode.keys, mode.width});
    plan_.modes.push_back(std::move(mode));
    return place->second;
  }

  // ---- the clauses of one mode

  void compile(std::uint32_t number) {
    const std::vector<std::uint32_t> clauses = plan_.relations[plan_.modes[number].relation].clauses;
    for (const std::uint32_t clause : clauses) {
      const auto start = static_cast<std::uint32_t>(plan_.code.size());
      if (compile(number, plan_.rules.clauses[clause])) {
        plan_.modes[number].bodies.push_back(start);
      } else {
        plan_.code.resize(start);
      }
    }
    plan_.modes[number].rules = !plan_.modes[number].bodies.empty();
  }

  // Returns false if the clause cannot have an answer.
  bool compile(std::uint32_t number, const Clause& clause) {
    const Mode mode = plan_.modes[number];  // a copy: compiling finds new modes
    slot_of_.assign(clause.variables, -1);
    binder_.assign(mode.keys, kNowhere);
    key_ = 0;
    last_choice_ = kNowhere;
    choices_ = 0;
    exits_.clear();
    std::size_t place = 0;
    for (const Pattern& argument : clause.head.arguments) {
      if (!enter(argument, mode.shape, place)) return false;
      place = skip(mode.shape, place);
    }
    waiting_.clear();
    for (const Condition& condition : clause.body) waiting_.push_back(&condition);
    for (;;) {
      if (!take_checks()) return false;
      if (waiting_.empty()) break;
      // Waiting checks contain variables that a literal binds, so a literal remains.
      const auto next = std::find_if(waiting_.begin(), waiting_.end(),
                                     [](const Condition* each) { return each->kind == Condition::Kind::kHolds; });
      if (next == waiting_.end()) return false;
      const Condition& condition = **next;
      waiting_.erase(next);
      if (!ask(condition)) return false;
    }
    leave(mode);
    Mode& target = plan_.modes[number];
    target.slots = std::max(target.slots, static_cast<std::uint32_t>(binder_.size()));
    target.choices = std::max(target.choices, choices_);
    return true;
  }

  // Binds the variables of a part of the head by the bound parts of the shape, and lists the exits of other variables.
  bool enter(const Pattern& head, const Shape& shape, std::size_t place) {
    const std::int32_t code = shape[place];
    if (code == kBound) return match(head, key_++);
    if (code == kAny) return true;
    if (code <= kFree) {
      exits_.push_back({&head, place, key_});
      return true;
    }
    if (head.variable >= 0) {
      if (is_known(shape, place)) return match(head, build(shape, place));
      exits_.push_back({&head, place, key_});
      key_ += keys_within(shape, place);
      return true;
    }
    if (head.symbol != static_cast<Symbol>(code) || static_cast<std::int32_t>(head.arguments.size()) != shape[place + 1])
      return false;
    place += 2;
    for (const Pattern& argument : head.arguments) {
      if (!enter(argument, shape, place)) return false;
      place = skip(shape, place);
    }
    return true;
  }

  // Whether all parts of the shape at a place are bound.
  static bool is_known(const Shape& shape, std::size_t place) {
    for (const std::size_t end = skip(shape, place); place < end; place += shape[place] >= 0 ? 2 : 1)
      if (shape[place] == kAny || shape[place] <= kFree) return false;
    return true;
  }

  // Builds the term of a shape whose parts are bound.
  std::uint32_t build(const Shape& shape, std::size_t& place) {
    if (shape[place] == kBound) {
      ++place;
      return key_++;
    }
    const auto symbol = static_cast<Symbol>(shape[place]);
    std::vector<std::uint32_t> arguments(static_cast<std::size_t>(shape[place + 1]));
    place += 2;
    for (std::uint32_t& argument : arguments) argument = build(shape, place);
    return compound(symbol, arguments, kNowhere);
  }

  static std::uint32_t keys_within(const Shape& shape, std::size_t place) {
    const std::size_t end = skip(shape, place);
    std::uint32_t keys = 0;
    while (place < end) {
      keys += shape[place] == kBound;
      place += shape[place] >= 0 ? 2 : 1;
    }
    return keys;
  }

  // Makes a pattern equal to the term in a slot.
  bool match(const Pattern& pattern, std::uint32_t slot) {
    if (pattern.variable >= 0) {
      if (slot_of_[pattern.variable] < 0)
        slot_of_[pattern.variable] = static_cast<int>(slot);
      else
        compare(Op::kSame, slot, slot_of_[pattern.variable]);
      return true;
    }
    if (pattern.is_ground()) {
      compare(Op::kSame, slot, kConstant | constant(pattern));
      return true;
    }
    const std::uint32_t first = open(slot, pattern.symbol, static_cast<std::uint32_t>(pattern.arguments.size()));
    for (std::uint32_t i = 0; i < pattern.arguments.size(); ++i) match(pattern.arguments[i], first + i);
    return true;
  }

  // ---- instructions

  std::uint32_t new_slots(std::uint32_t count, std::uint32_t binder) {
    const auto first = static_cast<std::uint32_t>(binder_.size());
    binder_.insert(binder_.end(), count, binder);
    return first;
  }

  std::uint32_t binder(std::uint32_t operand) const { return operand & kConstant ? kNowhere : binder_[operand]; }

  static std::uint32_t later(std::uint32_t one, std::uint32_t other) {
    if (one == kNowhere || other == kNowhere) return one == kNowhere ? other : one;
    return std::max(one, other);
  }

  void compare(Op op, std::uint32_t left, std::uint32_t right) {
    Instruction instruction{};
    instruction.op = op;
    instruction.a = left;
    instruction.b = right;
    instruction.fail = later(binder(left), binder(right));
    plan_.code.push_back(instruction);
  }

  std::uint32_t open(std::uint32_t slot, Symbol symbol, std::uint32_t arity) {
    Instruction instruction{};
    instruction.op = Op::kOpen;
    instruction.symbol = symbol;
    instruction.count = arity;
    instruction.a = slot;
    instruction.b = new_slots(arity, binder(slot));
    instruction.fail = binder(slot);
    plan_.code.push_back(instruction);
    return instruction.b;
  }

  // Returns the operand for a pattern whose variables are bound.
  std::uint32_t operand(const Pattern& pattern) {
    if (pattern.variable >= 0) return static_cast<std::uint32_t>(slot_of_[pattern.variable]);
    if (pattern.is_ground()) return kConstant | constant(pattern);
    std::vector<std::uint32_t> arguments;
    std::uint32_t latest = kNowhere;
    for (const Pattern& argument : pattern.arguments) {
      arguments.push_back(operand(argument));
      latest = later(latest, binder(arguments.back()));
    }
    return compound(pattern.symbol, arguments, latest);
  }

  std::uint32_t compound(Symbol symbol, const std::vector<std::uint32_t>& arguments, std::uint32_t binder) {
    Instruction instruction{};
    instruction.op = Op::kBuild;
    instruction.symbol = symbol;
    instruction.count = static_cast<std::uint32_t>(arguments.size());
    instruction.a = new_slots(1, binder);
    instruction.operands = add_operands(arguments);
    instruction.fail = binder;
    plan_.code.push_back(instruction);
    plan_.widest = std::max(plan_.widest, instruction.count);
    return instruction.a;
  }

  std::uint32_t add_operands(const std::vector<std::uint32_t>& operands) {
    const auto first = static_cast<std::uint32_t>(plan_.operands.size());
    plan_.operands.insert(plan_.operands.end(), operands.begin(), operands.end());
    return first;
  }

  // ---- the body

  bool is_bound(const Condition& condition) const {
    Variables seen(slot_of_.size());
    mark(condition, seen);
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] && slot_of_[i] < 0) return false;
    return true;
  }

  // Compiles the conditions that bind nothing and whose variables are bound.
  bool take_checks() {
    for (std::size_t i = 0; i < waiting_.size();) {
      const Condition& condition = *waiting_[i];
      const bool check = condition.kind != Condition::Kind::kHolds || given_by_facts(condition.left);
      if (!check || !is_bound(condition)) {
        ++i;
        continue;
      }
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      if (is_literal(condition)) {
        if (!ask(condition)) return false;
      } else {
        const bool differ = condition.kind == Condition::Kind::kDiffers;
        const std::uint32_t left = operand(condition.left), right = operand(condition.right);
        compare(differ ? Op::kDiffer : Op::kSame, left, right);
      }
    }
    return true;
  }

  // Returns false if the literal can never hold.
  bool ask(const Condition& condition) {
    const Pattern& sentence = condition.left;
    const std::uint32_t number = relation(sentence);
    const bool refute = condition.kind == Condition::Kind::kFails;
    if (plan_.relations[number].clauses.empty() && !plan_.relations[number].has_facts) return refute;

    Variables read(slot_of_.size());
    for (const Condition* each : waiting_) mark(*each, read);
    for (const Exit& exit : exits_) mark(*exit.pattern, read);
    Shape shape;
    std::vector<std::uint32_t> keys;
    std::vector<int> free;
    for (const Pattern& argument : sentence.arguments) describe(argument, sentence, read, shape, keys, free);

    Instruction instruction{};
    instruction.op = refute ? Op::kRefute : Op::kAsk;
    instruction.a = mode(number, shape);
    instruction.fail = kNowhere;
    for (const std::uint32_t key : keys) instruction.fail = later(instruction.fail, binder(key));
    const bool choice =
        std::any_of(free.begin(), free.end(), [&](int variable) { return read[static_cast<std::size_t>(variable)]; });
    instruction.choice = choice;
    instruction.previous = last_choice_;
    const auto here = static_cast<std::uint32_t>(plan_.code.size());
    const std::uint32_t first = new_slots(static_cast<std::uint32_t>(free.size()), here);
    for (std::uint32_t i = 0; i < free.size(); ++i) {
      slot_of_[free[i]] = static_cast<int>(first + i);
      keys.push_back(first + i);
    }
    instruction.operands = add_operands(keys);
    if (choice) {
      instruction.number = static_cast<std::uint16_t>(choices_++);
      last_choice_ = here;
    }
    plan_.code.push_back(instruction);
    return true;
  }

  void describe(const Pattern& part, const Pattern& sentence, const Variables& read, Shape& shape,
                std::vector<std::uint32_t>& keys, std::vector<int>& free) {
    if (part.variable >= 0) {
      if (slot_of_[part.variable] >= 0) {
        shape.push_back(kBound);
        keys.push_back(static_cast<std::uint32_t>(slot_of_[part.variable]));
      } else if (!read[part.variable] && occurrences(sentence, part.variable) == 1) {
        shape.push_back(kAny);
      } else {
        const auto known = std::find(free.begin(), free.end(), part.variable);
        shape.push_back(kFree - static_cast<std::int32_t>(known - free.begin()));
        if (known == free.end()) free.push_back(part.variable);
      }
    } else if (part.is_ground()) {
      shape.push_back(kBound);
      keys.push_back(kConstant | constant(part));
    } else {
      shape.push_back(static_cast<std::int32_t>(part.symbol));
      shape.push_back(static_cast<std::int32_t>(part.arguments.size()));
      for (const Pattern& argument : part.arguments) describe(argument, sentence, read, shape, keys, free);
    }
  }

  // ---- the answer

  void leave(const Mode& mode) {
    answer_.assign(mode.width, kNowhere);
    for (const Exit& exit : exits_) {
      const std::uint32_t value = operand(*exit.pattern);
      std::uint32_t key = exit.key;
      answer(value, mode.shape, exit.place, key);
    }
    Instruction instruction{};
    instruction.op = Op::kEmit;
    instruction.count = mode.width;
    instruction.operands = add_operands(answer_);
    instruction.fail = kNowhere;
    for (const std::uint32_t value : answer_) instruction.fail = later(instruction.fail, binder(value));
    plan_.code.push_back(instruction);
  }

  // Reads the free parts of a shape from a value, and compares the bound parts.
  void answer(std::uint32_t value, const Shape& shape, std::size_t place, std::uint32_t& key) {
    const std::int32_t code = shape[place];
    if (code == kBound) return compare(Op::kSame, value, key++);
    if (code == kAny) return;
    if (code <= kFree) {
      std::uint32_t& known = answer_[static_cast<std::size_t>(kFree - code)];
      if (known == kNowhere)
        known = value;
      else
        compare(Op::kSame, value, known);
      return;
    }
    // The value of a variable of the head if the goal has a compound term.
    const auto arity = static_cast<std::uint32_t>(shape[place + 1]);
    const std::uint32_t first = open(value, static_cast<Symbol>(code), arity);
    place += 2;
    for (std::uint32_t i = 0; i < arity; ++i) {
      answer(first + i, shape, place, key);
      place = skip(shape, place);
    }
  }

  // A part of the head that is read when an answer is made, with the corresponding part of the shape, and the number of
  // bound parts before it.
  struct Exit {
    const Pattern* pattern;
    std::size_t place;
    std::uint32_t key;
  };

  Plan plan_;
  std::map<std::pair<Symbol, std::uint32_t>, std::uint32_t> relation_numbers_;
  std::map<std::pair<std::uint32_t, Shape>, std::uint32_t> mode_numbers_;

  // Data of the current clause.
  std::vector<int> slot_of_;             // by variable
  std::vector<std::uint32_t> binder_;    // by slot: the literal that fills it, or kNowhere
  std::vector<const Condition*> waiting_;
  std::vector<Exit> exits_;
  std::vector<std::uint32_t> answer_;
  std::uint32_t key_ = 0;
  std::uint32_t last_choice_ = kNowhere;
  std::uint32_t choices_ = 0;
};

}  // namespace

Plan compile_plan(RuleProgram rules) { return Compiler(std::move(rules)).run(); }

}  // namespace ggp

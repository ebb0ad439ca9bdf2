#include "network/circuit/clingo_grounder.hpp"

#include <clingo.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <unordered_map>

#include "base/goal_range.hpp"

namespace ggp {
namespace {

// The functions of the C interface that grounding needs, looked up by name.
class Clingo {
 public:
  explicit Clingo(const std::string& library) {
    handle_ = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle_ == nullptr) throw GroundingError("cannot open the clingo library: " + std::string(dlerror()));
#define GGP_LOOK_UP(name) look_up(name, "clingo_" #name)
    GGP_LOOK_UP(control_new);
    GGP_LOOK_UP(control_free);
    GGP_LOOK_UP(control_add);
    GGP_LOOK_UP(control_register_observer);
    GGP_LOOK_UP(control_ground);
    GGP_LOOK_UP(control_symbolic_atoms);
    GGP_LOOK_UP(signature_create);
    GGP_LOOK_UP(symbolic_atoms_begin);
    GGP_LOOK_UP(symbolic_atoms_end);
    GGP_LOOK_UP(symbolic_atoms_iterator_is_equal_to);
    GGP_LOOK_UP(symbolic_atoms_next);
    GGP_LOOK_UP(symbolic_atoms_symbol);
    GGP_LOOK_UP(symbolic_atoms_literal);
    GGP_LOOK_UP(symbolic_atoms_is_fact);
    GGP_LOOK_UP(symbol_name);
    GGP_LOOK_UP(symbol_arguments);
    GGP_LOOK_UP(error_code);
    GGP_LOOK_UP(error_message);
    GGP_LOOK_UP(set_error);
#undef GGP_LOOK_UP
  }
  ~Clingo() { dlclose(handle_); }
  Clingo(const Clingo&) = delete;
  Clingo& operator=(const Clingo&) = delete;

  void check(bool success) const {
    if (success) return;
    if (error_code() == clingo_error_bad_alloc) throw std::bad_alloc();
    const char* message = error_message();
    throw GroundingError(message != nullptr && *message != '\0' ? message : "clingo failed without a message");
  }

  decltype(&clingo_control_new) control_new;
  decltype(&clingo_control_free) control_free;
  decltype(&clingo_control_add) control_add;
  decltype(&clingo_control_register_observer) control_register_observer;
  decltype(&clingo_control_ground) control_ground;
  decltype(&clingo_control_symbolic_atoms) control_symbolic_atoms;
  decltype(&clingo_signature_create) signature_create;
  decltype(&clingo_symbolic_atoms_begin) symbolic_atoms_begin;
  decltype(&clingo_symbolic_atoms_end) symbolic_atoms_end;
  decltype(&clingo_symbolic_atoms_iterator_is_equal_to) symbolic_atoms_iterator_is_equal_to;
  decltype(&clingo_symbolic_atoms_next) symbolic_atoms_next;
  decltype(&clingo_symbolic_atoms_symbol) symbolic_atoms_symbol;
  decltype(&clingo_symbolic_atoms_literal) symbolic_atoms_literal;
  decltype(&clingo_symbolic_atoms_is_fact) symbolic_atoms_is_fact;
  decltype(&clingo_symbol_name) symbol_name;
  decltype(&clingo_symbol_arguments) symbol_arguments;
  decltype(&clingo_error_code) error_code;
  decltype(&clingo_error_message) error_message;
  decltype(&clingo_set_error) set_error;

 private:
  template <class Function>
  void look_up(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle_, name));
    if (function == nullptr) throw GroundingError(std::string("the clingo library lacks ") + name);
  }
  void* handle_;
};

// Collects ground rules as clingo emits them.
struct Collector {
  const Clingo& clingo;
  const GroundingRequest& request;
  const std::atomic<bool>* stop;
  GroundProgram& program;
  std::chrono::steady_clock::time_point deadline;
  const char* limit = nullptr;  // the limit that ended grounding
  bool out_of_memory = false;

  static bool rule(bool choice, const clingo_atom_t* head, std::size_t heads, const clingo_literal_t* body,
                   std::size_t count, void* data) {
    Collector& self = *static_cast<Collector*>(data);
    if (choice) return true;  // an input: the atoms give the inputs later
    GroundProgram& program = self.program;
    if (program.rules.size() >= self.request.max_rules)
      return self.give_up("the ground program is too large (more rules than the limit)");
    if ((program.rules.size() & 0xFFF) == 0 && !self.go_on()) return false;
    const auto first = static_cast<std::uint32_t>(program.literals.size());
    try {
      program.literals.insert(program.literals.end(), body, body + count);
      for (std::size_t i = 0; i < heads; ++i)
        program.rules.push_back({head[i], first, static_cast<std::uint32_t>(count)});
    } catch (const std::bad_alloc&) {  // exceptions must not pass through clingo's C interface
      self.out_of_memory = true;
      return false;
    }
    return true;
  }

  bool go_on() {
    if (std::chrono::steady_clock::now() > deadline) return give_up("grounding takes longer than its limit");
    if (stop != nullptr && stop->load(std::memory_order_relaxed)) return give_up("grounding was stopped");
    return true;
  }

  bool give_up(const char* reason) {
    limit = reason;
    clingo.set_error(clingo_error_runtime, reason);
    return false;
  }
};

// Reads the atoms of the nine relations with a predefined meaning.
class AtomReader {
 public:
  AtomReader(const Clingo& clingo, clingo_control_t* control, const GroundingRequest& request, GroundProgram& program)
      : clingo_(clingo), request_(request), program_(program) {
    clingo_.check(clingo_.control_symbolic_atoms(control, &atoms_));
    for (std::size_t i = 0; i < request.roles.size(); ++i) role_numbers_[request.roles[i]] = static_cast<int>(i);
  }

  void read() {
    program_.roles = request_.roles;
    for_each("true", 1, [&](clingo_symbol_t symbol, GroundProgram::Atom atom) {
      const clingo_symbol_t fluent = argument(symbol, 0);
      fluents_[fluent] = static_cast<int>(program_.fluents.size());
      program_.fluents.push_back({kif(fluent), atom});
    });
    for_each("does", 2, [&](clingo_symbol_t symbol, GroundProgram::Atom atom) {
      const int role = role_number(argument(symbol, 0));
      if (role < 0) return;
      moves_[symbol_pair(symbol)] = static_cast<int>(program_.moves.size());
      program_.moves.push_back({role, kif(argument(symbol, 1)), atom});
    });
    for_each("init", 1, [&](clingo_symbol_t symbol, GroundProgram::Atom atom) {
      if (atom != GroundProgram::kFact)
        throw GroundingError("the initial fluent " + kif(argument(symbol, 0)) + " depends on the state or on moves");
      program_.initial.push_back(fluents_.at(argument(symbol, 0)));
    });
    for_each("next", 1, [&](clingo_symbol_t symbol, GroundProgram::Atom atom) {
      program_.next.push_back({fluents_.at(argument(symbol, 0)), atom});
    });
    for_each("legal", 2, [&](clingo_symbol_t symbol, GroundProgram::Atom atom) {
      const auto move = moves_.find(symbol_pair(symbol));
      if (move != moves_.end()) program_.legal.push_back({move->second, atom});
    });
    for_each("terminal", 0, [&](clingo_symbol_t, GroundProgram::Atom atom) { program_.terminal.push_back(atom); });
    for_each("goal", 2, [&](clingo_symbol_t symbol, GroundProgram::Atom atom) {
      const int role = role_number(argument(symbol, 0));
      const int value = goal_in_range(kif(argument(symbol, 1)));
      if (role >= 0 && value >= 0) program_.goals.push_back({role, value, atom});
    });
    for_each("sees", 2, [&](clingo_symbol_t symbol, GroundProgram::Atom atom) {
      const int role = role_number(argument(symbol, 0));
      if (role >= 0) program_.percepts.push_back({role, kif(argument(symbol, 1)), atom});
    });
  }

 private:
  template <class Visit>
  void for_each(const char* name, std::uint32_t arity, Visit visit) {
    clingo_signature_t signature;
    clingo_.check(clingo_.signature_create(name, arity, true, &signature));
    clingo_symbolic_atom_iterator_t here, end;
    clingo_.check(clingo_.symbolic_atoms_begin(atoms_, &signature, &here));
    clingo_.check(clingo_.symbolic_atoms_end(atoms_, &end));
    for (;;) {
      bool at_end;
      clingo_.check(clingo_.symbolic_atoms_iterator_is_equal_to(atoms_, here, end, &at_end));
      if (at_end) return;
      clingo_symbol_t symbol;
      clingo_literal_t literal;
      bool fact;
      clingo_.check(clingo_.symbolic_atoms_symbol(atoms_, here, &symbol));
      clingo_.check(clingo_.symbolic_atoms_literal(atoms_, here, &literal));
      clingo_.check(clingo_.symbolic_atoms_is_fact(atoms_, here, &fact));
      visit(symbol, fact ? GroundProgram::kFact : static_cast<GroundProgram::Atom>(literal));
      clingo_.check(clingo_.symbolic_atoms_next(atoms_, here, &here));
    }
  }

  clingo_symbol_t argument(clingo_symbol_t symbol, std::size_t index) const {
    const clingo_symbol_t* arguments;
    std::size_t count;
    clingo_.check(clingo_.symbol_arguments(symbol, &arguments, &count));
    return arguments[index];
  }

  // clingo shares equal symbols, so the two arguments of does and legal compare by their handles.
  std::string symbol_pair(clingo_symbol_t symbol) const {
    const clingo_symbol_t pair[2] = {argument(symbol, 0), argument(symbol, 1)};
    return std::string(reinterpret_cast<const char*>(pair), sizeof pair);
  }

  std::string kif(clingo_symbol_t symbol) const {
    const char* name;
    const clingo_symbol_t* arguments;
    std::size_t count;
    clingo_.check(clingo_.symbol_name(symbol, &name));
    clingo_.check(clingo_.symbol_arguments(symbol, &arguments, &count));
    const std::string& spelling = request_.constants.at(std::stoul(name + 1));
    if (count == 0) return spelling;
    std::string text = "(" + spelling;
    for (std::size_t i = 0; i < count; ++i) text += " " + kif(arguments[i]);
    return text + ")";
  }

  int role_number(clingo_symbol_t symbol) const {
    const auto role = role_numbers_.find(kif(symbol));
    return role == role_numbers_.end() ? -1 : role->second;
  }

  const Clingo& clingo_;
  const GroundingRequest& request_;
  GroundProgram& program_;
  const clingo_symbolic_atoms_t* atoms_ = nullptr;
  std::unordered_map<clingo_symbol_t, int> fluents_;
  std::unordered_map<std::string, int> moves_;
  std::unordered_map<std::string, int> role_numbers_;
};

}  // namespace

GroundProgram ground(const GroundingRequest& request, const std::atomic<bool>* stop) {
  const Clingo clingo(request.library);
  const char* arguments[] = {"-Wnone"};
  clingo_control_t* raw = nullptr;
  clingo.check(clingo.control_new(arguments, 1, nullptr, nullptr, 20, &raw));
  const std::unique_ptr<clingo_control_t, decltype(clingo.control_free)> control(raw, clingo.control_free);

  GroundProgram program;
  Collector collector{clingo, request, stop, program, std::chrono::steady_clock::now(), nullptr};
  collector.deadline += std::chrono::milliseconds(static_cast<long long>(request.max_seconds * 1000));
  clingo_ground_program_observer_t observer;
  std::memset(&observer, 0, sizeof observer);
  observer.rule = Collector::rule;
  // Replaces clingo's back end: the observer collects the program, and clingo does not solve it.
  clingo.check(clingo.control_register_observer(raw, &observer, true, &collector));
  clingo.check(clingo.control_add(raw, "base", nullptr, 0, request.program.c_str()));
  const clingo_part_t part = {"base", nullptr, 0};
  const bool grounded = clingo.control_ground(raw, &part, 1, nullptr, nullptr);
  if (collector.out_of_memory) throw std::bad_alloc();
  if (collector.limit != nullptr) throw GroundingLimit(collector.limit);
  clingo.check(grounded);

  AtomReader(clingo, raw, request, program).read();
  for (const auto& fluent : program.fluents) program.atoms = std::max(program.atoms, fluent.input);
  for (const auto& move : program.moves) program.atoms = std::max(program.atoms, move.input);
  for (const auto& rule : program.rules) program.atoms = std::max(program.atoms, rule.head);
  for (const std::int32_t literal : program.literals)
    program.atoms = std::max(program.atoms, static_cast<GroundProgram::Atom>(literal < 0 ? -literal : literal));
  return program;
}

}  // namespace ggp

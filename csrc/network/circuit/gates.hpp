// A graph of AND gates with complemented edges, hash-consed.
//
// A literal is 2 * gate + sign; sign 1 means complemented. Literal 0 is false, literal 1 is true. An OR gate is the
// complement of an AND of complements: one gate type and one set of simplifications serve both. Gates have numbers in
// topological order: the inputs of a gate have lower numbers than the gate.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace ggp {

using Literal = std::uint32_t;
constexpr Literal kFalse = 0;
constexpr Literal kTrue = 1;

constexpr std::uint32_t gate_of(Literal literal) { return literal >> 1; }
constexpr bool is_complemented(Literal literal) { return (literal & 1u) != 0; }
constexpr Literal complement(Literal literal) { return literal ^ 1u; }

// The network exceeded its limit; what() is one line.
struct NetworkTooLarge : std::overflow_error {
  using std::overflow_error::overflow_error;
};

class GateGraph {
 public:
  enum class Kind : std::uint8_t {
    kConstant,  // only gate 0
    kFluent,    // index: fluent
    kMove,      // index: move
    kFeedback,  // index: loop variable, see Network::loops
    kLooksAhead,  // index 0: whether the play-out in this lane looks ahead
    kAnd,
  };
  struct Gate {
    Kind kind;
    std::uint32_t first;  // kAnd: inputs at first .. first + count; else the index named above
    std::uint32_t count;
  };

  explicit GateGraph(std::size_t max_edges = 100'000'000);

  Literal input(Kind kind, std::uint32_t index);
  // Conjunction of any literals; `inputs` is used as scratch space. Folds constants and repetitions, detects
  // contradictions, and absorbs one level deep (also among the parts of an OR):
  // x & ~(~x & y) = x, x & ~(x & y) = x & ~y, x & (~x & y) = false.
  Literal conjunction(std::vector<Literal>& inputs);
  Literal disjunction(std::vector<Literal>& inputs);

  std::size_t size() const { return gates_.size(); }
  const Gate& operator[](std::uint32_t gate) const { return gates_[gate]; }
  const Literal* inputs(const Gate& gate) const { return edges_.data() + gate.first; }

 private:
  // A gate in the table, with the upper half of its hash: gates of other hashes are not read.
  struct Entry {
    std::uint32_t gate = 0;  // 0: empty
    std::uint32_t hash = 0;
  };

  Literal find_or_add(const std::vector<Literal>& inputs);
  void grow_table();

  std::vector<Gate> gates_;
  std::vector<Literal> edges_;
  std::vector<Entry> table_;  // open addressing over kAnd gates
  std::vector<Literal> kept_;  // scratch
  std::size_t entries_ = 0;
  std::size_t max_edges_;
};

}  // namespace ggp

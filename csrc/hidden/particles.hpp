// A weighted set of positions: states, each with the keys of the information states of all roles.
//
// Two histories with equal states and equal keys do not differ in any later turn. So they are merged, and their weights
// are added. Weights are stored as logarithms; only ratios of weights have a meaning.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace ggp {

class Particles {
 public:
  Particles(int words, int roles) : words_(words), roles_(roles) {}

  std::size_t size() const { return weights_.size(); }
  bool empty() const { return weights_.empty(); }
  const std::uint64_t* state(std::size_t particle) const { return &states_[particle * words_]; }
  const std::uint64_t* keys(std::size_t particle) const { return &keys_[particle * roles_]; }
  double log_weight(std::size_t particle) const { return weights_[particle]; }

  void clear();
  // Makes room: the next `particles` calls of add() do not move the states.
  void reserve_more(std::size_t particles);
  // Appends a particle; returns the address of its state. The caller writes the state.
  std::uint64_t* add(const std::uint64_t* keys, double log_weight);
  void add(const Particles& other, std::size_t particle, double log_weight);
  // Merges particles with equal states and keys.
  void merge();
  // The number of different states.
  std::size_t states() const;
  // Keeps at most `most` particles of each state, drawn by weight. The total weight of each state stays the same.
  void thin(std::size_t most, std::uint64_t& random);
  // Adds a number to all log weights such that the sum of the weights becomes `total`.
  void scale(double total);
  // The weights, with the sum 1.
  std::vector<double> weights() const;

 private:
  std::uint64_t hash(std::size_t particle) const;
  // The particles ordered by state.
  std::vector<std::uint32_t> by_state() const;
  bool equal_states(std::size_t left, std::size_t right) const;
  bool equal(std::size_t left, std::size_t right) const;

  int words_, roles_;
  std::vector<std::uint64_t> states_, keys_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> slots_;  // scratch of merge()
};

// Draws `count` indices in proportion to weights with the sum 1, ascending: index i occurs floor(count w_i) or
// ceil(count w_i) times, so equal weights give equal numbers (systematic resampling; Kitagawa, JCGS 1996).
std::vector<std::uint32_t> resample(const std::vector<double>& weights, std::size_t count, std::uint64_t& random);

// Puts numbers into a random order.
void shuffle(std::vector<std::uint32_t>& numbers, std::uint64_t& random);

}  // namespace ggp

// N-grams: the mean reward of a move after the moves of the previous plies.
//
// NST, the N-gram selection technique (Tak, Winands and Bjornsson, "N-Grams and the Last-Good-Reply Policy Applied in
// General Game Playing", IEEE TCIAIG 2012). An n-gram is a sequence of choices in n consecutive plies that ends with
// the candidate move of a role. R is the mean reward of this role over all occurrences of the sequence in simulations.
//
// An earlier ply is represented by the set of all choices made in it. If roles take turns, this is the move of the role
// to move, so that sequences alternate between players as in the paper; if several roles choose at once, it is their
// joint move. A ply without a choice (every role has only one legal move) is not part of the sequence: the next choice
// follows the previous one.
//
// Storage of one length n: a table of fixed size without chains. The n-1 earlier plies and the role make a context of
// 64 bits, which selects the first slot of a row; move m is at row + m, so that the candidates of a state are adjacent
// in memory. A slot contains mean, visits and 16 bits that distinguish contexts. If another n-gram uses its slot, an
// n-gram removes one visit of the other n-gram, and replaces it after the last visit: frequent n-grams stay. Visits
// stop at kMostVisits; from then on the mean is over the latest simulations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "search/tree/archive.hpp"

namespace ggp {

// The plies before a choice, as hashes of the choices made in them; 0 if there is no ply.
struct Plies {
  std::uint64_t last = 0;
  std::uint64_t before_last = 0;
  std::uint64_t present = 0;  // of the current ply

  // Begins another ply in which some role chooses.
  void turn() {
    if (present == 0) return;
    before_last = last;
    last = present;
    present = 0;
  }
  void add(int role, int move) {
    const std::uint64_t choice = (static_cast<std::uint64_t>(role) << 32 | static_cast<std::uint32_t>(move)) + 1;
    present = mix64(present + choice * 0x9E3779B97F4A7C15ull);
  }
};

class Ngrams {
 public:
  struct Entry {
    float mean;
    std::uint16_t visits;
    std::uint16_t tag;
  };
  static_assert(sizeof(Entry) == 8);
  static constexpr std::uint16_t kMostVisits = 0xFFFF;
  // The n-grams of several moves.
  struct Found {
    std::vector<float> means;
    std::vector<float> known;  // 1, or 0 if there are too few visits

    void resize(std::size_t moves) {
      means.resize(moves);
      known.resize(moves);
      marks.resize(moves);
    }

   private:
    friend class Ngrams;
    std::vector<std::uint32_t> marks;  // tag and visits
  };

  // `slots` is a power of two; `widest` is the largest number of moves of any role.
  Ngrams(std::size_t slots, int widest) : mask_(slots - 1), entries_(slots + static_cast<std::size_t>(widest)) {}

  // The contexts of 2- and 3-grams that end with a choice of a role.
  static std::uint64_t context2(const Plies& plies, int role) {
    return mix64(plies.last + static_cast<std::uint64_t>(role) * 0x9E3779B97F4A7C15ull);
  }
  static std::uint64_t context3(const Plies& plies, int role) {
    return mix64(context2(plies, role) + plies.before_last);
  }

  // The stored entry of an n-gram; without visits if there is none.
  Entry find(std::uint64_t context, int move) const {
    const Entry& entry = row(context)[move];
    return entry.tag == tag(context) ? entry : Entry{};
  }
  // find() for the first `count` of some moves, with at least `threshold` visits, 1 .. kMostVisits.
  void find(std::uint64_t context, std::uint32_t threshold, const std::uint32_t* moves, std::uint32_t count,
            Found& found) const;

  void prefetch(std::uint64_t context, int move) const { __builtin_prefetch(row(context) + move, 1); }
  void learn(std::uint64_t context, int move, float reward) {
    Entry& entry = entries_[(context & mask_) + static_cast<std::size_t>(move)];
    if (entry.visits == 0) {
      entry = {reward, 1, tag(context)};
    } else if (entry.tag == tag(context)) {
      entry.visits = static_cast<std::uint16_t>(entry.visits + (entry.visits != kMostVisits));
      entry.mean += (reward - entry.mean) / static_cast<float>(entry.visits);
    } else {
      --entry.visits;
    }
  }
  // Multiplies visits by gamma, rounded to the nearest number; averages stay.
  void decay(double gamma);
  void archive(Archive& archive) { archive.fixed(entries_); }
  void clear() { std::fill(entries_.begin(), entries_.end(), Entry{}); }

  std::size_t slots() const { return mask_ + 1; }

 private:
  // The entries of a context by move; entries with another tag belong to other contexts.
  const Entry* row(std::uint64_t context) const { return &entries_[context & mask_]; }
  static std::uint16_t tag(std::uint64_t context) { return static_cast<std::uint16_t>(context >> 48); }

  std::size_t mask_;
  std::vector<Entry> entries_;
};

// The number of slots for the n-grams of a length in a game with `moves` moves of all roles together, at most `bytes`
// and at most 8 MB.
std::size_t ngram_slots(int length, std::size_t moves, std::size_t bytes);

}  // namespace ggp

// Tables of goals, found by mode and key. All tables of one lifetime are stored and cleared together. The next tables
// reuse the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reasoner/terms.hpp"

namespace ggp {

constexpr std::uint32_t kNoTable = ~std::uint32_t{0};
constexpr std::uint32_t kNever = ~std::uint32_t{0};

// The goal of a table and its answers in the order in which they were found.
struct Table {
  std::uint32_t mode;
  std::uint32_t key;       // position of the bound values
  std::uint32_t answers;   // position of the answers
  std::uint32_t count = 0, room = 0;
  std::uint32_t low = kNever;  // the shallowest unfinished goal that it waits for
  bool complete = false;
  bool visited = false;    // in evaluation, or evaluated in the current round of the leader of its knot
};

class Tables {
 public:
  // Growth beyond `most_bytes` throws std::overflow_error.
  explicit Tables(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Finds the table of a goal; kNoTable if the goal has no table.
  std::uint32_t find(std::uint32_t mode, const Term* key, std::uint32_t keys) const;
  std::uint32_t find_or_add(std::uint32_t mode, const Term* key, std::uint32_t keys);

  // References are valid until the next table is added.
  Table& operator[](std::uint32_t number) { return tables_[number]; }
  // Pointers are valid until anything is added.
  const Term* key(std::uint32_t number) const { return &words_[tables_[number].key]; }
  const Term* answer(const Table& table, std::uint32_t number, std::uint32_t width) const {
    return &words_[table.answers + std::size_t{number} * width];
  }

  // Adds an answer unless the table contains it; returns whether it was new.
  bool add(std::uint32_t number, const Term* answer, std::uint32_t width);
  // Adds an answer that the table does not contain.
  void append(std::uint32_t number, const Term* answer, std::uint32_t width);

  // Whether the facts of a mode have been added to their tables since the last clear().
  bool is_indexed(std::uint32_t mode) const { return mode < indexed_.size() && indexed_[mode] == generation_; }
  void set_indexed(std::uint32_t mode);

  void clear();
  // As clear(), but also frees the memory.
  void release();
  std::size_t bytes() const;

 private:
  struct Slot {
    std::uint32_t generation = 0, hash = 0, number = 0;
    std::uint32_t goal = 0;  // position of its mode; the key follows
  };
  struct AnswerSlot {
    std::uint32_t generation = 0, hash = 0, table = 0, number = 0;
  };

  std::uint32_t reserve(std::size_t words);
  bool is_goal(const Slot& slot, std::uint32_t mode, const Term* key, std::uint32_t keys) const;
  void remember(std::uint32_t number, std::uint32_t answer, std::uint32_t hash);
  void check(std::size_t more) const;

  std::size_t most_bytes_;
  std::vector<Table> tables_;
  std::vector<Term> words_{0};
  std::vector<Slot> goals_;            // open addressing
  std::vector<AnswerSlot> answers_;    // only for tables with many answers
  std::size_t answers_used_ = 0;
  std::vector<std::uint32_t> indexed_;  // by mode: the generation
  std::uint32_t generation_ = 1;
};

}  // namespace ggp

// The fields of the configuration by name: the keys of the TOML file, `selection.grave.bias`, their ranges, words and
// meanings.
//
// config_fields.cpp lists the fields in one table, and all access by name uses this table. A new field needs a member
// with its default in config.hpp, a row of the table, and an attribute in ggp_agent/mcts/config.py. The reference page
// and the Python classes with their documentation read everything else from the table.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "search/config/config.hpp"

namespace ggp {

// A whole number is not negative; a negative number is a double.
using FieldValue = std::variant<bool, std::uint64_t, double, std::string>;

// Sets a field; a field of type double accepts whole numbers, too. Throws std::invalid_argument, with one line that
// names the key, if there is no such key, or the value has another type, is not a word of the field or is out of its
// range.
void set_field(Config& config, const std::string& key, const FieldValue& value);

// Throws std::invalid_argument, one line naming the key, its range and the value, if a number is out of its range.
void check_fields(const Config& config);

// A row of the table.
struct FieldEntry {
  std::string key, help;
  std::vector<std::string> words;  // of a choice, otherwise empty
  std::uint64_t low, high;         // the ends of the range of a whole number, both included
  double least, most;              // of a real number; infinite if any finite number is allowed
  std::string kind;                // flag, whole, real, name or word
  std::string initial;             // the default in TOML; empty if the key may be left out
};
std::vector<FieldEntry> field_entries();

// All fields in TOML, a line `key = value` for each.
std::string describe(const Config& config);

}  // namespace ggp

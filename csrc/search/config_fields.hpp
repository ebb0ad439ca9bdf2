// The fields of the configuration by name: the keys of the TOML file, `selection.grave.bias`, and the words of choices.
//
// config_fields.cpp lists the fields in one place, and all access by name uses this list, so the code between a
// configuration file and the search names no field. A new field is a member in config.hpp, a line in config_fields.cpp
// with its range or words, and an attribute in ggp_agent/mcts/config.py, which reads both from here.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "search/config.hpp"

namespace ggp {

// A whole number is not negative; a negative number is a double.
using FieldValue = std::variant<bool, std::uint64_t, double, std::string>;

// Sets a field; a field of type double accepts whole numbers, too. Throws std::invalid_argument, with one line that
// names the key, if there is no such key, or the value has another type, is not a word of the field or is out of its
// range.
void set_field(Config& config, const std::string& key, const FieldValue& value);

// All keys.
std::vector<std::string> field_keys();

// The words that a field accepts; empty if its value is not a word. Throws std::invalid_argument if there is no such
// key.
std::vector<std::string> field_words(const std::string& key);

// Throws std::invalid_argument, one line naming the key, its range and the value, if a number is out of its range.
void check_fields(const Config& config);

// The ranges of all numbers by key, both ends included. A real number without a highest value is finite.
struct WholeRange {
  std::string key;
  std::uint64_t low, high;
};
struct RealRange {
  std::string key;
  double low, high;
};
struct FieldRanges {
  std::vector<WholeRange> wholes;
  std::vector<RealRange> reals;
};
FieldRanges field_ranges();

// All fields in TOML, a line `key = value` for each.
std::string describe(const Config& config);

}  // namespace ggp

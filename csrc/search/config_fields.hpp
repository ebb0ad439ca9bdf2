// The fields of the configuration by name: the keys of the TOML file, `selection.grave.bias`, and the words of choices.
//
// config_fields.cpp goes over the fields in one place, and all that is asked by name is answered from there, so what
// stands between a configuration file and the search names no field. A new field is a member in config.hpp, a line in
// config_fields.cpp, and an attribute in ggp_agent/mcts/config.py, where the files are read and the ranges told.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "search/config.hpp"

namespace ggp {

// A whole number is not negative; a negative number is a double.
using FieldValue = std::variant<bool, std::uint64_t, double, std::string>;

// Gives a field its value; a field of type double takes whole numbers, too. Throws std::invalid_argument, one line
// naming the key, where there is no such key, or the value is of another type, no word of the field or beyond its type.
// Ranges are left to checked().
void set_field(Config& config, const std::string& key, const FieldValue& value);

// All keys.
std::vector<std::string> field_keys();

// The words that a field can be; none where it is no choice between words. Throws std::invalid_argument where there is
// no such key.
std::vector<std::string> field_words(const std::string& key);

// All fields in TOML, a line `key = value` for each.
std::string describe(const Config& config);

}  // namespace ggp

// The few words in which the C++ tests speak: CHECK and its kin end the program at the first failure.
#pragma once

#include <cstdlib>
#include <iostream>

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::cerr << __FILE__ << ":" << __LINE__ << ": failed: " #condition << std::endl; \
      std::exit(1);                                                                   \
    }                                                                                 \
  } while (false)

#define CHECK_EQUAL(actual, expected)                                                           \
  do {                                                                                          \
    const auto actual_value = (actual);                                                         \
    const auto expected_value = (expected);                                                     \
    if (!(actual_value == expected_value)) {                                                    \
      std::cerr << __FILE__ << ":" << __LINE__ << ": " #actual " is " << actual_value << ", not " \
                << expected_value << std::endl;                                                 \
      std::exit(1);                                                                             \
    }                                                                                           \
  } while (false)

#define CHECK_BETWEEN(actual, low, high)                                                        \
  do {                                                                                          \
    const auto actual_value = (actual);                                                         \
    if (!(actual_value >= (low) && actual_value <= (high))) {                                   \
      std::cerr << __FILE__ << ":" << __LINE__ << ": " #actual " is " << actual_value           \
                << ", not within " << (low) << " .. " << (high) << std::endl;                   \
      std::exit(1);                                                                             \
    }                                                                                           \
  } while (false)

#define CHECK_THROWS(exception, expression)                                                     \
  do {                                                                                          \
    bool thrown = false;                                                                        \
    try {                                                                                       \
      expression;                                                                               \
    } catch (const exception&) {                                                                \
      thrown = true;                                                                            \
    }                                                                                           \
    if (!thrown) {                                                                              \
      std::cerr << __FILE__ << ":" << __LINE__ << ": no " #exception " from " #expression       \
                << std::endl;                                                                   \
      std::exit(1);                                                                             \
    }                                                                                           \
  } while (false)

// The macros of the C++ tests: CHECK and the others end the program at the first failure. TEST(name) begins a test. TESTS
// begins the other tests of a source, a function of the number of arguments and the arguments; arguments[0] is the name of
// the source.
#pragma once

#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

// Out of line, so that each check compiles to a comparison and a call.
[[noreturn, gnu::noinline, gnu::cold]] inline void check_failed(const char* file, int line, const char* what,
                                                                const char* expression) {
  std::cerr << file << ":" << line << ": " << what << expression << std::endl;
  std::exit(1);
}

template <class Actual, class Expected>
[[noreturn, gnu::noinline, gnu::cold]] void check_unequal(const char* file, int line, const char* expression,
                                                          const Actual& actual, const Expected& expected) {
  std::cerr << file << ":" << line << ": " << expression << " is " << actual << ", not " << expected << std::endl;
  std::exit(1);
}

template <class Actual, class Low, class High>
[[noreturn, gnu::noinline, gnu::cold]] void check_beyond(const char* file, int line, const char* expression,
                                                         const Actual& actual, const Low& low, const High& high) {
  std::cerr << file << ":" << line << ": " << expression << " is " << actual << ", not within " << low << " .. "
            << high << std::endl;
  std::exit(1);
}

// A test, in the order of the source. The list is linked without allocations, because it exists before `main` begins.
struct Test {
  using Run = void (*)(int count, char** arguments);
  static Test*& first() {
    static Test* test = nullptr;
    return test;
  }
  Test(const char* file, Run run) : file(file), run(run) {
    Test** end = &first();
    while (*end != nullptr) end = &(*end)->next;
    *end = this;
  }

  const char* file;
  Run run;
  Test* next = nullptr;
};

#define TEST(name)                                                                 \
  static void name();                                                              \
  static const Test name##_entry(__FILE__, [](int, char**) { name(); });           \
  static void name()

#define TESTS(...)                                                                 \
  static void other_tests(__VA_ARGS__);                                            \
  static const Test other_entry(__FILE__, other_tests);                            \
  static void other_tests(__VA_ARGS__)

#define CHECK(condition)                                                           \
  do {                                                                             \
    if (!(condition)) check_failed(__FILE__, __LINE__, "failed: ", #condition);    \
  } while (false)

#define CHECK_EQUAL(actual, expected)                                              \
  do {                                                                             \
    const auto actual_value = (actual);                                            \
    const auto expected_value = (expected);                                        \
    if (!(actual_value == expected_value)) {                                       \
      check_unequal(__FILE__, __LINE__, #actual, actual_value, expected_value);    \
    }                                                                              \
  } while (false)

#define CHECK_BETWEEN(actual, low, high)                                           \
  do {                                                                             \
    const auto actual_value = (actual);                                            \
    if (!(actual_value >= (low) && actual_value <= (high))) {                      \
      check_beyond(__FILE__, __LINE__, #actual, actual_value, (low), (high));      \
    }                                                                              \
  } while (false)

#define CHECK_NEAR(actual, expected) CHECK_BETWEEN(actual, (expected) - 1e-6, (expected) + 1e-6)

#define CHECK_THROWS(exception, expression)                                        \
  do {                                                                             \
    bool thrown = false;                                                           \
    try {                                                                          \
      expression;                                                                  \
    } catch (const exception&) {                                                   \
      thrown = true;                                                               \
    }                                                                              \
    if (!thrown) check_failed(__FILE__, __LINE__, "no " #exception " from ", #expression); \
  } while (false)

// The message of the std::invalid_argument that an action throws; empty if it throws none.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

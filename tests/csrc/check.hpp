// The macros of the C++ tests: CHECK and the others end the program at the first failure. TESTS begins the list of the
// tests of a source, a function of the number of arguments and the arguments; arguments[0] is its name.
#pragma once

#include <cstdlib>
#include <iostream>

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

// The tests of a source; run_tests.cpp finds them by their name. The list is linked without allocations, because it
// exists before `main` begins.
struct TestSource {
  using Run = void (*)(int count, char** arguments);
  static TestSource*& first() {
    static TestSource* source = nullptr;
    return source;
  }
  TestSource(const char* name, Run run) : name(name), run(run), next(first()) { first() = this; }

  const char* name;
  Run run;
  TestSource* next;
};

#define TESTS(name, ...)                                                           \
  static void name##_tests(__VA_ARGS__);                                           \
  static const TestSource name##_source(#name, name##_tests);                      \
  static void name##_tests(__VA_ARGS__)

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

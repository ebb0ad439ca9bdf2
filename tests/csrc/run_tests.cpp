// The main program of the tests of each folder. `PROGRAM NAME [FILE ...]` runs the tests of the source test_NAME.cpp with
// these arguments.
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>

#include "check.hpp"
#include "fixtures/allocations.hpp"

std::atomic<std::uint64_t> allocations{0};

__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(size != 0 ? size : 1);
}
__attribute__((noinline)) void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main(int count, char** arguments) {
  const std::string file = std::string("/test_") + (count > 1 ? arguments[1] : "") + ".cpp";
  bool found = false;
  for (const Test* test = Test::first(); test != nullptr; test = test->next) {
    const std::string in = test->file;
    if (in.size() < file.size() || in.compare(in.size() - file.size(), file.size(), file) != 0) continue;
    found = true;
    test->run(count - 1, arguments + 1);
  }
  if (!found) std::cerr << "no tests are in " << file << std::endl;
  return found ? 0 : 2;
}

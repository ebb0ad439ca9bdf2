// The main program of the tests of each folder. `PROGRAM NAME [FILE ...]` runs the tests of the source test_NAME.cpp with
// these arguments.
#include <cstdlib>
#include <iostream>
#include <new>
#include <string_view>

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
  for (const TestSource* source = TestSource::first(); source != nullptr; source = source->next)
    if (count > 1 && std::string_view(arguments[1]) == source->name) {
      source->run(count - 1, arguments + 1);
      return 0;
    }
  std::cerr << "no tests have the name " << (count > 1 ? arguments[1] : "") << std::endl;
  return 2;
}

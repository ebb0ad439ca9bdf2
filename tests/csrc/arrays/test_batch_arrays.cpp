// Games: tic_tac_toe battle
//
// States of networks as arrays over lanes, on every kernel, with one thread and with several, against single states.
#include <fstream>
#include <memory>

#include "check.hpp"
#include "fixtures/check_batch_arrays.hpp"
#include "fixtures/program_of.hpp"
#include "network/simulator/network_batch.hpp"

namespace {

using namespace ggp;

void check_network(const std::shared_ptr<const LaneProgram>& program, const char* isa, int width, int n, int threads) {
  const LaneKernel* kernel = find_kernel(isa, width);
  if (kernel == nullptr) return;
  BatchArrays arrays(network_parts(program, *kernel, n), threads, -1);
  NetworkSimulator rules(program, *find_kernel("portable", 64));
  batch_arrays::check_play(arrays, rules, [](const Simulator&, const batch_arrays::State& state, int fluent) {
    return state[fluent / 64] >> (fluent % 64) & 1;
  });
}

}  // namespace

TESTS(int argc, char** argv) {
  CHECK_EQUAL(argc, 3);
  for (int game = 1; game < argc; ++game) {
    std::ifstream text(argv[game]);
    const auto program = program_of(read_ground_program(text));
    for (const char* isa : {"portable", "avx2", "avx512"}) {
      check_network(program, isa, 64, 1, 1);
      check_network(program, isa, 64, 150, 3);
      check_network(program, isa, 512, 70, 1);
    }
  }
}

#include "network/compile_game.hpp"

#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>

#include <csignal>
#endif

#include <ctime>
#include <new>

#include "network/network_file.hpp"

namespace ggp {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::string compiled(const GroundingRequest& request) {
  CompiledNetwork result;
  const double started = cpu_seconds();
  Network network;
  {
    GroundProgram program = ground(request);
    result.ground_rules = program.rules.size();
    result.ground_atoms = program.atoms;
    result.ground_cpu_s = cpu_seconds() - started;
    network = build_network(program);
  }
  result.raw_gates = network.gates.size() - 1;
  network = simplify(network);
  result.program = compile(network);
  result.loop_variables = network.loops.size();
  result.moves.resize(network.roles.size());
  for (const auto& fluent : network.fluents) result.fluents.push_back(fluent.name);
  for (const auto& move : network.moves) result.moves[move.role].push_back(move.name);
  result.always = network.always;
  result.network_cpu_s = cpu_seconds() - started - result.ground_cpu_s;
  return write_network(result);
}

}  // namespace

CompileOutcome compile_game(const GroundingRequest& request) {
  using Kind = CompileOutcome::Kind;
  try {
    return {Kind::kNetwork, compiled(request)};
  } catch (const std::bad_alloc&) {
    return {Kind::kMemory, "there is not enough memory to compile the rules"};
  } catch (const std::overflow_error& error) {
    return {Kind::kLimit, error.what()};
  } catch (const NotStratified& error) {
    return {Kind::kNegation, error.what()};
  } catch (const std::exception& error) {
    return {Kind::kRules, error.what()};
  }
}

bool end_with(int parent) {
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  return getppid() == parent;
}

}  // namespace ggp

#include "network/simulator/compile_game.hpp"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cmath>
#include <csignal>
#include <new>

#include "base/thread_clock.hpp"
#include "network/simulator/network_file.hpp"
#include "network/simulator/phases.hpp"

namespace ggp {
namespace {

std::string compiled(const GroundingRequest& request, std::size_t max_gates) {
  CompiledNetwork result;
  const double started = thread_cpu_seconds();
  Network network;
  {
    GroundProgram program = ground(request);
    result.ground_rules = program.rules.size();
    result.ground_atoms = program.atoms;
    result.ground_cpu_s = thread_cpu_seconds() - started;
    network = build_network(program);
  }
  result.raw_gates = network.gates.size() - 1;
  network = simplify(network, max_gates);
  result.program = compile(network);
  add_phases(network, result.program);
  result.loop_variables = network.loops.size();
  result.moves.resize(network.roles.size());
  for (const auto& fluent : network.fluents) result.fluents.push_back(fluent.name);
  for (const auto& move : network.moves) result.moves[move.role].push_back(move.name);
  result.percepts.resize(network.roles.size());
  for (const auto& percept : network.percepts) result.percepts[percept.role].push_back(percept.name);
  result.always = network.always;
  result.groups = network.groups;
  result.network_cpu_s = thread_cpu_seconds() - started - result.ground_cpu_s;
  return write_network(result);
}

}  // namespace

CompileOutcome compile_game(const GroundingRequest& request, std::size_t max_gates) {
  using Kind = CompileOutcome::Kind;
  try {
    return {Kind::kNetwork, compiled(request, max_gates)};
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

bool confine(int parent, double cpu_seconds, std::uint64_t bytes) {
  const auto lower = [](auto what, std::uint64_t most) {
    rlimit limit{};
    getrlimit(what, &limit);
    limit.rlim_cur = std::min(static_cast<rlim_t>(most), limit.rlim_max);
    setrlimit(what, &limit);
  };
  lower(RLIMIT_AS, bytes);
  lower(RLIMIT_CORE, 0);
  const double whole = std::floor(cpu_seconds);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = std::max<suseconds_t>(1, static_cast<suseconds_t>(1e6 * (cpu_seconds - whole)));
  setitimer(ITIMER_PROF, &timer, nullptr);
#if defined(__linux__)
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  return getppid() == parent;
}

}  // namespace ggp

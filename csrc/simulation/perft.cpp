// Depth first, in batches of as many states as the simulator has lanes. The states of a batch are evaluated together;
// then all their joint moves are played in batches. Each batch of successors is counted before the next batch is
// computed. The memory is one batch and its moves for each level.
#include "simulation/perft.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace ggp {
namespace {

class Perft {
 public:
  Perft(Simulator& simulator, int depth, const std::atomic<bool>& stop, StuckRole* stuck)
      : simulator_(simulator), depth_(depth), stop_(stop), stuck_(stuck), words_(simulator.state_words()), result_(depth) {}

  std::vector<PerftLevel> run(const std::uint64_t* state) {
    expand(std::vector<std::uint64_t>(state, state + words_), 1, 0);
    return std::move(result_);
  }

 private:
  // A state to be expanded and the legal moves of each role in it.
  struct Choices {
    std::size_t state;
    std::vector<std::vector<int>> moves;
  };

  [[noreturn]] void throw_stuck(int role, int turns) const {
    if (stuck_ != nullptr) *stuck_ = {role, turns};
    throw std::runtime_error("role number " + std::to_string(role + 1) + " has no legal move, and the game is not over");
  }

  void load(const std::vector<std::uint64_t>& states, const std::vector<std::size_t>& which) {
    mask_.assign(simulator_.groups(), 0);
    sources_.assign(simulator_.lanes(), nullptr);
    for (std::size_t lane = 0; lane < which.size(); ++lane) {
      mask_[lane / 64] |= std::uint64_t{1} << (lane % 64);
      sources_[lane] = states.data() + which[lane] * words_;
    }
    simulator_.load(mask_.data(), sources_.data());
    simulator_.evaluate();
  }

  void expand(const std::vector<std::uint64_t>& states, std::size_t count, int level) {
    std::vector<std::size_t> which(count);
    for (std::size_t i = 0; i < count; ++i) which[i] = i;
    load(states, which);
    std::vector<Choices> open;
    std::vector<int> moves;
    for (std::size_t lane = 0; lane < count; ++lane) {
      if ((simulator_.terminal()[lane / 64] >> (lane % 64)) & 1) {
        if (level > 0) ++result_[level - 1].terminals;
        continue;
      }
      if (level == depth_) continue;
      Choices choices{lane, {}};
      for (int role = 0; role < simulator_.roles(); ++role) {
        moves.resize(simulator_.moves(role));
        const int legal = simulator_.legal(static_cast<int>(lane), role, moves.data());
        if (legal == 0)
          throw_stuck(role, level);
        choices.moves.emplace_back(moves.begin(), moves.begin() + legal);
      }
      open.push_back(std::move(choices));
    }
    play(states, open, level);
  }

  void play(const std::vector<std::uint64_t>& states, const std::vector<Choices>& open, int level) {
    const auto lanes = static_cast<std::size_t>(simulator_.lanes());
    std::vector<std::size_t> from;
    std::vector<int> joint;  // moves of all roles, one lane after the other
    const std::size_t roles = simulator_.roles();
    std::vector<std::size_t> odometer(roles);
    for (std::size_t i = 0; i < open.size(); ++i) {
      std::fill(odometer.begin(), odometer.end(), 0);
      bool more = true;
      while (more && !stop_.load(std::memory_order_relaxed)) {
        from.push_back(open[i].state);
        for (std::size_t role = 0; role < roles; ++role) joint.push_back(open[i].moves[role][odometer[role]]);
        more = false;
        for (std::size_t role = roles; role-- > 0 && !more;) {
          more = ++odometer[role] < open[i].moves[role].size();
          if (!more) odometer[role] = 0;
        }
        if (from.size() == lanes) flush(states, from, joint, level);
      }
    }
    flush(states, from, joint, level);
  }

  void flush(const std::vector<std::uint64_t>& states, std::vector<std::size_t>& from, std::vector<int>& joint,
             int level) {
    if (from.empty()) return;
    const std::size_t count = from.size();
    const int roles = simulator_.roles();
    load(states, from);
    for (std::size_t lane = 0; lane < count; ++lane)
      for (int role = 0; role < roles; ++role)
        simulator_.choose(static_cast<int>(lane), role, joint[lane * roles + role]);
    simulator_.step();
    result_[level].leaves += count;
    std::vector<std::uint64_t> successors(count * words_);
    std::vector<std::uint64_t*> targets(simulator_.lanes(), nullptr);
    for (std::size_t lane = 0; lane < count; ++lane) targets[lane] = successors.data() + lane * words_;
    simulator_.store(mask_.data(), targets.data());
    from.clear();
    joint.clear();
    expand(successors, count, level + 1);
  }

  Simulator& simulator_;
  int depth_;
  const std::atomic<bool>& stop_;
  StuckRole* stuck_;
  std::size_t words_;
  std::vector<PerftLevel> result_;
  std::vector<std::uint64_t> mask_;
  std::vector<const std::uint64_t*> sources_;
};

}  // namespace

std::vector<PerftLevel> perft(Simulator& simulator, const std::uint64_t* state, int depth,
                              const std::atomic<bool>& stop, StuckRole* stuck) {
  return Perft(simulator, depth, stop, stuck).run(state);
}

}  // namespace ggp

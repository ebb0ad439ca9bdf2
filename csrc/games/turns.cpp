#include "games/turns.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace ggp {
namespace {

// States inside turns, and the moves of the turn that led to them.
struct Beginnings {
  std::vector<std::uint64_t> states;
  std::vector<std::vector<int>> moves;
};

class Turns {
 public:
  Turns(Simulator& simulator, const std::vector<int>& waits)
      : simulator_(simulator), waits_(waits), words_(simulator.state_words()), lanes_(simulator.lanes()) {}

  TurnList list(const std::uint64_t* state, const std::atomic<bool>& stop) {
    Beginnings open{{state, state + words_}, {{}}};
    load(open, 0, 1);
    if (terminal(0)) return {};
    found_.role = mover(0);
    while (!open.moves.empty() && !stop.load(std::memory_order_relaxed)) {
      Beginnings longer;
      for (std::size_t first = 0; first < open.moves.size(); first += lanes_)
        extend(open, first, std::min(lanes_, open.moves.size() - first), longer);
      open = sorted_out(longer);
    }
    return std::move(found_);
  }

 private:
  void load(const Beginnings& from, std::size_t first, std::size_t count) {
    mask_.assign(simulator_.groups(), 0);
    sources_.assign(lanes_, nullptr);
    for (std::size_t lane = 0; lane < count; ++lane) {
      mask_[lane / 64] |= std::uint64_t{1} << (lane % 64);
      sources_[lane] = from.states.data() + (first + lane) * words_;
    }
    simulator_.load(mask_.data(), sources_.data());
    simulator_.evaluate();
  }

  bool terminal(std::size_t lane) const { return simulator_.terminal()[lane / 64] >> (lane % 64) & 1; }

  const std::vector<int>& legal(std::size_t lane, int role) {
    moves_.resize(simulator_.moves(role));
    moves_.resize(simulator_.legal(static_cast<int>(lane), role, moves_.data()));
    return moves_;
  }

  bool waits(std::size_t lane, int role) {
    const std::vector<int>& moves = legal(lane, role);
    if (moves.empty()) throw std::runtime_error("role number " + std::to_string(role + 1) + " has no legal move");
    return moves.size() == 1 && moves[0] == waits_[role];
  }

  // The role that does not wait; role 0 if all wait.
  int mover(std::size_t lane) {
    int found = -1;
    for (int role = 0; role < simulator_.roles(); ++role) {
      if (waits(lane, role)) continue;
      if (found >= 0) throw std::runtime_error("more than one role moves");
      found = role;
    }
    return std::max(found, 0);
  }

  // Plays every move of the mover in `count` of the open states.
  void extend(const Beginnings& open, std::size_t first, std::size_t count, Beginnings& longer) {
    load(open, first, count);
    std::vector<std::pair<std::size_t, int>> steps;
    for (std::size_t lane = 0; lane < count; ++lane)
      for (const int move : legal(lane, found_.role)) steps.emplace_back(first + lane, move);
    std::vector<std::uint64_t*> targets(lanes_);
    for (std::size_t begin = 0; begin < steps.size(); begin += lanes_) {
      const std::size_t some = std::min(lanes_, steps.size() - begin);
      Beginnings sources;
      for (std::size_t i = begin; i < begin + some; ++i) {
        const std::uint64_t* state = open.states.data() + steps[i].first * words_;
        sources.states.insert(sources.states.end(), state, state + words_);
      }
      load(sources, 0, some);
      const std::size_t old = longer.states.size();
      longer.states.resize(old + some * words_);
      for (std::size_t lane = 0; lane < some; ++lane) {
        const auto& [source, move] = steps[begin + lane];
        for (int role = 0; role < simulator_.roles(); ++role)
          simulator_.choose(static_cast<int>(lane), role, role == found_.role ? move : waits_[role]);
        targets[lane] = longer.states.data() + old + lane * words_;
        longer.moves.push_back(open.moves[source]);
        longer.moves.back().push_back(move);
      }
      simulator_.step();
      simulator_.store(mask_.data(), targets.data());
    }
  }

  // Stores the complete turns and returns the incomplete ones.
  Beginnings sorted_out(const Beginnings& longer) {
    Beginnings open;
    for (std::size_t first = 0; first < longer.moves.size(); first += lanes_) {
      const std::size_t count = std::min(lanes_, longer.moves.size() - first);
      load(longer, first, count);
      for (std::size_t lane = 0; lane < count; ++lane) {
        const std::uint64_t* state = longer.states.data() + (first + lane) * words_;
        const bool over = terminal(lane);
        const bool whole = over || waits(lane, found_.role);
        auto& states = whole ? found_.states : open.states;
        states.insert(states.end(), state, state + words_);
        (whole ? found_.moves : open.moves).push_back(longer.moves[first + lane]);
        if (whole) found_.terminals.push_back(over);
      }
    }
    return open;
  }

  Simulator& simulator_;
  const std::vector<int>& waits_;
  std::size_t words_;
  std::size_t lanes_;
  TurnList found_;
  std::vector<int> moves_;
  std::vector<std::uint64_t> mask_;
  std::vector<const std::uint64_t*> sources_;
};

}  // namespace

TurnList turns_of(Simulator& simulator, const std::uint64_t* state, const std::vector<int>& waits,
                  const std::atomic<bool>& stop) {
  return Turns(simulator, waits).list(state, stop);
}

}  // namespace ggp

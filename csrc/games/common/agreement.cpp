#include "games/common/agreement.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "base/random.hpp"

namespace ggp {
namespace {

class Comparison {
 public:
  Comparison(const Module& module, Simulator& fast, Simulator& sheet, const std::vector<SheetTurns>& turns,
             std::uint64_t seed, std::uint64_t sample_every)
      : module_(module),
        fast_(fast),
        sheet_(sheet),
        turns_(turns),
        random_(mix64(seed)),
        sample_every_(sample_every),
        mask_(fast.groups(), ~std::uint64_t{0}),
        lanes_(fast.lanes()) {
    if (fast.lanes() != sheet.lanes()) throw std::invalid_argument("the simulators differ in the number of lanes");
    for (Lane& lane : lanes_) {
      lane.fast.resize(fast.state_words());
      lane.sheet.resize(sheet.state_words());
      restart(lane);
    }
    for (int role = 0; role < fast.roles(); ++role) {
      moves_.resize(std::max<std::size_t>(moves_.size(), fast.moves(role)));
      moves_.resize(std::max<std::size_t>(moves_.size(), sheet.moves(role)));
    }
  }

  Agreement run(std::uint64_t playouts) {
    while (result_.playouts < playouts && result_.difference.empty()) round();
    return std::move(result_);
  }

 private:
  struct Lane {
    std::vector<std::uint64_t> fast, sheet;  // states
    SheetTurn played;                        // the moves so far of the current turn
    bool complete = false;                  // the turn is complete, so the module moves too
  };
  struct Candidate {
    int move;
    const SheetTurn* turn;
  };

  void restart(Lane& lane) {
    std::copy_n(fast_.initial(), lane.fast.size(), lane.fast.begin());
    std::copy_n(sheet_.initial(), lane.sheet.size(), lane.sheet.begin());
    lane.played.clear();
  }

  void round() {
    load();
    fast_.evaluate();
    sheet_.evaluate();
    bool restarted = false;
    for (int lane = 0; lane < fast_.lanes(); ++lane)
      if (is_over(lane)) restarted = true;
    if (!result_.difference.empty()) return;
    if (restarted) return;  // continue from the initial states in the next round
    for (int lane = 0; lane < fast_.lanes() && result_.difference.empty(); ++lane) move(lane);
    if (!result_.difference.empty()) return;
    fast_.step();
    sheet_.step();
    store();
  }

  void load() {
    std::vector<const std::uint64_t*> fast, sheet;
    for (const Lane& lane : lanes_) {
      fast.push_back(lane.fast.data());
      sheet.push_back(lane.sheet.data());
    }
    fast_.load(mask_.data(), fast.data());
    sheet_.load(mask_.data(), sheet.data());
  }
  // While a turn continues in the sheet, the state of the module stays the same.
  void store() {
    std::vector<std::uint64_t*> fast(lanes_.size()), sheet;
    std::vector<std::uint64_t> complete(fast_.groups());
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      sheet.push_back(lanes_[lane].sheet.data());
      if (!lanes_[lane].complete) continue;
      fast[lane] = lanes_[lane].fast.data();
      complete[lane / 64] |= std::uint64_t{1} << (lane % 64);
    }
    sheet_.store(mask_.data(), sheet.data());
    fast_.store(complete.data(), fast.data());
    for (Lane& lane : lanes_) {
      if (!lane.complete) continue;
      lane.played.clear();
      if (module_.hash(lane.fast.data()) != module_.hash_anew(lane.fast.data()))
        return differ(lane, "the incremental hash differs from the hash of the position");
      if (++result_.turns % sample_every_ != 0) continue;
      result_.module_states.insert(result_.module_states.end(), lane.fast.begin(), lane.fast.end());
      result_.sheet_states.insert(result_.sheet_states.end(), lane.sheet.begin(), lane.sheet.end());
    }
  }

  // Counts a play-out that has ended, and starts another one.
  bool is_over(int number) {
    Lane& lane = lanes_[number];
    const bool fast = fast_.terminal()[number / 64] >> (number % 64) & 1;
    const bool sheet = sheet_.terminal()[number / 64] >> (number % 64) & 1;
    if (!lane.played.empty()) {
      if (sheet) differ(lane, "the sheet ends within a turn");
      return false;
    }
    if (fast != sheet) differ(lane, fast ? "the game is over, but not in the sheet" : "the game is over in the sheet");
    if (!fast || !sheet) return false;
    for (int role = 0; role < fast_.roles(); ++role)
      if (fast_.goal(number, role) != sheet_.goal(number, role))
        differ(lane, "the goal of role " + std::to_string(role) + " is " + std::to_string(fast_.goal(number, role)) +
                         ", in the sheet " + std::to_string(sheet_.goal(number, role)));
    ++result_.playouts;
    restart(lane);
    return true;
  }

  // Compares the moves that continue the turn in the sheet, and chooses one.
  void move(int number) {
    Lane& lane = lanes_[number];
    const int mover = module_.mover(lane.fast.data());
    const std::size_t played = lane.played.size();
    std::vector<Candidate> candidates;
    std::vector<int> expected;
    const int count = fast_.legal(number, mover, moves_.data());
    for (int i = 0; i < count; ++i)
      for (const SheetTurn& turn : turns_[mover][moves_[i]])
        if (turn.size() > played && std::equal(lane.played.begin(), lane.played.end(), turn.begin())) {
          candidates.push_back({moves_[i], &turn});
          expected.push_back(turn[played]);
        }
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    std::vector<int> legal(moves_.size());
    legal.resize(sheet_.legal(number, mover, legal.data()));
    if (expected != legal) return differ_in_moves(lane, mover, expected, legal);
    if (expected.empty()) return differ(lane, "no role can move, but the game is not over");
    const int chosen = expected[draw_below(random_, static_cast<std::uint32_t>(expected.size()))];
    lane.played.push_back(chosen);
    sheet_.choose(number, mover, chosen);
    const int waiting = 1 - mover;
    if (sheet_.legal_count(number, waiting) != 1 || fast_.legal_count(number, waiting) != 1)
      return differ(lane, "the waiting role does not have exactly one move");
    int waits[2];
    sheet_.legal(number, waiting, moves_.data());
    sheet_.choose(number, waiting, moves_[0]);
    fast_.legal(number, waiting, waits);
    fast_.choose(number, waiting, waits[0]);
    lane.complete = false;
    int move = -1;
    for (const Candidate& candidate : candidates) {
      if (*candidate.turn != lane.played) continue;
      if (lane.complete && candidate.move != move) return differ(lane, "two moves are the same turn of the sheet");
      move = candidate.move;
      lane.complete = true;
    }
    if (lane.complete) fast_.choose(number, mover, move);
  }

  void differ(const Lane& lane, const std::string& what) {
    if (result_.difference.empty()) result_.difference = what + " in\n" + module_.board(lane.fast.data());
  }
  void differ_in_moves(const Lane& lane, int role, const std::vector<int>& expected, const std::vector<int>& legal) {
    std::string what =
        "the moves of role " + std::to_string(role) + " differ; by numbers of the sheet, only the module has";
    std::vector<int> only;
    std::set_difference(expected.begin(), expected.end(), legal.begin(), legal.end(), std::back_inserter(only));
    for (const int move : only) what += " " + std::to_string(move);
    what += ", only the sheet";
    only.clear();
    std::set_difference(legal.begin(), legal.end(), expected.begin(), expected.end(), std::back_inserter(only));
    for (const int move : only) what += " " + std::to_string(move);
    differ(lane, what);
  }

  const Module& module_;
  Simulator& fast_;
  Simulator& sheet_;
  const std::vector<SheetTurns>& turns_;
  std::uint64_t random_;
  const std::uint64_t sample_every_;
  const std::vector<std::uint64_t> mask_;
  std::vector<Lane> lanes_;
  std::vector<int> moves_;  // scratch
  Agreement result_;
};

}  // namespace

Agreement compare(const Module& module, Simulator& fast, Simulator& sheet, const std::vector<SheetTurns>& turns,
                  std::uint64_t playouts, std::uint64_t seed, std::uint64_t sample_every) {
  return Comparison(module, fast, sheet, turns, seed, sample_every).run(playouts);
}

}  // namespace ggp

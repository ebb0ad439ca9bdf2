// The interface of the fast core: one game, W lanes.
//
// A simulator advances W independent states ("lanes") of one game at once, one bit of a machine word for each lane.
// Search and play-outs use this interface only. They do not depend on whether a network compiled from GDL, the reasoner
// or a native game implements it. Abilities of some games only are optional interfaces (the folder interfaces/).
//
// Lanes come in groups of 64. A lane mask is an array of groups() words; bit (l & 63) of word (l >> 6) stands for lane
// l. Moves of a role have the numbers 0 .. moves(role) - 1, which never change: trees and statistics store them. A
// packed state is an array of state_words() words. Each simulator has its own layout of packed states; equal states are
// equal words.
//
// One turn, in this order:
//   evaluate()             makes terminal(), legal_count(), legal() and goal() valid for the states of all lanes;
//   choose(), choose_at_random(), choose_with(), or a function of an optional interface
//                          gives every role of a lane one move;
//   step()                 replaces the state of every lane by its successor. The results of evaluate() are invalid
//                          until the next evaluate().
// load() may be called at any time between step() and evaluate(), and store() at any time except between the first
// choice and step(). A lane without a complete joint move has an unspecified state after step() and must be loaded
// before it is used again. Lanes do not influence one another.
//
// No function allocates memory after its first calls, or uses Python. Networks and native games never throw. The
// reasoner can reach a limit of time, memory or nesting: evaluate(), step(), load() and store() then throw
// std::overflow_error, and std::runtime_error if the rules have no meaning, each with one line for the user. After
// that every lane must be loaded again, except after store(), which does not change the lanes. goal() and goals() may
// throw the same and do not change the lanes. One thread at a time may use a simulator; clone() makes one for another
// thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/choices.hpp"
#include "interfaces/optional_interface.hpp"

namespace ggp {

class Simulator {
 public:
  virtual ~Simulator() = default;

  // Returns a simulator of the same game with the same number of lanes, whose states are initial states. Both share
  // constant data.
  virtual std::unique_ptr<Simulator> clone() const = 0;

  // Returns an optional interface, such as Evaluations; null if the simulator does not have it. The result is the
  // same for the life of the simulator, so a user calls this once and keeps the pointer.
  template <class Interface>
  Interface* optional_interface() {
    return static_cast<Interface*>(find_interface(Interface::kId));
  }

  // ---- facts of the game, which never change
  virtual int roles() const = 0;
  virtual int moves(int role) const = 0;
  virtual int state_words() const = 0;
  // The packed initial state, state_words() words.
  virtual const std::uint64_t* initial() const = 0;

  // ---- lanes
  // W: a multiple of 64, at most 512.
  virtual int lanes() const = 0;
  int groups() const { return lanes() / 64; }

  // Puts states[l] into every lane l of the mask; other entries of `states` are not read.
  virtual void load(const std::uint64_t* mask, const std::uint64_t* const* states) = 0;
  // Writes the state of every lane l of the mask to states[l].
  virtual void store(const std::uint64_t* mask, std::uint64_t* const* states) = 0;

  // Starts the lane's own stream of random numbers. Equal seeds give equal choices on all simulators of a game, with
  // any number of lanes.
  virtual void seed(int lane, std::uint64_t seed) = 0;
  // The present state of this stream: a lane with this seed continues it.
  virtual std::uint64_t stream(int lane) const = 0;

  // ---- one turn
  virtual void evaluate() = 0;

  // Lane mask of terminal states. Legal moves of a terminal state may be absent; do not choose there.
  virtual const std::uint64_t* terminal() const = 0;
  // The highest goal value 0..100 that holds for a role, as game managers count several; -1 if none holds. Numbers of
  // the rules are limited to this range; values that are not whole numbers do not count.
  virtual int goal(int lane, int role) = 0;
  // All goal values of a role that hold, ascending; `out` has room for 101. Returns their number.
  virtual int goals(int lane, int role, int* out) {
    out[0] = goal(lane, role);
    return out[0] < 0 ? 0 : 1;
  }

  // The number of legal moves.
  virtual int legal_count(int lane, int role) = 0;
  // Writes the legal moves in ascending order and returns their number; `out` has room for moves(role).
  virtual int legal(int lane, int role, int* out) = 0;

  // Sets the move of one role. The move must be legal, and each role gets one move in a turn.
  virtual void choose(int lane, int role, int move) = 0;
  // Draws the move of every role uniformly from its legal moves, in every lane of the mask. Advances the random stream
  // of a lane once for each role with more than one legal move, in role order, or more often if a native game draws
  // a move in several steps.
  virtual void choose_at_random(const std::uint64_t* mask) = 0;
  // Gives every role of the lanes in the mask a move: the only legal one, or the one that the chooser selects. The
  // chooser is called in passes: first for the first role of each lane that has several legal moves, then for the
  // second such role, and so on. A role without a legal move gets none.
  virtual void choose_with(const std::uint64_t* mask, MoveChooser& chooser);

  virtual void step() = 0;

 private:
  friend class WrappedSimulator;

  // Returns the interface with an id as a pointer to the class of that interface; null if the simulator does not
  // have it. A simulator with optional interfaces overrides this by select_interface().
  virtual void* find_interface(InterfaceId) { return nullptr; }

  ChoiceBuffers buffers_;  // sized by the first choose_with()
};

inline void Simulator::choose_with(const std::uint64_t* mask, MoveChooser& chooser) {
  int widest = 1;
  for (int role = 0; role < roles(); ++role) widest = std::max(widest, moves(role));
  const int blocks = (widest + 63) / 64;
  ChoiceBuffers& b = buffers_;
  b.moves.resize(lanes());
  b.list.resize(widest);
  for (int pass = 0;; ++pass) {
    bool any = false;
    b.lanes.assign(std::size_t(roles()) * groups(), 0);
    b.legal.assign(std::size_t(blocks) * lanes(), 0);
    for (int lane = 0; lane < lanes(); ++lane) {
      if ((mask[lane >> 6] >> (lane & 63) & 1) == 0) continue;
      for (int role = 0, several = 0; role < roles(); ++role) {
        const int count = legal(lane, role, b.list.data());
        if (count == 1 && pass == 0) choose(lane, role, b.list[0]);
        if (count <= 1 || several++ != pass) continue;
        any = true;
        b.lanes[std::size_t(role) * groups() + (lane >> 6)] |= std::uint64_t{1} << (lane & 63);
        for (int i = 0; i < count; ++i) {
          const int move = b.list[i];
          b.legal[(std::size_t(move / 64) * 64 + (lane & 63)) * groups() + (lane >> 6)] |= std::uint64_t{1} << (move % 64);
        }
      }
    }
    if (!any) return;
    chooser.choose({groups(), blocks, b.lanes.data(), b.legal.data(), b.moves.data()});
    for (int role = 0; role < roles(); ++role) {
      for (int lane = 0; lane < lanes(); ++lane) {
        if (b.lanes[std::size_t(role) * groups() + (lane >> 6)] >> (lane & 63) & 1) {
          choose(lane, role, static_cast<int>(b.moves[lane]));
        }
      }
    }
  }
}

}  // namespace ggp

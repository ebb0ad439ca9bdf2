// The interface of the fast core: one game, W lanes.
//
// A simulator advances W independent states ("lanes") of one game together, with one bit of a machine word for each
// lane. Search and play-outs use this interface only. A network compiled from GDL, the reasoner or a native game
// implements the interface. Abilities that only some games have are optional interfaces (the folder interfaces/).
//
// Lanes form groups of 64. A lane mask is an array of groups() words: bit (l & 63) of word (l >> 6) stands for lane l.
// Moves of a role have the numbers 0 .. moves(role) - 1. The numbers never change: trees and statistics store them. A
// packed state is an array of state_words() words. Each simulator has its own layout of packed states. Equal states
// have equal words.
//
// One turn:
//      call          what the call does
//   1  load()        optional: replaces the states of some lanes
//   2  evaluate()    makes terminal(), legal_count(), legal() and goal() valid for the states of all lanes
//   3  choose()      gives a role of a lane one move; every role needs one. choose_at_random(), choose_with() or
//                    functions of optional interfaces can replace choose()
//   4  step()        replaces the state of every lane by its successor; the results of evaluate() become invalid
// store() may be called at any time except between the first choice and step(). After step(), a lane without a complete
// joint move has an unspecified state; load the lane before its next use. Lanes do not influence one another.
//
// After its first calls, no function allocates memory. No function uses Python. Networks and native games never throw.
// The reasoner has limits of time, memory and nesting. Beyond a limit, evaluate(), step(), load(), store(), goal() and
// goals() throw std::overflow_error. If the rules have no meaning, they throw std::runtime_error. Both messages are one
// line for the user. store(), goal() and goals() do not change the lanes. After an exception of another function, every
// lane must be loaded again. One thread at a time may use a simulator; clone() makes one for another thread.
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

  // Returns a simulator of the same game with the same number of lanes. The clone starts with initial states in all
  // lanes. The two simulators share constant data.
  virtual std::unique_ptr<Simulator> clone() const = 0;

  // Returns an optional interface, such as Evaluations; null if the simulator does not have the interface. The result
  // never changes for a simulator, so a user calls this function once and keeps the pointer.
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

  // Starts the stream of random numbers of a lane. Each lane has its own stream. Equal seeds give equal choices on all
  // simulators of a game, with any number of lanes.
  virtual void seed(int lane, std::uint64_t seed) = 0;
  // The present state of the stream of a lane. A lane that gets this state as its seed continues the stream.
  virtual std::uint64_t stream(int lane) const = 0;

  // ---- one turn
  virtual void evaluate() = 0;

  // Lane mask of terminal states. Legal moves of a terminal state may be absent; do not choose there.
  virtual const std::uint64_t* terminal() const = 0;
  // The highest goal value 0..100 that holds for a role; -1 if no value holds. Game managers also count the highest of
  // several values. Numbers of the rules are limited to this range; values that are not whole numbers do not count.
  virtual int goal(int lane, int role) = 0;
  // All goal values of a role that hold, ascending; `out` has room for 101. Returns their number.
  virtual int goals(int lane, int role, int* out) {
    out[0] = goal(lane, role);
    return out[0] < 0 ? 0 : 1;
  }

  virtual int legal_count(int lane, int role) = 0;
  // Writes the legal moves in ascending order and returns their number; `out` has room for moves(role).
  virtual int legal(int lane, int role, int* out) = 0;

  // Sets the move of one role. The move must be legal, and each role gets one move in a turn.
  virtual void choose(int lane, int role, int move) = 0;
  // Draws the move of every role uniformly from its legal moves, in every lane of the mask. Advances the random stream
  // of a lane once for each role with more than one legal move, in the order of the roles. A native game that draws a
  // move in several steps advances the stream more often.
  virtual void choose_at_random(const std::uint64_t* mask) = 0;
  // Gives every role of the lanes in the mask a move: its only legal move, or the move that the chooser selects. The
  // chooser is called in passes. Pass n selects the moves of the n-th role of each lane that has several legal moves.
  // A role without a legal move gets no move.
  virtual void choose_with(const std::uint64_t* mask, MoveChooser& chooser);

  virtual void step() = 0;

 private:
  friend class WrappedSimulator;

  // Returns the interface with an id, as a pointer to its class; null if the simulator does not have the interface. A
  // simulator with optional interfaces overrides this function and calls select_interface().
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

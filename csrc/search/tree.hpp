// The search tree of one match: which joint moves were tried from which states, and what they brought.
//
// A node stands for a non-terminal state. It keeps one `Choice` per role, and for each move that was
// tried by a role an `Action`. Where at most one role has several legal moves (turn-taking), the actions
// of that role, the mover, hold the children. Where several roles choose at once, every role has actions
// of its own (decoupled statistics) and a joint action, found in a hash table by the code of the chosen
// actions, holds the child.
//
// Sizes in bytes: node 16 + 24 per role (64 for two roles: one cache line), its packed state 8 per word,
// 4 per legal move of a role that chooses, 24 per action. Actions exist for tried moves only: they live
// in blocks of 2, 4, 8 .. that grow with them, since most nodes of a tree are young. Untried moves come
// in random order, each draw being swapped to the end of the tried prefix of the move list. A joint
// action takes 24 and 6 to 12 in the table. Connect four, for example: 64 + 24 + 28 + 48 = 164 for a
// fresh node. Terminal children take nothing: their goals are interned once and the child reference
// names them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "search/arena.hpp"
#include "search/joint.hpp"

namespace ggp {

// A child reference: kNone, a node, or a terminal outcome with the top bit set.
constexpr Index kTerminalBit = 0x80000000u;
constexpr bool is_terminal(Index child) { return child != kNone && (child & kTerminalBit) != 0; }
constexpr bool is_node(Index child) { return (child & kTerminalBit) == 0; }

// Values of Node::mover beside the roles.
constexpr std::uint16_t kSimultaneous = 0xFFFF;

struct Action {
  double reward;             // sum over the observed visits
  std::uint32_t visits;      // observed
  Index child;               // in nodes with a mover
  std::uint32_t move;
  std::uint16_t unobserved;  // visits of simulations under way
  std::uint16_t reserved;
};
static_assert(sizeof(Action) == 24);

struct Choice {
  double reward;         // of this role, summed over the observed visits of the node
  std::uint32_t moves;   // the only legal move itself, or the place of the move list
  std::uint32_t count;   // legal moves, at least 1
  Index actions;         // kNone while none was tried
  std::uint32_t tried;   // actions in use
};
static_assert(sizeof(Choice) == 24);

struct Node {
  std::uint32_t visits;      // observed
  std::uint16_t unobserved;
  std::uint16_t mover;       // the role whose actions hold the children, or kSimultaneous
  Index state;               // place of the packed state, or kNone
  Index joints;              // latest joint action, or kNone

  Choice* choices() { return reinterpret_cast<Choice*>(this + 1); }
  const Choice* choices() const { return reinterpret_cast<const Choice*>(this + 1); }
};
static_assert(sizeof(Node) == 16);

// The legal moves of all roles in one state: those of role r are moves[begin[r]] .. moves[begin[r + 1] - 1].
struct LegalMoves {
  std::vector<int> moves;
  std::vector<std::size_t> begin;
  std::size_t count(int role) const { return begin[role + 1] - begin[role]; }
};

// The code of a joint action for the joint table: places[r] is the action of role r.
std::uint64_t joint_code(const Node& node, const std::uint32_t* places, int roles);

class Tree {
 public:
  // `widest` is the largest number of moves of any role.
  Tree(int roles, int state_words, int widest, std::size_t memory_bytes);

  int roles() const { return roles_; }
  int state_words() const { return state_words_; }

  Node& node(Index index) { return *reinterpret_cast<Node*>(nodes_.at(index)); }
  const Node& node(Index index) const { return *reinterpret_cast<const Node*>(nodes_.at(index)); }
  Action* actions(const Choice& choice) { return actions_.at(choice.actions); }
  const Action* actions(const Choice& choice) const { return actions_.at(choice.actions); }
  JointAction& joint(Index index) { return joints_.at(index); }
  std::uint64_t* state(const Node& node) { return reinterpret_cast<std::uint64_t*>(states_.at(node.state)); }

  // The root: a node, or a terminal outcome.
  Index root() const { return root_; }
  void set_root(Index root) { root_ = root; }

  // Tells whether a node with these moves may still be made.
  bool room_for(const LegalMoves& legal) const;
  // Makes a node without visits and with room for its state, whatever the memory in use. Every role has
  // at least one move. Throws std::bad_alloc, leaving the tree as it was but for unused memory.
  Index add_node(const LegalMoves& legal);
  // Moves one untried move into the actions of the role and returns its place there, or -1 where memory
  // for it is refused. `random` picks the move. The root is never refused.
  int add_action(Index node, int role, std::uint64_t random);
  // The same for the move that stands at untried_moves()[which].
  int add_untried(Index node, int role, std::uint32_t which);
  // Returns the joint action of these actions (place per role) in a simultaneous node, made if it is new;
  // kNone where memory for it is refused. The root is never refused.
  Index joint_action(Index node, const std::uint32_t* places);
  // The number of a move that was never tried, for places tried .. count - 1.
  std::uint32_t untried(const Choice& choice, std::uint32_t place) const {
    return choice.count == 1 ? choice.moves : *moves_.at(choice.moves + place);
  }

  // The moves that were never tried, count - tried of them, where the role has more than one.
  const std::uint32_t* untried_moves(const Choice& choice) const { return moves_.at(choice.moves) + choice.tried; }

  // Returns the reference of a terminal outcome with these goals (one per role, -1 where undefined).
  Index terminal(const int* goals);
  const int* goals(Index terminal) const { return &outcomes_[std::size_t{terminal & ~kTerminalBit} * roles_]; }

  // Returns the child after a joint move given by the moves of all roles, kNone where there is none.
  Index child(Index node, const int* moves) const;
  // Returns a tree of the same limits that holds the subtree of a node alone, in breadth-first order.
  // No simulation may be under way.
  Tree extract(Index node) const;

  std::size_t nodes() const { return nodes_.size(); }
  std::size_t bytes() const {
    return nodes_.bytes() + states_.bytes() + moves_.bytes() + actions_.bytes() + joints_.bytes();
  }
  // 64 bits over structure, moves, visits and rewards from the root down, in the order of trial.
  std::uint64_t hash() const;

 private:
  bool block_is_full(const Choice& choice) const;
  Index take_block(std::uint32_t items);
  Index copy_node(const Tree& from, const Node& source);

  int roles_;
  int state_words_;
  int widest_;
  std::size_t memory_bytes_;
  Index root_ = kNone;
  Arena nodes_;
  Arena states_;
  TypedArena<std::uint32_t> moves_;
  TypedArena<Action> actions_;
  JointTable joints_;
  // Heads of the lists of given-up blocks of 2^i actions, linked through Action::child.
  std::array<Index, 32> free_blocks_;
  // Goals of the terminal outcomes, roles() each, and their references by hash.
  std::vector<int> outcomes_;
  std::unordered_multimap<std::uint64_t, Index> outcome_by_hash_;
};

}  // namespace ggp

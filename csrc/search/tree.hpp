// The search tree of one match: which joint moves were tried from which states, and what they brought.
// The choices of its nodes are in tree_choices.cpp, nodes that several edges share in tree_sharing.cpp.
//
// A node stands for a non-terminal state. Where at most one role has several legal moves (turn-taking), the
// node has one `Choice`, that of this role, the mover, and a `Bystander` for each other role; the actions
// of the choice, one for each move that was tried, hold the children. Where several roles choose at once,
// every role has a choice with actions of its own (decoupled statistics) and a joint action, found in a
// hash table by the code of the chosen actions, holds the child.
//
// Sizes in bytes: a node with a mover 40 + 8 for each further role and 8 per word of its state, so 64 for two roles and
// two words (fewer where there are many words, see packed_bits.hpp); a simultaneous one 20 + 20 per role and its state.
// An action takes 16, or 4 as a single-visit action (actions.hpp), and 1 or 2 that tell its move: the place in the list
// of untried moves from which it was taken, and once all moves were tried, its number. Actions exist for tried moves
// only: their block grows with them (1, 2, 3, 4, 6, 8, 10 .. 16, 20 .. 32, 40 ..) and ends, while some were not tried,
// with the set of legal moves (untried_moves.hpp): a word where a role has 64 moves at most, else without its zero
// bytes. A joint action takes 16 to 32. Connect four, for example: 64 + 16 = 80 for a fresh node, 184 once all moves
// were tried, and about 130 on average after a hundred thousand simulations. Terminal children take nothing: their
// goals are interned once and the child reference names them. So are the moves of those who have no choice.
//
// Where transpositions are on, the tree is a directed acyclic graph: edges to the same state share one node
// (transpositions.hpp, whose table takes 9 to 18 bytes a node more). Every node counts the edges that lead to it,
// and is discarded with the last of them. The count and the ply stand where nodes have room, so they take nothing.
//
// With statistics of all moves as first (amaf.hpp) a node takes 8 bytes more, and those that have a table another
// 8 for each move of each role; all tables together take half of the memory at most.
//
// With evaluations (heuristic.hpp) every action takes 4 bytes more for each role, and another 4.
//
// Every role of a node and every action has proven bounds on the goal (solver.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/actions.hpp"
#include "search/archive.hpp"
#include "search/heap.hpp"
#include "search/interned.hpp"
#include "search/joint.hpp"
#include "search/marks.hpp"
#include "search/packed_bits.hpp"
#include "search/transpositions.hpp"
#include "search/untried_moves.hpp"

namespace ggp {

// A child reference: kNone, a node, or a terminal outcome with the top bit set.
constexpr Index kTerminalBit = 0x80000000u;
constexpr bool is_terminal(Index child) { return child != kNone && (child & kTerminalBit) != 0; }
constexpr bool is_node(Index child) { return (child & kTerminalBit) == 0; }

// Nodes are shared by so many edges at most, and only before this ply.
constexpr std::uint16_t kMostParents = 0xFFFF;
constexpr std::uint32_t kMostPly = 0xFFFF;

// Values of Node::mover beside the roles.
constexpr std::uint16_t kSimultaneous = 0xFFFF;

// Values of Node::winner beside role + 1.
constexpr std::uint8_t kNoWinner = 0, kSeveralWinners = 127;

struct Choice {
  float mean;                // reward of this role over the observed visits of the node
  std::uint32_t count;       // legal moves, at least 1
  std::uint32_t tried : 31;  // actions in use
  bool full : 1;             // whether these are full actions, not single-visit actions
  Index actions;             // kNone in a simultaneous node where count is 1
  Bounds bounds;             // of this role's goal
  std::uint16_t spare;       // see Node::parents() and Node::ply()

  // Whether every move was tried.
  bool is_complete() const { return tried == count; }
};
static_assert(sizeof(Choice) == 20);

// A role that is not the mover.
struct Bystander {
  float mean;
  Bounds bounds;
  std::uint16_t reserved;
};
static_assert(sizeof(Bystander) == 8);

// All moves as first, of one move: the simulations with it and the sum of their rewards.
struct AmafSum {
  float reward;
  std::uint32_t count;
};
static_assert(sizeof(AmafSum) == Heap::kUnit);

struct Node {
  std::uint32_t visits;      // observed
  std::uint16_t unobserved;
  std::uint16_t mover;       // the role whose actions hold the children, or kSimultaneous
  Index turn;                // the moves of those who have no choice
  union {
    Index joints;            // simultaneous: the table of joint actions, or kNone
    std::uint32_t own_ply;   // with a mover
  };
  std::uint16_t plies;       // to the end by best play, as far as it is proven
  bool narrowed : 1;         // bounds of the mover or of actions tell something
  // role + 1 of a role that wins at once by a move and has this move alone here, though others are legal
  std::uint8_t winner : 7;
  std::uint8_t round;        // of the recycler's hand, at the latest visit

  Choice* choices() { return reinterpret_cast<Choice*>(this + 1); }
  const Choice* choices() const { return reinterpret_cast<const Choice*>(this + 1); }
  Bystander* bystanders() { return reinterpret_cast<Bystander*>(choices() + 1); }
  const Bystander* bystanders() const { return reinterpret_cast<const Bystander*>(choices() + 1); }

  bool chooses(int role) const {
    return mover == kSimultaneous ? choices()[role].count > 1 : role == mover;
  }
  Choice& choice(int role) { return choices()[mover == kSimultaneous ? role : 0]; }
  const Choice& choice(int role) const { return choices()[mover == kSimultaneous ? role : 0]; }
  Bystander& bystander(int role) { return bystanders()[role - (role > mover)]; }
  const Bystander& bystander(int role) const { return bystanders()[role - (role > mover)]; }

  // The edges that lead here, at most kMostParents; the root counts one from outside.
  std::uint16_t& parents() { return choices()[0].spare; }
  std::uint16_t parents() const { return choices()[0].spare; }
  // Plies since the start of the match, at most kMostPly.
  std::uint32_t ply() const { return mover == kSimultaneous ? choices()[1].spare : own_ply; }
  void set_ply(std::uint32_t ply) {
    if (mover == kSimultaneous) {
      choices()[1].spare = static_cast<std::uint16_t>(ply);
    } else {
      own_ply = ply;
    }
  }

  // Whether legal moves of roles other than this one are missing here.
  bool hides_moves_from(int role) const { return winner != kNoWinner && winner != role + 1; }

  bool has_choice(int role) const { return mover == kSimultaneous || role == mover; }
  float mean(int role) const { return has_choice(role) ? choice(role).mean : bystander(role).mean; }
  Bounds& bounds(int role) { return has_choice(role) ? choice(role).bounds : bystander(role).bounds; }
  const Bounds& bounds(int role) const { return has_choice(role) ? choice(role).bounds : bystander(role).bounds; }
};
static_assert(sizeof(Node) == 20);

// Whether proofs leave nothing to find behind an action of a choice (solver.hpp).
inline bool is_closed(const Node& node, const Choice& choice, const Action& action) {
  const Bounds all = choice.bounds, one = action.bounds;
  if (node.mover == kSimultaneous) return one.optimistic <= all.pessimistic && one.pessimistic < all.pessimistic;
  if (all.settled()) return one.pessimistic != all.pessimistic;
  return one.settled() || one.optimistic <= all.pessimistic;
}

// The legal moves of all roles in one state: those of role r are moves[begin[r]] .. moves[begin[r + 1] - 1].
struct LegalMoves {
  std::vector<int> moves;
  std::vector<std::size_t> begin;
  std::uint8_t winner = kNoWinner;  // see Node::winner
  std::size_t count(int role) const { return begin[role + 1] - begin[role]; }
};

// The code of a joint action for the joint table: places[r] is the action of role r.
std::uint64_t joint_code(const Node& node, const std::uint32_t* places, int roles);

class Tree {
 public:
  // `widest` is the largest number of moves of any role; `shares` turns transpositions on. With `amaf_moves`, the
  // moves of all roles together, nodes can have tables of all moves as first. With `evaluates` actions have values().
  Tree(int roles, int state_words, int widest, std::size_t memory_bytes, bool shares = false,
       std::size_t amaf_moves = 0, bool evaluates = false);

  int roles() const { return roles_; }
  int state_words() const { return states_.words(); }
  // Whether edges may share nodes.
  bool shares() const { return shares_; }
  // The part of the nodes whose state, so many plies away, another node has too, in a tree without shared nodes. Looks
  // at every node, and needs 9 to 18 bytes a node while it does.
  double repeated();
  // Lets edges share nodes from now on. Of nodes of one state that with the most visits stays; the others go with what
  // is below them alone. No simulation may be under way.
  void share();

  Node& node(Index index) { return *reinterpret_cast<Node*>(heap_.at(index)); }
  const Node& node(Index index) const { return *reinterpret_cast<const Node*>(heap_.at(index)); }
  // The actions of a choice that has a block of them.
  Actions actions(const Choice& choice) const { return {heap_.at(choice.actions), choice.full}; }
  // The actions of a role, which become full actions if they are not; null where memory for them is refused. The root
  // is never refused.
  Action* make_full(Index index, int role) {
    Choice& choice = node(index).choice(role);
    if (!choice.full && !move_actions(choice, choice.tried, true, index == root_)) return nullptr;
    return actions(choice).all();
  }
  // Whether actions have values, and how many each has.
  bool evaluates() const { return values_ > 0; }
  std::uint32_t values_of_action() const { return values_; }
  // The values of the actions of a choice, one action after the other: NaN at first, else as in heuristic.hpp.
  float* values(const Choice& choice) const;
  // The state of a node: until the tree changes, or in `room` for state_words(); or a copy.
  const std::uint64_t* state(Index index, std::uint64_t* room) const { return states_.unpack(packed(index), room); }
  std::vector<std::uint64_t> state(Index index) const;
  // The move of a role that has no choice.
  int only_move(const Node& node, int role) const { return turns_.at(node.turn)[role]; }
  // The move of an action.
  std::uint32_t move(const Choice& choice, std::uint32_t place) const {
    if (choice.is_complete()) return moves(choice)[place];
    const TakenPlaces taken = this->taken(choice);
    return legal_.nth(legal_set(choice), taken.rank_at(taken[place], place));
  }
  // The place of the action of a move, choice.tried where there is none.
  std::uint32_t place_of(const Choice& choice, std::uint32_t move) const;
  // All legal moves, as long as `room` keeps them: the count - tried that were never tried, then those of the actions,
  // the last first.
  const std::uint32_t* list_moves(const Choice& choice, std::vector<std::uint32_t>& room) const;
  // The table of a simultaneous node, null where nothing was tried.
  JointTable* joints(const Node& node) const {
    return node.joints == kNone ? nullptr : reinterpret_cast<JointTable*>(heap_.at(node.joints));
  }

  // The root: a node, or a terminal outcome.
  Index root() const { return root_; }
  // Makes a node that no edge leads to, or a terminal outcome, the root, in constant time. The old root and what only
  // it leads to is discarded: free_discarded() frees it. No simulation may be under way.
  void set_root(Index root);
  // Makes the child after a joint move the root, likewise.
  void advance_root(const int* moves);

  // Makes a node without visits for a state, for one edge to lead to; kNone where memory for
  // it is refused. Every role has at least one move. A root to be is never refused. Throws std::bad_alloc,
  // leaving the tree as it was but for unused memory.
  Index add_node(const LegalMoves& legal, const std::uint64_t* state, bool as_root = false);
  // The same with the state, one ply behind a node; known() finds it from then on. That state has no node yet.
  Index add_child(const Node& from, const LegalMoves& legal, const std::uint64_t* state);
  // Returns the node for a state one ply behind a node, kNone where there is none that may be shared.
  Index known(const Node& from, const std::uint64_t* state) const;
  // Lets one more edge lead to a node; false where it has too many.
  bool add_parent(Index node);
  // Moves one untried move into the actions of the role and returns its place there, or -1 where memory
  // for it is refused. `random` picks the move. The root is never refused.
  int add_action(Index node, int role, std::uint64_t random);
  // The same for the move that stands at place `which` of the untried ones.
  int add_untried(Index node, int role, std::uint32_t which);
  // Returns the joint action of these actions (place per role) in a simultaneous node, made if it is new,
  // until another one is made there; null where memory for it is refused. The root is never refused.
  JointAction* joint_action(Index node, const std::uint32_t* places);
  JointAction* find_joint(const Node& node, const std::uint32_t* places) const;
  // The table of a node by role and move, null where it has none. Those of one role come after those of the
  // roles before it.
  AmafSum* amaf(Index node) const {
    const Index table = amaf_moves_ > 0 ? amaf_slot(node) : kNone;
    return table == kNone ? nullptr : reinterpret_cast<AmafSum*>(heap_.at(table));
  }
  // Makes the empty table of a node that has none; null where memory for it is refused. `needed` is never refused.
  AmafSum* add_amaf(Index node, bool needed);
  // Removes one edge to a node, which the caller changes. With its last edge the node is freed, and so is what only
  // this node leads to. No simulation may be under way there.
  void discard(Index node);
  // Frees up to so many of the nodes that were discarded with an earlier root.
  void free_discarded(std::size_t nodes);
  // Whether there are any. They count in nodes() and bytes().
  bool has_discarded() const { return discarded_ != kNone; }

  // Returns the reference of a terminal outcome with these goals (one per role, -1 where undefined).
  Index terminal(const int* goals) { return outcomes_.add(goals) | kTerminalBit; }
  const int* goals(Index terminal) const { return outcomes_.at(terminal & ~kTerminalBit); }

  // Returns the child after a joint move given by the moves of all roles, kNone where there is none.
  Index child(Index node, const int* moves) const;
  // Takes over to the root, which has no visits, what a node of the same state knows that lists a winning move alone.
  void take_over_win(const Tree& from, Index won);

  // Calls visit(child) with the reference to each child of a node, which it may change.
  template <class Visit>
  void for_each_child(const Node& node, Visit visit) const;
  // Calls visit(index) for the root and all nodes below it, each once, parents before children.
  template <class Visit>
  void for_each_node(Visit visit) const;

  // All nodes with their statistics; indices stay the same. The tree that reads was made with the same arguments.
  void archive(Archive& archive);

  // The round of the recycler's hand, which visits leave in the nodes.
  std::uint8_t round() const { return round_; }
  void next_round() { ++round_; }

  // Whether the goals of two roles sum to 100 in all ends of games that were met (solver.hpp).
  bool constant_sum() const { return constant_sum_; }
  void set_constant_sum(bool constant) { constant_sum_ = constant; }

  std::size_t nodes() const { return nodes_; }
  std::size_t bytes() const { return heap_.bytes() + table_.bytes(); }
  // Bytes that may still be used, though perhaps not for everything.
  std::size_t room() const { return heap_.room(); }
  // How often memory was refused.
  std::uint64_t refusals() const { return heap_.refusals() + table_refusals_; }
  // The number of units in which blocks are numbered, for Marks.
  std::size_t units() const { return heap_.extent() / Heap::kUnit; }
  // 64 bits over structure, moves, visits, rewards and bounds from the root down, in the order of trial.
  std::uint64_t hash() const { return hash(root_); }
  // The same from another child reference down.
  std::uint64_t hash(Index from) const;

 private:
  std::size_t head_bytes(bool simultaneous) const;
  // What is behind the head: the name of the table of all moves as first, if there are such tables, and the packed
  // state.
  std::byte* behind_head(Index index) const {
    return heap_.at(index) + head_bytes(node(index).mover == kSimultaneous);
  }
  Index& amaf_slot(Index node) const { return *reinterpret_cast<Index*>(behind_head(node)); }
  std::size_t slot_bytes() const { return amaf_moves_ > 0 ? Heap::kUnit : 0; }
  std::uint8_t* packed(Index index) const {
    return reinterpret_cast<std::uint8_t*>(behind_head(index) + slot_bytes());
  }
  std::size_t node_units(Index index) const;
  std::size_t moves_from(const Choice& choice) const;
  std::size_t set_from(const Choice& choice) const;
  std::size_t action_units(const Choice& choice) const;
  ShortNumbers moves(const Choice& choice) const;
  TakenPlaces taken(const Choice& choice) const;
  std::uint8_t* legal_set(const Choice& choice) const;
  bool move_actions(Choice& choice, std::uint32_t tried, bool full, bool beyond);
  bool fill_choice(Choice& choice, const int* moves, std::size_t count, bool beyond);
  void give_back(Index node);
  std::uint32_t tag(const std::uint64_t* state, std::uint32_t ply) const {
    return Transpositions::tag(state, state_words(), ply);
  }
  Index find(std::uint32_t tag, const std::uint64_t* state, std::uint32_t ply) const;
  bool make_room_in_table(bool beyond);
  std::size_t enter_all();
  Index* edge(Index node, const int* moves) const;
  void remove_edge(Index node);
  void free_next();
  Marks shared_below(Index from) const;

  int roles_;
  PackedBits states_;
  int widest_;
  PackedBits legal_;  // sets of legal moves of one role
  std::size_t memory_bytes_;
  std::size_t amaf_moves_;       // units of a table
  std::size_t amaf_tables_ = 0;
  std::uint32_t values_;    // of an action
  Index root_ = kNone;
  Index discarded_ = kNone;  // the first of the nodes without edges that are to be freed
  std::size_t nodes_ = 0;
  std::uint8_t round_ = 0;
  bool constant_sum_ = true;
  bool shares_;
  Heap heap_;
  Transpositions table_;  // where edges share nodes: all before kMostPly but the root
  std::uint64_t table_refusals_ = 0;
  Interned outcomes_;  // goals of terminal outcomes
  Interned turns_;     // moves of those who have no choice, -1 for the others
  std::vector<int> turn_;
  std::vector<std::uint64_t> room_;  // of a state
  std::vector<std::uint64_t> set_;   // of legal moves
  std::vector<std::uint32_t> list_;  // of them
};

template <class Visit>
void Tree::for_each_child(const Node& node, Visit visit) const {
  if (node.mover != kSimultaneous) {
    const Choice& choice = node.choices()[0];
    if (!choice.full) return;
    Action* actions = this->actions(choice).all();
    for (std::uint32_t i = 0; i < choice.tried; ++i) visit(actions[i].child);
  } else if (JointTable* table = joints(node)) {
    for (std::uint32_t i = 0; i < table->capacity; ++i) {
      if (table->entries()[i].child != kVacant) visit(table->entries()[i].child);
    }
  }
}

template <class Visit>
void Tree::for_each_node(Visit visit) const {
  if (!is_node(root_)) return;
  Marks met;
  if (shares_) met.clear(units());
  std::vector<Index> found{root_};
  for (std::size_t next = 0; next < found.size(); ++next) {
    visit(found[next]);
    for_each_child(node(found[next]), [&](Index child) {
      if (is_node(child) && (node(child).parents() == 1 || met.is_first(child))) found.push_back(child);
    });
  }
}

}  // namespace ggp

// The search tree of one match: the tried joint moves of each state, with their statistics. The choices of its nodes
// are in tree_choices.cpp, nodes that several edges share in tree_sharing.cpp.
//
// A node stands for a non-terminal state. If at most one role has several legal moves (turn-taking), this role is the
// mover. The node has a `Choice` for the mover and a `Bystander` for each other role. The choice has an action for each
// tried move, and the actions contain the children. If several roles choose at once, every role has a choice with its
// own actions (decoupled statistics), and joint actions, found by the code of their actions, contain the children.
//
// Sizes in bytes:
//     node with a mover    40, 8 for each further role, 8 per word of the state (less with many words: packed_bits.hpp)
//     simultaneous node    20, 20 per role, and the state
//     action               16, or 4 as a single-visit action (actions.hpp)
//     move of an action    1 or 2: its index in the list of untried moves; once all moves were tried, its number
//     joint action         16 to 32
//     terminal child       0: its goals are interned, and the child reference identifies them
// The block of the actions of a choice grows with the tried moves: 1, 2, 3, 4, 6, 8, 10 .. 16, 20 .. 32, 40 .. While a
// move is untried, the block ends with the set of legal moves (untried_moves.hpp): one word if a role has at most 64
// moves, else the bytes that are not 0; no set if the simulator computes legal moves again. Connect four, for example:
// 64 + 16 = 80 for a new node, 184 once all moves were tried, and about 130 on average after 100,000 simulations.
//
// With transpositions the tree is a directed acyclic graph: edges to the same state share one node. Their table takes 9
// to 18 more bytes per node (transpositions.hpp). A node counts its incoming edges and is discarded with the last edge.
// The count and the ply use spare fields of nodes.
//
// Tables of nodes take further bytes:
//     all moves as first (amaf.hpp)        8 for each move of each role; at most half of the memory for all tables
//     priors (move_knowledge.hpp)          8, and 8 for each legal move of the mover
//     probabilities (puct.hpp)             16, and 4 for each legal move
//     evaluations (heuristic.hpp)          4, and 4 for each role, for each legal move of the mover
// References to these tables take 8 bytes of each node, 16 with evaluations.
//
// Every role of a node and every action has proven bounds on the goal (solver.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interfaces/legality.hpp"
#include "search/tree/actions.hpp"
#include "search/tree/archive.hpp"
#include "search/tree/heap.hpp"
#include "search/tree/interned.hpp"
#include "search/tree/joint.hpp"
#include "search/tree/packed_bits.hpp"
#include "search/tree/transpositions.hpp"
#include "search/tree/untried_moves.hpp"

namespace ggp {

// A child reference: kNone, a node, or a terminal outcome with the top bit set.
constexpr Index kTerminalBit = 0x80000000u;
constexpr bool is_terminal(Index child) { return child != kNone && (child & kTerminalBit) != 0; }
constexpr bool is_node(Index child) { return (child & kTerminalBit) == 0; }

// Limits of sharing: the edges to one node, and the ply.
constexpr std::uint16_t kMostParents = 0xFFFF;
constexpr std::uint32_t kMostPly = 0xFFFF;

// Special value of Node::mover.
constexpr std::uint16_t kSimultaneous = 0xFFFF;

// Special values of Node::winner, which is else role + 1.
constexpr std::uint8_t kNoWinner = 0, kSeveralWinners = 127;

struct Choice {
  float mean;                // reward of this role over the observed visits of the node
  std::uint32_t count;       // number of legal moves, at least 1
  std::uint32_t tried : 31;  // number of tried moves
  bool full : 1;             // whether the actions are full actions, not single-visit actions
  Index actions;             // kNone in a simultaneous node if count is 1
  Bounds bounds;             // bounds of this role's goal
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

// All moves as first, for one move: the number of simulations with it and the sum of their rewards.
struct AmafSum {
  float reward;
  std::uint32_t count;
};
static_assert(sizeof(AmafSum) == Heap::kUnit);

// The prior knowledge of a move, which counts as `visits` visits with that mean (move_knowledge.hpp).
struct Prior {
  float value;
  std::uint32_t visits;
};
static_assert(sizeof(Prior) == Heap::kUnit);

// The head of the table that PUCT needs in a node (puct.hpp). The probabilities of the legal moves follow, in the
// order of Tree::list_moves().
struct Probabilities {
  float value;              // of the state, for the mover
  float explored;           // the sum of the probabilities of the tried moves
  std::uint32_t count;      // number of legal moves
  std::uint32_t likeliest;  // index of the most probable untried move, the first of equals

  float* of_moves() { return reinterpret_cast<float*>(this + 1); }
  const float* of_moves() const { return reinterpret_cast<const float*>(this + 1); }
  // The probability of an action of a choice with `tried` actions.
  float of_action(std::uint32_t place) const { return of_moves()[count - 1 - place]; }
  // Finds the most probable of the first `untried` moves.
  void find_likeliest(std::uint32_t untried);
};
static_assert(sizeof(Probabilities) == 2 * Heap::kUnit);

// The tables of nodes with knowledge about their moves.
enum class MoveTables { kNone, kPriors, kProbabilities };

struct Node {
  std::uint32_t visits;      // observed
  std::uint16_t unobserved;
  std::uint16_t mover;       // the role whose actions contain the children, or kSimultaneous
  Index turn;                // the moves of roles without a choice
  union {
    Index joints;            // simultaneous: the table of joint actions, or kNone
    struct {
      std::uint16_t own_ply;  // ply of a node with a mover
      std::uint16_t latest;   // the action of the latest descent, modulo 2^16; often also of the next descent
    };
  };
  std::uint16_t plies;       // plies to the end by best play, as far as proven
  bool narrowed : 1;         // some bounds of the mover or of actions are proven
  // role + 1 of a role that wins at once: the winning move is its only listed move, even if other moves are legal
  std::uint8_t winner : 7;
  std::uint8_t round;        // round of the recycler's hand at the latest visit

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

  // The number of incoming edges, at most kMostParents; the root counts an external edge.
  std::uint16_t& parents() { return choices()[0].spare; }
  std::uint16_t parents() const { return choices()[0].spare; }
  // Plies since the start of the match, at most kMostPly.
  std::uint32_t ply() const { return mover == kSimultaneous ? choices()[1].spare : own_ply; }
  void set_ply(std::uint32_t ply) {
    if (mover == kSimultaneous) {
      choices()[1].spare = static_cast<std::uint16_t>(ply);
    } else {
      own_ply = static_cast<std::uint16_t>(ply);
    }
  }

  // Whether the node does not list all legal moves of the roles other than this role.
  bool hides_moves_from(int role) const { return winner != kNoWinner && winner != role + 1; }

  bool has_choice(int role) const { return mover == kSimultaneous || role == mover; }
  float mean(int role) const { return has_choice(role) ? choice(role).mean : bystander(role).mean; }
  Bounds& bounds(int role) { return has_choice(role) ? choice(role).bounds : bystander(role).bounds; }
  const Bounds& bounds(int role) const { return has_choice(role) ? choice(role).bounds : bystander(role).bounds; }
};
static_assert(sizeof(Node) == 20);

// Whether an action of a choice is closed by proofs (solver.hpp).
inline bool is_closed(const Node& node, const Choice& choice, const Action& action) {
  const Bounds all = choice.bounds, one = action.bounds;
  if (node.mover == kSimultaneous) return one.optimistic <= all.pessimistic && one.pessimistic < all.pessimistic;
  if (all.settled()) return one.pessimistic != all.pessimistic;
  return one.settled() || one.optimistic <= all.pessimistic;
}

// The legal moves of all roles in one state: role r has moves[begin[r]] .. moves[begin[r + 1] - 1].
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
  // number of moves of all roles together, nodes can have tables of all moves as first. With `evaluates` nodes can
  // have tables of values(), and with `tables` tables of priors or of probabilities. With `legality`, which must
  // outlive the tree, sets of legal moves are not stored if states are stored unchanged.
  Tree(int roles, int state_words, int widest, std::size_t memory_bytes, bool shares = false,
       std::size_t amaf_moves = 0, bool evaluates = false, MoveTables tables = MoveTables::kNone,
       const StoredLegality* legality = nullptr);

  int roles() const { return roles_; }
  int state_words() const { return states_.words(); }
  // Whether edges may share nodes.
  bool shares() const { return shares_; }
  // The part of the nodes with the same state and ply as another node, in a tree without shared nodes. Visits every
  // node, and needs 9 to 18 bytes per node temporarily.
  double repeated();
  // Shares nodes from now on. The node with the most visits of each state stays. The other nodes are removed, with the
  // nodes that only they lead to. No simulation may be in flight.
  void share();

  Node& node(Index index) { return *reinterpret_cast<Node*>(heap_.at(index)); }
  const Node& node(Index index) const { return *reinterpret_cast<const Node*>(heap_.at(index)); }
  // The actions of a choice that has a block of actions.
  Actions actions(const Choice& choice) const { return {heap_.at(choice.actions), choice.full}; }
  // The actions of a role, converted to full actions if necessary; null if memory for them is refused. Memory for the
  // root is never refused.
  Action* make_full(Index index, int role) {
    Choice& choice = node(index).choice(role);
    if (!choice.full && !move_actions(choice, choice.tried, true, index == root_)) return nullptr;
    return actions(choice).all();
  }
  // Whether nodes can have tables of values, and the number of values of each move.
  bool evaluates() const { return values_ > 0; }
  std::uint32_t values_of_move() const { return values_; }
  // The table of a node, null if it has none: the values of all legal moves of the mover in the order of list_moves(), as
  // in heuristic.hpp.
  float* values(Index node) const {
    const Index table = values_ > 0 ? values_slot(node) : kNone;
    return table == kNone ? nullptr : reinterpret_cast<float*>(heap_.at(table));
  }
  // Creates the table of a new node with a mover from the evaluations of the states after its legal moves, ascending, by
  // role. Returns false if memory for the table is refused; memory for the root is never refused.
  bool add_values(Index node, const float* evaluations, bool as_root = false);
  // The state of a node: in the tree, valid until the tree changes, or in `room` (state_words() words).
  const std::uint64_t* state(Index index, std::uint64_t* room) const { return states_.unpack(packed(index), room); }
  std::vector<std::uint64_t> state(Index index) const;
  // The move of a role without a choice.
  int only_move(const Node& node, int role) const { return turns_.at(node.turn)[role]; }
  // The move of an action.
  std::uint32_t move(const Choice& choice, std::uint32_t place) const {
    if (choice.is_complete()) return moves(choice)[place];
    const TakenPlaces taken = this->taken(choice);
    const std::uint32_t rank = taken.rank_at(taken[place], place);
    if (has_set(choice)) return legal_.nth(legal_set(choice), rank);
    return static_cast<std::uint32_t>(legality_->nth_legal_in(state_beside(choice), rank));
  }
  // The index of the action of a move, choice.tried without such an action.
  std::uint32_t place_of(const Choice& choice, std::uint32_t move) const;
  // All legal moves, valid until `room` changes: the count - tried untried moves, then the moves of the actions, the
  // last action first.
  const std::uint32_t* list_moves(const Choice& choice, std::vector<std::uint32_t>& room) const;
  // The table of a simultaneous node, null if nothing was tried.
  JointTable* joints(const Node& node) const {
    return node.joints == kNone ? nullptr : reinterpret_cast<JointTable*>(heap_.at(node.joints));
  }

  // The root: a node, or a terminal outcome.
  Index root() const { return root_; }
  // Sets the root, in constant time, to a node without incoming edges or to a terminal outcome. Discards the old root
  // and the nodes that only it leads to; free_discarded() frees them. No simulation may be in flight.
  void set_root(Index root);
  // set_root() with the child after a joint move.
  void advance_root(const int* moves);

  // Creates a node without visits for a state, for one incoming edge; kNone if memory for it is refused. Every role has
  // at least one move. Memory for a new root is never refused. Throws std::bad_alloc; then the tree is unchanged except
  // for unused memory.
  Index add_node(const LegalMoves& legal, const std::uint64_t* state, bool as_root = false);
  // add_node() for a state one ply after a node, with its tag_behind(). From then on known() finds the new node. The
  // state must not have a node yet.
  Index add_child(const Node& from, const LegalMoves& legal, const std::uint64_t* state, std::uint32_t tag);
  // Returns the node of a state one ply after a node; kNone if no node of this state may be shared. `tag` is the result
  // of tag_behind().
  Index known(const Node& from, const std::uint64_t* state, std::uint32_t tag) const;
  // add_child() without a computed tag.
  Index add_child(const Node& from, const LegalMoves& legal, const std::uint64_t* state) {
    return add_child(from, legal, state, tag_behind(from, state));
  }
  Index known(const Node& from, const std::uint64_t* state) const {
    return known(from, state, tag_behind(from, state));
  }
  // The tag of a state one ply after a node, which known() looks up.
  std::uint32_t tag_behind(const Node& from, const std::uint64_t* state) const { return tag(state, from.ply() + 1); }
  // Prefetch the data of known(): first the table, later the node.
  void expect_slot(std::uint32_t tag) const { table_.expect(tag); }
  void expect_known(std::uint32_t tag) const {
    if (const Index node = table_.first(tag); node != kNone) expect(node);
  }
  // Prefetches a node.
  void expect(Index node) const {
    const std::byte* const block = heap_.at(node);
    __builtin_prefetch(block);
    __builtin_prefetch(block + kCacheLine);
  }
  // Adds an incoming edge to a node; returns false if the node has kMostParents edges.
  bool add_parent(Index node);
  // Moves one untried move into the actions of the role and returns its index there, or -1 if memory for it is refused.
  // `random` selects the move. Memory for the root is never refused.
  int add_action(Index node, int role, std::uint64_t random);
  // add_action() for the move at index `which` of the untried moves.
  int add_untried(Index node, int role, std::uint32_t which);
  // Returns the joint action of these actions (index per role) in a simultaneous node; creates it if necessary. Valid
  // until the node gets another joint action; null if memory is refused. Memory for the root is never refused.
  JointAction* joint_action(Index node, const std::uint32_t* places);
  JointAction* find_joint(const Node& node, const std::uint32_t* places) const;
  // The table of a node by role and move, null if it has none. The moves of a role follow the moves of the roles before
  // it.
  AmafSum* amaf(Index node) const {
    const Index table = amaf_moves_ > 0 ? amaf_slot(node) : kNone;
    return table == kNone ? nullptr : reinterpret_cast<AmafSum*>(heap_.at(table));
  }
  // Creates the empty table of a node without a table; null if memory is refused. With `needed` memory is not refused.
  AmafSum* add_amaf(Index node, bool needed);
  // Whether selection may prefer tried moves to untried ones, so that a move may be taken again at once.
  bool compares_untried() const { return amaf_moves_ > 0 || tables_ != MoveTables::kNone; }
  // The table of a node, null if it has none. The first entry contains the sum of the visits; the others are the moves
  // of the mover in the order of list_moves().
  const Prior* priors(Index node) const { return prior_table(node); }
  // Creates the table of a new node with a mover from the priors of its legal moves, ascending. Returns false if memory
  // for it is refused; memory for the root is never refused.
  bool add_priors(Index node, const float* values, const std::uint32_t* visits, bool as_root = false);
  // The table of PUCT of a node, null if it has none.
  const Probabilities* probabilities(Index node) const { return probability_table(node); }
  // Creates this table, as add_priors(): from the value of the state for the mover and the probabilities of its moves.
  bool add_probabilities(Index node, float value, const float* of_moves, bool as_root = false);
  // Mixes numbers, in the order of the table, into the probabilities of a node with such a table.
  void mix_probabilities(Index node, const float* others, float weight);
  // Removes one edge to a node; the caller changes the reference. A node without edges is freed, with the nodes that
  // only it leads to. No simulation may be in flight in these nodes.
  void discard(Index node);
  // Frees up to `nodes` of the nodes that were discarded with an earlier root.
  void free_discarded(std::size_t nodes);
  // Whether discarded nodes exist. nodes() and bytes() include them.
  bool has_discarded() const { return discarded_ != kNone; }

  // Returns the reference of a terminal outcome with these goals (one per role, -1 if undefined).
  Index terminal(const int* goals) { return outcomes_.add(goals) | kTerminalBit; }
  const int* goals(Index terminal) const { return outcomes_.at(terminal & ~kTerminalBit); }

  // Returns the child after a joint move given by the moves of all roles, kNone without such a child.
  Index child(Index node, const int* moves) const;
  // Copies to the root, which has no visits, the statistics of a node of the same state that lists only a winning move.
  void take_over_win(const Tree& from, Index won);

  // Calls visit(child) with the reference to each child of a node. visit() may change the reference.
  template <class Visit>
  void for_each_child(const Node& node, Visit visit) const;
  // Calls visit(index) for the root and all nodes below it, each once, parents before children.
  template <class Visit>
  void for_each_node(Visit visit) const;

  // Saves or loads all nodes with their statistics; indices stay the same. The loading tree has the constructor
  // arguments of the saved tree.
  void archive(Archive& archive);

  // The round of the recycler's hand, which visits store in the nodes.
  std::uint8_t round() const { return round_; }
  void next_round() { ++round_; }

  // Whether the goals of two roles add up to 100 in all ends of games so far (solver.hpp).
  bool constant_sum() const { return constant_sum_; }
  void set_constant_sum(bool constant) { constant_sum_ = constant; }

  std::size_t nodes() const { return nodes_; }
  std::size_t bytes() const { return heap_.bytes() + table_.bytes(); }
  // Bytes that may still be used, though perhaps only for small blocks.
  std::size_t room() const { return heap_.room(); }
  // The number of refused allocations.
  std::uint64_t refusals() const { return heap_.refusals() + table_refusals_; }
  // The number of units in which blocks are numbered, for Marks.
  std::size_t units() const { return heap_.extent() / Heap::kUnit; }
  // 64 bits over structure, moves, visits, rewards and bounds from the root down, in the order of trial.
  std::uint64_t hash() const { return hash(root_); }
  // hash() from another child reference down.
  std::uint64_t hash(Index from) const;

 private:
  static constexpr std::size_t kCacheLine = 64;

  std::size_t head_bytes(bool simultaneous) const;
  // The data after the head: the references to the tables of all moves as first, of priors or probabilities, and of
  // values, as far as the tree has such tables; then the packed state.
  std::byte* behind_head(Index index) const {
    return heap_.at(index) + head_bytes(node(index).mover == kSimultaneous);
  }
  Index& amaf_slot(Index node) const { return reinterpret_cast<Index*>(behind_head(node))[0]; }
  Index& moves_slot(Index node) const { return reinterpret_cast<Index*>(behind_head(node))[1]; }
  Index& values_slot(Index node) const { return reinterpret_cast<Index*>(behind_head(node))[2]; }
  std::size_t values_units(Index index) const {
    return Heap::units_for(std::size_t{node(index).choices()[0].count} * values_ * sizeof(float));
  }
  std::size_t moves_table_units(std::size_t count) const {
    return tables_ == MoveTables::kPriors ? 1 + count : Heap::units_for(sizeof(Probabilities) + count * sizeof(float));
  }
  Prior* prior_table(Index node) const {
    const Index table = tables_ == MoveTables::kPriors ? moves_slot(node) : kNone;
    return table == kNone ? nullptr : reinterpret_cast<Prior*>(heap_.at(table));
  }
  Probabilities* probability_table(Index node) const {
    const Index table = tables_ == MoveTables::kProbabilities ? moves_slot(node) : kNone;
    return table == kNone ? nullptr : reinterpret_cast<Probabilities*>(heap_.at(table));
  }
  std::uint8_t* packed(Index index) const {
    return reinterpret_cast<std::uint8_t*>(behind_head(index) + slot_bytes_);
  }
  std::size_t node_units(Index index) const;
  std::size_t moves_from(const Choice& choice) const;
  std::size_t set_from(const Choice& choice) const;
  std::size_t action_units(const Choice& choice) const;
  ShortNumbers moves(const Choice& choice) const;
  TakenPlaces taken(const Choice& choice) const;
  // Whether the set of legal moves of an incomplete choice is stored. A choice without a set has all legal moves of the
  // state.
  bool has_set(const Choice& choice) const { return legality_ == nullptr || choice.count == 1; }
  std::size_t set_bytes(const Choice& choice) const;
  std::uint8_t* legal_set(const Choice& choice) const;
  // The state, stored unchanged, of the node with a mover that contains a choice.
  const std::uint64_t* state_beside(const Choice& choice) const {
    const auto* node = reinterpret_cast<const std::byte*>(&choice) - sizeof(Node);
    return reinterpret_cast<const std::uint64_t*>(node + head_bytes(false) + slot_bytes_);
  }
  void reorder_tables(Index node, std::uint32_t which, std::uint32_t last);
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
  const StoredLegality* legality_;  // null if all sets are stored
  std::size_t memory_bytes_;
  std::size_t amaf_moves_;       // size of a table in units
  std::size_t amaf_tables_ = 0;
  std::uint32_t values_;    // number of values of a move
  MoveTables tables_;
  std::size_t slot_bytes_;  // bytes of the references to tables of a node
  Index root_ = kNone;
  Index discarded_ = kNone;  // the first of the nodes without incoming edges that are to be freed
  std::size_t nodes_ = 0;
  std::uint8_t round_ = 0;
  bool constant_sum_ = true;
  bool shares_;
  Heap heap_;
  Transpositions table_;  // if edges share nodes: all nodes before kMostPly except the root
  std::uint64_t table_refusals_ = 0;
  Interned outcomes_;  // goals of terminal outcomes
  Interned turns_;     // moves of roles without a choice, -1 for the others
  std::vector<int> turn_;
  std::vector<std::uint64_t> room_;  // scratch: a state
  std::vector<std::uint64_t> set_;   // scratch: a set of legal moves
  std::vector<std::uint32_t> list_;  // scratch: a list of legal moves
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

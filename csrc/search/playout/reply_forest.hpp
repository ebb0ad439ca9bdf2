// A forest of reply trees: the mean outcome of a move as the reply to the previous moves, for contexts of any length.
//
// Background History Reply Forest, BHRF (Fabbri, Armetta, Duchene and Hassas, "Knowledge complement for Monte Carlo
// Tree Search: an application to combinatorial games", Algorithms 1 to 3 and Eq. 1).
//
//   r        a reply, that is, a move of a role
//   c        a context: the k >= 1 plies before the reply, the latest first
//   n_{r|c}  number of times r followed c in the tree part of a simulation, since c became a context of r
//   x_{r|c}  mean outcome of these simulations for the role that moves r: 1 won, 0.5 undefined, 0 lost
//
// Algorithm 2, learn(): the plies of the simulation are compared with the contexts of a reply by growing length. All
// known contexts are updated, and the first unknown one is added: contexts grow by one ply per update. Algorithm 1,
// which takes the moves of a simulation from the last to the first, is in reply_playout.cpp.
//
// Eq. 1: with C the legal replies to c, and N the sum of their n,
//     u(r|c) = x_{r|c} + b sqrt(ln N / n_{r|c})        P(r|c) = u(r|c) / sum of u(i|c) over i in C
//
// Storage. The paper has one tree for each reply, whose paths backwards are the contexts. Here all replies of a role
// share one trie, and each node lists the replies that have this context. The data is equal, but a play-out follows one
// path instead of one path for each legal move. Contexts grow by single plies, so a reply with a context has all
// shorter contexts, and lists become shorter with depth. Edges are in a hash table, found by the key of the ply and the
// number of the node (two plies count as equal with a probability of 2^-64). The three tables double as they fill, up
// to a limit. From then on nothing is added until make_room() drops rare replies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "search/tree/archive.hpp"

namespace ggp {

class ReplyForest {
 public:
  struct Reply {
    std::uint32_t number;       // number of the reply
    std::uint32_t visits;       // n
    float mean;                 // x
    float inverse_root;         // 1 / sqrt(n)
  };
  // A row of replies.
  struct Replies {
    const Reply* first;
    std::uint32_t count;

    const Reply* begin() const { return first; }
    const Reply* end() const { return first + count; }
  };
  using Context = std::uint32_t;  // a node of the trie
  static constexpr Context kNone = ~std::uint32_t{0};

  // Uses at most `bytes` bytes (but at least some thousands); a context has at most `longest` plies.
  ReplyForest(std::size_t bytes, std::uint32_t longest, int roles);

  int roles() const { return static_cast<int>(roles_); }
  // The empty context, without replies: the root of the contexts of a role.
  static Context empty(int role) { return static_cast<Context>(role); }

  void clear();
  void archive(Archive& archive) { archive(mask_, shift_, slots_, lists_, replies_, free_, full_); }
  // Learns moves of simulations one after the other; the keys of plies describe the simulations. All moves go back one
  // ply in their contexts before any move goes back a second ply, so that memory accesses overlap. The result does not
  // depend on this order, because the update of one length depends only on shorter lengths.
  struct Made {
    std::size_t first, end;  // range of the plies before the move in its simulation: plies[first] .. plies[end - 1]
    std::uint32_t role, reply;
    float outcome;
  };
  void learn(const std::uint64_t* plies, const Made* moves, std::size_t count);

  // The context with one more, earlier ply; kNone if there is none.
  Context longer(Context context, std::uint64_t ply) const {
    const Slot& slot = slots_[find(context, ply)];
    return slot.child == kFree ? kNone : slot.child;
  }
  // Prefetch the data of later calls.
  void expect_longer(Context context, std::uint64_t ply) const { __builtin_prefetch(&slots_[home(context, ply)]); }
  void expect_list(Context context) const { __builtin_prefetch(&lists_[context]); }
  void expect_replies(Context context) const { __builtin_prefetch(replies_.data() + lists_[context].first); }
  Replies replies(Context context) const {
    const List& list = lists_[context];
    return {replies_.data() + list.first, list.count};
  }

  // Whether a reply or context could not be added for lack of memory.
  bool is_full() const { return full_; }
  // If the forest is full, drops the replies with the fewest visits until half of the forest is free. Other replies
  // keep their data. During the call the forest has two copies.
  void make_room();

  std::size_t contexts() const { return lists_.size() - roles_; }
  // The limit of contexts: a power of two, at least 1 for every 256 bytes of memory.
  std::size_t most_contexts() const { return most_lists_; }
  std::size_t bytes() const {
    return slots_.size() * sizeof(Slot) + lists_.capacity() * sizeof(List) + replies_.capacity() * sizeof(Reply);
  }

 private:
  // An edge of a trie; free if the child is a root.
  static constexpr Context kFree = 0;
  struct Slot {
    std::uint64_t ply;
    Context parent, child;
  };
  // A list with space for 2^size replies.
  struct List {
    std::uint32_t first;
    std::uint16_t count;
    std::uint16_t size;
  };
  static constexpr int kSizes = 16;
  static constexpr std::uint32_t kNoRoom = ~std::uint32_t{0};

  // A move and its current context, which grows.
  struct Walker {
    const Made* move;
    Context context;
  };

  // The keys of plies are uniformly distributed already.
  std::size_t home(Context parent, std::uint64_t ply) const {
    return (ply + parent * 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull >> shift_;
  }
  std::size_t find(Context parent, std::uint64_t ply) const {
    std::size_t place = home(parent, ply);
    // One condition, because usually the first slot is free or contains the edge, and which of both is unpredictable.
    for (;; place = (place + 1) & mask_) {
      const Slot& slot = slots_[place];
      if ((slot.child == kFree) | ((slot.ply == ply) & (slot.parent == parent))) return place;
    }
  }
  bool is_there(const Made& made, std::size_t length) const { return made.end - made.first >= length && length <= longest_; }
  bool update(Context context, const Made& made);
  Context add_context(Context parent, std::uint64_t ply);
  bool add_reply(Context context, const Reply& reply);
  std::uint32_t room_for(int size);
  void set_slots(std::size_t count);
  void widen();
  void keep(const ReplyForest& from, std::uint32_t least);

  const std::uint32_t longest_, roles_;
  std::size_t most_slots_, most_lists_, most_replies_;
  std::size_t mask_;
  int shift_;                    // 64 - log2(number of slots)
  std::vector<Slot> slots_;      // a power of two; at most a quarter is used, or half at the limit of memory
  std::vector<List> lists_;      // by context
  std::vector<Reply> replies_;
  std::uint32_t free_[kSizes];   // first free place for lists of a size; each free place contains the next one
  std::vector<Walker> walkers_;  // scratch
  bool full_ = false;
};

}  // namespace ggp

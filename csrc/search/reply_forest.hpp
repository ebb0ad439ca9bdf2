// A forest of reply trees: how well a move did as the reply to the moves right before it, for contexts of any length.
//
// Background History Reply Forest, BHRF (Fabbri, Armetta, Duchene and Hassas, "Knowledge complement for Monte Carlo Tree
// Search: an application to combinatorial games", Algorithms 1 to 3 and Eq. 1).
//
//   r        a reply: a move of a role
//   c        a context: the k >= 1 plies before the reply, the latest first
//   n_{r|c}  how often r came after c in the tree part of a simulation, since c became a context of r
//   x_{r|c}  the mean over those simulations of the outcome for the role that moves r: 1 won, 0.5 undefined, 0 lost
//
// Algorithm 2, learn(): the simulation is held against the contexts of a reply by growing length; all that are known are
// updated, and the first that is not becomes one: contexts grow by one ply an update. Algorithm 1, which takes the moves
// of a simulation from the last to the first, is in reply_playout.cpp.
//
// Eq. 1: with C the replies to c that are legal, and N the sum of their n,
//     u(r|c) = x_{r|c} + b sqrt(ln N / n_{r|c})        P(r|c) = u(r|c) / sum of u(i|c) over i in C
//
// Storage. The paper has a tree for each reply, its paths backwards from there being contexts. Here there is one such
// trie for all replies of a role, and each node lists the replies that have it for a context: the same knowledge, but a play-out
// goes down one path rather than one for every legal move. As contexts grow by single plies, who has a context has all
// shorter ones, so lists become shorter on the way down. Edges are in a hash table, found by the key of the ply and the
// number of the node (two plies are taken for one with a probability of 2^-64). The three tables double as they fill, up
// to a bound; from there on nothing is added, until make_room() drops what came seldom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random.hpp"
#include "search/archive.hpp"

namespace ggp {

class ReplyForest {
 public:
  struct Reply {
    std::uint32_t number;       // of the reply
    std::uint32_t visits;       // n
    float mean;                 // x
    float inverse_root;         // 1 / sqrt(n)
  };
  // Some replies next to each other.
  struct Replies {
    const Reply* first;
    std::uint32_t count;

    const Reply* begin() const { return first; }
    const Reply* end() const { return first + count; }
  };
  using Context = std::uint32_t;  // a node
  static constexpr Context kNone = ~std::uint32_t{0};

  // Takes so many bytes at most, or some thousands where that is less; a context has `longest` plies at most.
  ReplyForest(std::size_t bytes, std::uint32_t longest, int roles);

  int roles() const { return static_cast<int>(roles_); }
  // The context of no ply, without replies: the root of those of a role.
  static Context empty(int role) { return static_cast<Context>(role); }

  void clear();
  void archive(Archive& archive) { archive(mask_, shift_, slots_, lists_, replies_, free_, full_); }
  // Learns moves of simulations one after the other, with the plies of these told by their keys. All go one ply back in
  // their contexts before any goes a second: that changes nothing, for what is learned at one length depends on shorter
  // ones alone, but what they wait for from memory comes at the same time.
  struct Made {
    std::size_t first, end;  // the plies before the move, in its simulation: plies[first] .. plies[end - 1]
    std::uint32_t role, reply;
    float outcome;
  };
  void learn(const std::uint64_t* plies, const Made* moves, std::size_t count);

  // The context that has one ply more, further back; kNone where there is none.
  Context longer(Context context, std::uint64_t ply) const {
    const Slot& slot = slots_[find(context, ply)];
    return slot.child == kFree ? kNone : slot.child;
  }
  // For who is about to ask for these.
  void expect_longer(Context context, std::uint64_t ply) const { __builtin_prefetch(&slots_[home(context, ply)]); }
  void expect_list(Context context) const { __builtin_prefetch(&lists_[context]); }
  void expect_replies(Context context) const { __builtin_prefetch(replies_.data() + lists_[context].first); }
  Replies replies(Context context) const {
    const List& list = lists_[context];
    return {replies_.data() + list.first, list.count};
  }

  // Whether something could not be added for lack of memory.
  bool is_full() const { return full_; }
  // Where it is full, forgets the replies with the fewest visits until half of it is free; others keep what they have.
  // For that moment there are two of it.
  void make_room();

  std::size_t contexts() const { return lists_.size() - roles_; }
  std::size_t bytes() const {
    return slots_.size() * sizeof(Slot) + lists_.capacity() * sizeof(List) + replies_.capacity() * sizeof(Reply);
  }

 private:
  // An edge of a trie; free where the child is a root.
  static constexpr Context kFree = 0;
  struct Slot {
    std::uint64_t ply;
    Context parent, child;
  };
  // Room for 2^size replies.
  struct List {
    std::uint32_t first;
    std::uint16_t count;
    std::uint16_t size;
  };
  static constexpr int kSizes = 16;
  static constexpr std::uint32_t kNoRoom = ~std::uint32_t{0};

  // A move on its way to longer contexts.
  struct Walker {
    const Made* move;
    Context context;
  };

  // The keys of plies are evenly spread already.
  std::size_t home(Context parent, std::uint64_t ply) const {
    return (ply + parent * 0x9E3779B97F4A7C15ull) * 0xBF58476D1CE4E5B9ull >> shift_;
  }
  std::size_t find(Context parent, std::uint64_t ply) const {
    std::size_t place = home(parent, ply);
    // One condition, for nobody foresees whether the first place is free or the edge itself; but that it is either.
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
  int shift_;                    // 64 less the binary logarithm of the number of slots
  std::vector<Slot> slots_;      // a power of two; a quarter of them taken, or up to half where there may be no more
  std::vector<List> lists_;      // by context
  std::vector<Reply> replies_;
  std::uint32_t free_[kSizes];   // first of the free places for lists of a size, each of which names the next
  std::vector<Walker> walkers_;  // scratch
  bool full_ = false;
};

}  // namespace ggp

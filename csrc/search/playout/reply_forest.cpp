#include "search/playout/reply_forest.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ggp {

namespace {

constexpr std::size_t kFewestTreeSlots = std::size_t{1} << 10;
// Limit of replies to one context.
constexpr std::uint32_t kMostOfOneContext = 1u << 15;

// 1 / sqrt(n)
constexpr std::uint32_t kKnownInverseRoots = 1024;
const std::array<float, kKnownInverseRoots> kInverseRoots = [] {
  std::array<float, kKnownInverseRoots> made{};
  for (std::uint32_t n = 1; n < kKnownInverseRoots; ++n) made[n] = 1 / std::sqrt(static_cast<float>(n));
  return made;
}();
float inverse_root_of(std::uint32_t n) {
  return n < kKnownInverseRoots ? kInverseRoots[n] : 1 / std::sqrt(static_cast<float>(n));
}

}  // namespace

// A quarter of the bytes is for edges, a sixteenth for the lists of contexts, a quarter for replies. The rest is for
// the old table while a table grows.
ReplyForest::ReplyForest(std::size_t bytes, std::uint32_t longest, int roles)
    : longest_(longest), roles_(static_cast<std::uint32_t>(roles)), most_slots_(kFewestTreeSlots) {
  while (2 * most_slots_ * sizeof(Slot) <= bytes / 4) most_slots_ *= 2;
  most_lists_ = most_slots_ / 2;
  most_replies_ = std::min<std::size_t>(std::max(most_slots_, bytes / 4 / sizeof(Reply)), kNoRoom);
  clear();
}

void ReplyForest::clear() {
  slots_.assign(kFewestTreeSlots, Slot{});
  set_slots(kFewestTreeSlots);
  lists_.assign(roles_, List{});
  replies_.clear();
  std::fill(free_, free_ + kSizes, kNoRoom);
  full_ = false;
}

void ReplyForest::set_slots(std::size_t count) {
  mask_ = count - 1;
  shift_ = 64 - __builtin_ctzll(count);
}

void ReplyForest::learn(const std::uint64_t* plies, const Made* moves, std::size_t count) {
  walkers_.resize(count);
  std::size_t all = 0;
  const auto go_back = [&](const Made* move, Context context, std::size_t length) {
    if (!is_there(*move, length)) return;
    expect_longer(context, plies[move->end - length]);
    walkers_[all].move = move;
    walkers_[all++].context = context;
  };
  for (std::size_t i = 0; i < count; ++i) go_back(moves + i, moves[i].role, 1);
  for (std::size_t length = 1; all > 0; ++length) {
    std::size_t left = 0;
    for (std::size_t i = 0; i < all; ++i) {
      const Made* const move = walkers_[i].move;
      const std::uint64_t ply = plies[move->end - length];
      Context context = longer(walkers_[i].context, ply);
      if (context == kNone) context = add_context(walkers_[i].context, ply);
      if (context == kNone) continue;
      expect_list(context);
      walkers_[left].move = move;
      walkers_[left++].context = context;
    }
    for (std::size_t i = 0; i < left; ++i) expect_replies(walkers_[i].context);
    all = 0;
    for (std::size_t i = 0; i < left; ++i)
      if (update(walkers_[i].context, *walkers_[i].move)) go_back(walkers_[i].move, walkers_[i].context, length + 1);
  }
}

// Updates the reply in the context, or adds the context to the reply; returns whether the reply had the context before.
bool ReplyForest::update(Context context, const Made& made) {
  const List& list = lists_[context];
  Reply* const replies = replies_.data() + list.first;
  std::uint32_t place = list.count;  // the loop does not stop at the reply: the end is predictable, the index is not
  for (std::uint32_t i = 0; i < list.count; ++i) place = replies[i].number == made.reply ? i : place;
  if (place == list.count) {
    add_reply(context, {made.reply, 1, made.outcome, 1});
    return false;
  }
  Reply* const found = replies + place;
  ++found->visits;
  found->mean += (made.outcome - found->mean) / static_cast<float>(found->visits);
  found->inverse_root = inverse_root_of(found->visits);
  return true;
}

ReplyForest::Context ReplyForest::add_context(Context parent, std::uint64_t ply) {
  if (lists_.size() > most_lists_ || replies_.size() >= most_replies_) {
    full_ = true;
    return kNone;
  }
  if (2 * lists_.size() > slots_.size() || (4 * lists_.size() > slots_.size() && slots_.size() < most_slots_)) widen();
  Slot& slot = slots_[find(parent, ply)];
  slot = {ply, parent, static_cast<Context>(lists_.size())};
  lists_.push_back({});
  return slot.child;
}

void ReplyForest::widen() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  set_slots(slots_.size());
  for (const Slot& slot : old)
    if (slot.child != kFree) slots_[find(slot.parent, slot.ply)] = slot;
}

// Allocates space for 2^size replies; kNoRoom if there is none.
std::uint32_t ReplyForest::room_for(int size) {
  if (free_[size] != kNoRoom) {
    const std::uint32_t place = free_[size];
    free_[size] = replies_[place].number;
    return place;
  }
  const std::size_t place = replies_.size(), end = place + (std::size_t{1} << size);
  if (end > most_replies_) {
    full_ = true;
    return kNoRoom;
  }
  if (end > replies_.capacity()) replies_.reserve(std::min(most_replies_, std::max(end, 2 * replies_.capacity())));
  replies_.resize(end);
  return static_cast<std::uint32_t>(place);
}

bool ReplyForest::add_reply(Context context, const Reply& reply) {
  List& list = lists_[context];
  if (list.count == kMostOfOneContext) return false;
  if (list.count == 0 || list.count == 1u << list.size) {
    const int size = list.count == 0 ? 0 : list.size + 1;
    const std::uint32_t place = room_for(size);
    if (place == kNoRoom) return false;
    if (list.count > 0) {
      std::copy_n(replies_.begin() + list.first, list.count, replies_.begin() + place);
      replies_[list.first].number = free_[list.size];
      free_[list.size] = list.first;
    }
    list.first = place;
    list.size = static_cast<std::uint16_t>(size);
  }
  replies_[list.first + list.count++] = reply;
  return true;
}

void ReplyForest::make_room() {
  if (!full_) return;
  for (std::uint32_t least = 2; full_ || lists_.size() > most_lists_ / 2 || replies_.size() > most_replies_ / 2;
       least *= 2) {
    ReplyForest kept(0, longest_, roles());
    kept.most_slots_ = most_slots_;
    kept.most_lists_ = most_lists_;
    kept.most_replies_ = most_replies_;
    kept.keep(*this, least);
    set_slots(kept.slots_.size());
    slots_.swap(kept.slots_);
    lists_.swap(kept.lists_);
    replies_.swap(kept.replies_);
    std::copy_n(kept.free_, kSizes, free_);
    full_ = false;
  }
}

// Copies the replies with at least `least` visits. A reply has no more visits in a longer context, so a kept context
// has all its shorter contexts; parents have lower numbers than their children.
void ReplyForest::keep(const ReplyForest& from, std::uint32_t least) {
  std::vector<const Slot*> edges(from.lists_.size(), nullptr);
  for (const Slot& slot : from.slots_)
    if (slot.child != kFree) edges[slot.child] = &slot;
  std::vector<Context> here(from.lists_.size(), kNone);
  for (Context role = 0; role < roles_; ++role) here[role] = role;
  for (Context context = roles_; context < from.lists_.size(); ++context) {
    const Context parent = here[edges[context]->parent];
    if (parent == kNone) continue;
    for (const Reply& reply : from.replies(context)) {
      if (reply.visits < least) continue;
      if (here[context] == kNone) here[context] = add_context(parent, edges[context]->ply);
      if (here[context] == kNone) return;
      add_reply(here[context], reply);
    }
  }
}

}  // namespace ggp

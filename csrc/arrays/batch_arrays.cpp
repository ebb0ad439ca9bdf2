#include "arrays/batch_arrays.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/lane_mask.hpp"

namespace ggp {
namespace {

bool has(const std::uint64_t* mask, int lane) { return mask[lane >> 6] >> (lane & 63) & 1; }

// Writes the first bits of a mask as bytes, eight together: a byte of the mask is copied into each byte of a word. Each
// of these bytes keeps one of its bits, which is moved to the lowest place.
void spread(const std::uint64_t* mask, int count, std::uint8_t* out) {
  constexpr std::uint64_t kLowest = 0x0101010101010101, kOneEach = 0x8040201008040201;
  int lane = 0;
  for (; lane + 8 <= count; lane += 8) {
    const std::uint64_t kept = (mask[lane >> 6] >> (lane & 63) & 0xFF) * kLowest & kOneEach;
    const std::uint64_t bytes = (kept + 0x7F * kLowest) >> 7 & kLowest;
    std::memcpy(out + lane, &bytes, sizeof bytes);
  }
  for (; lane < count; ++lane) out[lane] = has(mask, lane);
}

}  // namespace

BatchArrays::BatchArrays(BatchParts parts, int threads, int chance) : chance_(chance), workers_(threads) {
  words_ = parts[0]->words();
  first_role_ = chance == 0 && parts[0]->roles() > 1 ? 1 : 0;
  for (auto& states : parts) {
    Part part;
    part.first = lanes_;
    lanes_ += states->count();
    for (auto* mask : {&part.used, &part.playing, &part.held, &part.fresh, &part.row}) mask->assign(words_, 0);
    for (int lane = 0; lane < states->count(); ++lane) part.used[lane >> 6] |= std::uint64_t{1} << (lane & 63);
    part.of_mover.assign(std::size_t(states->roles()) * words_, 0);
    part.sources.assign(64 * words_, nullptr);
    part.targets.assign(64 * words_, nullptr);
    part.states = std::move(states);
    parts_.push_back(std::move(part));
  }
  each([this](Part& part) { begin_turn(part); });
}

void BatchArrays::read_mask(const Part& part, const std::uint8_t* bytes, std::vector<std::uint64_t>& mask) const {
  std::fill(mask.begin(), mask.end(), 0);
  if (bytes == nullptr) return;
  bytes += part.first;
  for (int lane = 0; lane < part.states->count(); ++lane)
    mask[lane >> 6] |= std::uint64_t{bytes[lane] != 0} << (lane & 63);
}

void BatchArrays::begin_turn(Part& part) {
  part.states->begin_turn();
  part.knows_movers = false;
}

void BatchArrays::find_movers(Part& part) const {
  if (part.knows_movers) return;
  part.knows_movers = true;
  part.row = part.used;  // lanes whose mover is not known yet
  for (int role = 0; role < roles(); ++role) {
    std::uint64_t* own = &part.of_mover[std::size_t(role) * words_];
    std::fill(own, own + words_, 0);
    if (role == chance_) continue;
    const std::uint64_t* several = part.states->several(role);
    for (int w = 0; w < words_; ++w) {
      own[w] = several[w] & part.row[w];
      part.row[w] &= ~own[w];
    }
  }
  for (int w = 0; w < words_; ++w) part.of_mover[std::size_t(first_role_) * words_ + w] |= part.row[w];
}

void BatchArrays::seed(const std::uint64_t* seeds) {
  each([&](Part& part) {
    for (int lane = 0; lane < part.states->count(); ++lane) part.states->seed(lane, seeds[part.first + lane]);
  });
}

void BatchArrays::streams(std::uint64_t* out) const {
  for (const Part& part : parts_)
    for (int lane = 0; lane < part.states->count(); ++lane) out[part.first + lane] = part.states->stream(lane);
}

void BatchArrays::load(const std::uint8_t* mask, const std::uint64_t* states) {
  each([&](Part& part) {
    if (mask == nullptr) {
      part.fresh = part.used;
    } else {
      read_mask(part, mask, part.fresh);
    }
    for (int lane = 0; lane < part.states->count(); ++lane)
      part.sources[lane] = states == nullptr ? part.states->initial()
                                             : states + std::size_t(part.first + lane) * state_words();
    part.states->load(part.fresh.data(), part.sources.data());
    begin_turn(part);
  });
}

void BatchArrays::store(std::uint64_t* states) {
  each([&](Part& part) {
    for (int lane = 0; lane < part.states->count(); ++lane)
      part.targets[lane] = states + std::size_t(part.first + lane) * state_words();
    part.states->store(part.used.data(), part.targets.data());
  });
}

WrongMove BatchArrays::at_once(const Part& part) const {
  for (int role = 0; role < roles(); ++role) {
    if (role == chance_) continue;
    const std::uint64_t* several = part.states->several(role);
    const std::uint64_t* own = &part.of_mover[std::size_t(role) * words_];
    for (int w = 0; w < words_; ++w)
      if (const std::uint64_t beside = several[w] & ~own[w] & part.playing[w]; beside != 0)
        return {part.first + 64 * w + __builtin_ctzll(beside), role, 0, true};
  }
  return {};
}

WrongMove BatchArrays::give(Part& part, const std::int32_t* moves, bool of_movers, bool may_draw) const {
  if (of_movers) {
    find_movers(part);
    if (const WrongMove found = at_once(part); found.lane >= 0) return found;
  }
  WrongMove wrong;
  for (int role = 0; role < roles(); ++role) {
    const std::int32_t* given = moves + part.first + (of_movers ? 0 : std::size_t(role) * lanes_);
    const std::uint64_t* own = &part.of_mover[std::size_t(role) * words_];
    for (int w = 0; w < words_; ++w) part.row[w] = part.playing[w] & (of_movers ? own[w] : ~std::uint64_t{0});
    const int lane = part.states->give(role, part.row.data(), given, may_draw);
    if (lane >= 0 && (wrong.lane < 0 || part.first + lane < wrong.lane))
      wrong = {part.first + lane, role, given[lane], false};
  }
  return wrong;
}

WrongMove BatchArrays::step(const std::int32_t* moves, bool of_movers, bool may_draw, const std::uint8_t* held,
                           const std::uint8_t* fresh) {
  each([&](Part& part) {
    read_mask(part, held, part.held);
    read_mask(part, fresh, part.fresh);
    const std::uint64_t* terminal = part.states->terminal();
    for (int w = 0; w < words_; ++w)
      part.playing[w] = part.used[w] & ~terminal[w] & ~part.held[w] & ~part.fresh[w];
    part.wrong = give(part, moves, of_movers, may_draw);
  });
  for (const Part& part : parts_) {
    if (part.wrong.lane < 0) continue;
    each([&](Part& each) { each.states->take_back(); });
    return part.wrong;
  }
  each([&](Part& part) {
    for (int w = 0; w < words_; ++w) part.held[w] = part.used[w] & ~part.playing[w] & ~part.fresh[w];
    part.states->play(part.playing.data(), part.held.data());
    if (any_lane(part.fresh)) {
      std::fill(part.sources.begin(), part.sources.end(), part.states->initial());
      part.states->load(part.fresh.data(), part.sources.data());
    }
    begin_turn(part);
  });
  return {};
}

void BatchArrays::sample(std::int32_t* moves, bool of_movers) {
  std::fill(moves, moves + std::size_t(of_movers ? 1 : roles()) * lanes_, kDraw);
  each([&](Part& part) {
    if (of_movers) find_movers(part);
    const std::uint64_t* terminal = part.states->terminal();
    part.states->draw();
    for (int role = 0; role < roles(); ++role) {
      const std::uint64_t* from = of_movers ? &part.of_mover[std::size_t(role) * words_] : part.used.data();
      for (int w = 0; w < words_; ++w) part.row[w] = from[w] & ~terminal[w];
      part.states->drawn(role, part.row.data(), moves + part.first + (of_movers ? 0 : std::size_t(role) * lanes_));
    }
    part.states->take_back();
  });
}

void BatchArrays::fluent_bytes(std::uint8_t* out) {
  each([&](Part& part) { part.states->fluent_bytes(out + part.first, lanes_); });
}

void BatchArrays::legal_bytes(int role, std::uint8_t* out) {
  each([&](Part& part) { part.states->legal_bytes(role, out + part.first, lanes_); });
}

void BatchArrays::movers_legal_bytes(std::uint8_t* out) {
  each([&](Part& part) {
    find_movers(part);
    part.states->movers_legal_bytes(part.of_mover.data(), out + part.first, lanes_);
  });
}

void BatchArrays::terminal(std::uint8_t* out) {
  each([&](Part& part) {
    spread(part.states->terminal(), part.states->count(), out + part.first);
  });
}

void BatchArrays::mover(std::int8_t* out) {
  each([&](Part& part) {
    find_movers(part);
    const std::uint64_t* terminal = part.states->terminal();
    for (int role = -1; role < roles(); ++role)
      for (int w = 0; w < words_; ++w) {
        const std::uint64_t lanes = role < 0 ? terminal[w] & part.used[w]
                                             : part.of_mover[std::size_t(role) * words_ + w] & ~terminal[w];
        for_each_lane(w, lanes, [&](int lane) { out[part.first + lane] = static_cast<std::int8_t>(role); });
      }
  });
}

std::int64_t BatchArrays::choosers(int lane) {
  const Part& part = parts_[lane / (64 * words_)];
  const int own = lane - part.first;
  if (has(part.states->terminal(), own)) return -1;
  std::int64_t found = 0;
  for (int role = 0; role < roles(); ++role)
    if (role != chance_ && has(part.states->several(role), own)) found |= std::int64_t{1} << std::min(role, 62);
  return found;
}

void BatchArrays::choice_bytes(int role, std::uint8_t* out) {
  each([&](Part& part) {
    spread(part.states->several(role), part.states->count(), out + part.first);
  });
}

void BatchArrays::goals(std::int8_t* out) {
  std::fill(out, out + std::size_t(roles()) * lanes_, std::int8_t{-1});
  each([&](Part& part) {
    for (int w = 0; w < words_; ++w) part.row[w] = part.states->terminal()[w] & part.used[w];
    if (any_lane(part.row)) part.states->goals(part.row.data(), out + part.first, lanes_);
  });
}

void BatchArrays::legal_words(int role, std::uint64_t* out) {
  each([&](Part& part) {
    part.states->legal_words(role, out + std::size_t(part.first) / 64, std::size_t(parts()) * words_);
  });
}

void BatchArrays::record_percepts() {
  each([](Part& part) { part.states->record_percepts(); });
}

void BatchArrays::percept_bytes(int role, std::uint8_t* out) {
  each([&](Part& part) { part.states->percept_bytes(role, out + part.first, lanes_); });
}

}  // namespace ggp

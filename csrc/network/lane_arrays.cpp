#include "network/lane_arrays.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ggp {
namespace {

bool has(const std::uint64_t* mask, int lane) { return mask[lane >> 6] >> (lane & 63) & 1; }

// Calls action(lane) for the lanes of a mask, ascending.
template <class Action>
void for_each_lane(const std::uint64_t* mask, int words, Action action) {
  for (int w = 0; w < words; ++w)
    for (std::uint64_t left = mask[w]; left != 0; left &= left - 1) action(64 * w + __builtin_ctzll(left));
}

bool any(const std::vector<std::uint64_t>& mask) {
  return std::any_of(mask.begin(), mask.end(), [](std::uint64_t word) { return word != 0; });
}

}  // namespace

LaneArrays::LaneArrays(std::shared_ptr<const LaneProgram> program, const LaneKernel& kernel, int lanes, int threads,
                       int chance)
    : program_(std::move(program)),
      kernel_(kernel),
      lanes_(lanes),
      words_(kernel.words),
      chance_(chance),
      first_role_(chance == 0 && program_->legal.size() > 1 ? 1 : 0),
      workers_(threads) {
  const int width = 64 * words_;
  for (int first = 0; first < lanes; first += width) {
    Part part;
    part.simulator = std::make_unique<NetworkSimulator>(program_, kernel);
    part.first = first;
    part.count = std::min(width, lanes - first);
    for (auto* mask : {&part.used, &part.playing, &part.held, &part.fresh, &part.row})
      mask->assign(words_, 0);
    for (int lane = 0; lane < part.count; ++lane) part.used[lane >> 6] |= std::uint64_t{1} << (lane & 63);
    part.mover.assign(width, 0);
    part.sources.assign(width, nullptr);
    part.targets.assign(width, nullptr);
    parts_.push_back(std::move(part));
  }
  each([this](Part& part) { begin_turn(part); });
}

void LaneArrays::read_mask(const Part& part, const std::uint8_t* bytes, std::vector<std::uint64_t>& mask) const {
  std::fill(mask.begin(), mask.end(), 0);
  if (bytes == nullptr) return;
  bytes += part.first;
  for (int lane = 0; lane < part.count; ++lane)
    mask[lane >> 6] |= std::uint64_t{bytes[lane] != 0} << (lane & 63);
}

void LaneArrays::begin_turn(Part& part) {
  part.simulator->evaluate();
  take_back(part);
  if (roles() == 1) return;
  std::fill(part.mover.begin(), part.mover.end(), first_role_);
  for (int role = roles() - 1; role >= 0; --role)
    if (role != chance_)
      for_each_lane(part.many + std::size_t(role) * words_, words_, [&](int lane) { part.mover[lane] = role; });
}

void LaneArrays::seed(const std::uint64_t* seeds) {
  each([&](Part& part) {
    for (int lane = 0; lane < part.count; ++lane) part.simulator->seed(lane, seeds[part.first + lane]);
  });
}

void LaneArrays::load(const std::uint8_t* mask, const std::uint64_t* states) {
  each([&](Part& part) {
    if (mask == nullptr) {
      part.fresh = part.used;
    } else {
      read_mask(part, mask, part.fresh);
    }
    for (int lane = 0; lane < part.count; ++lane)
      part.sources[lane] = states == nullptr ? part.simulator->initial()
                                             : states + std::size_t(part.first + lane) * state_words();
    part.simulator->load(part.fresh.data(), part.sources.data());
    begin_turn(part);
  });
}

void LaneArrays::store(std::uint64_t* states) {
  each([&](Part& part) {
    for (int lane = 0; lane < part.count; ++lane)
      part.targets[lane] = states + std::size_t(part.first + lane) * state_words();
    part.simulator->store(part.used.data(), part.targets.data());
  });
}

WrongMove LaneArrays::choose(Part& part, const std::int32_t* moves, bool of_movers, bool may_draw) {
  NetworkSimulator& simulator = *part.simulator;
  for (int role = 0; role < roles(); ++role)
    for (int w = 0; w < words_; ++w) part.many[std::size_t(role) * words_ + w] &= part.playing[w];
  // Sets a move that is given, and takes the lane out of those whose move is to be drawn.
  const auto set = [&](int lane, int role, std::int32_t move) {
    if (move == kDraw && may_draw) return true;
    if (move < 0 || move >= simulator.moves(role) || !simulator.is_legal(role, lane, move)) return false;
    simulator.set_move(role, lane, move);
    part.many[std::size_t(role) * words_ + (lane >> 6)] &= ~(std::uint64_t{1} << (lane & 63));
    return true;
  };
  const std::int32_t* given = moves + part.first;
  for (int w = 0; w < words_; ++w) {
    if (of_movers) {
      std::uint64_t covered = 0;
      for (int role = 0; role < roles(); ++role) {
        if (role == chance_) continue;
        const std::uint64_t several = part.many[std::size_t(role) * words_ + w];
        if ((covered & several) != 0) return {part.first + 64 * w + __builtin_ctzll(covered & several), role, 0, true};
        covered |= several;
      }
    }
    for (std::uint64_t left = part.playing[w]; left != 0; left &= left - 1) {
      const int lane = 64 * w + __builtin_ctzll(left);
      if (of_movers) {
        const int role = part.mover[lane];
        if (!set(lane, role, given[lane])) return {part.first + lane, role, given[lane], false};
        continue;
      }
      for (int role = 0; role < roles(); ++role) {
        const std::int32_t move = given[std::size_t(role) * lanes_ + lane];
        if (!set(lane, role, move)) return {part.first + lane, role, move, false};
      }
    }
  }
  return {};
}

void LaneArrays::take_back(Part& part) {
  const std::uint64_t* terminal = part.simulator->terminal();
  for (int w = 0; w < words_; ++w) part.playing[w] = part.used[w] & ~terminal[w];
  part.many = part.simulator->choose_single(part.playing.data());
}

WrongMove LaneArrays::step(const std::int32_t* moves, bool of_movers, bool may_draw, const std::uint8_t* held,
                           const std::uint8_t* fresh) {
  each([&](Part& part) {
    read_mask(part, held, part.held);
    read_mask(part, fresh, part.fresh);
    const std::uint64_t* terminal = part.simulator->terminal();
    for (int w = 0; w < words_; ++w)
      part.playing[w] = part.used[w] & ~terminal[w] & ~part.held[w] & ~part.fresh[w];
    part.wrong = choose(part, moves, of_movers, may_draw);
  });
  for (const Part& part : parts_) {
    if (part.wrong.lane < 0) continue;
    each([&](Part& each) { take_back(each); });
    return part.wrong;
  }
  each([&](Part& part) {
    part.simulator->draw_rest();
    for (int w = 0; w < words_; ++w) part.held[w] = part.used[w] & ~part.playing[w] & ~part.fresh[w];
    part.simulator->step_but(part.held.data());
    if (any(part.fresh)) {
      std::fill(part.sources.begin(), part.sources.end(), part.simulator->initial());
      part.simulator->load(part.fresh.data(), part.sources.data());
    }
    begin_turn(part);
  });
  return {};
}

void LaneArrays::sample(std::int32_t* moves, bool of_movers) {
  std::fill(moves, moves + std::size_t(of_movers ? 1 : roles()) * lanes_, kDraw);
  each([&](Part& part) {
    NetworkSimulator& simulator = *part.simulator;
    const std::uint64_t* terminal = simulator.terminal();
    simulator.draw_rest();
    for (int role = 0; role < roles(); ++role)
      simulator.for_each_chosen(role, [&](int move, const std::uint64_t* lanes) {
        for (int w = 0; w < words_; ++w) part.row[w] = lanes[w] & part.used[w] & ~terminal[w];
        for_each_lane(part.row.data(), words_, [&](int lane) {
          if (!of_movers) moves[std::size_t(role) * lanes_ + part.first + lane] = move;
          if (of_movers && part.mover[lane] == role) moves[part.first + lane] = move;
        });
      });
    take_back(part);
  });
}

void LaneArrays::spread(const Part& part, const std::uint64_t* lanes, std::uint8_t* row) const {
  row += part.first;
  const int whole = part.count / 64;
  kernel_.spread(lanes, whole, row);
  for (int lane = 64 * whole; lane < part.count; ++lane) row[lane] = has(lanes, lane);
}

void LaneArrays::fluent_bytes(std::uint8_t* out) {
  if (lanes_ == 1) {
    const std::uint64_t* words = parts_[0].simulator->fluent(0);
    for (int fluent = 0; fluent < fluents(); ++fluent) out[fluent] = words[std::size_t(fluent) * words_] & 1;
    return;
  }
  each([&](Part& part) {
    for (int fluent = 0; fluent < fluents(); ++fluent)
      spread(part, part.simulator->fluent(fluent), out + std::size_t(fluent) * lanes_);
  });
}

void LaneArrays::legal_bytes(int role, std::uint8_t* out) {
  each([&](Part& part) {
    const std::uint64_t* terminal = part.simulator->terminal();
    for (int move = 0; move < moves(role); ++move) {
      const std::uint64_t* legal = part.simulator->legal_lanes(role, move);
      for (int w = 0; w < words_; ++w) part.row[w] = legal[w] & ~terminal[w];
      spread(part, part.row.data(), out + std::size_t(move) * lanes_);
    }
  });
}

void LaneArrays::movers_legal_bytes(std::uint8_t* out) {
  int widest = 0;
  for (int role = 0; role < roles(); ++role) widest = std::max(widest, moves(role));
  each([&](Part& part) {
    const std::uint64_t* terminal = part.simulator->terminal();
    if (lanes_ == 1) {
      const int role = part.mover[0], own = (terminal[0] & 1) != 0 ? 0 : moves(role);
      for (int move = 0; move < own; ++move) out[move] = part.simulator->is_legal(role, 0, move);
      std::fill(out + own, out + widest, 0);
      return;
    }
    std::vector<std::uint64_t>& ours = part.of_mover;
    ours.assign(std::size_t(roles()) * words_, 0);
    for (int lane = 0; lane < part.count; ++lane)
      ours[std::size_t(part.mover[lane]) * words_ + (lane >> 6)] |= std::uint64_t{1} << (lane & 63);
    for (int move = 0; move < widest; ++move) {
      std::fill(part.row.begin(), part.row.end(), 0);
      for (int role = 0; role < roles(); ++role) {
        if (move >= moves(role)) continue;
        const std::uint64_t* legal = part.simulator->legal_lanes(role, move);
        for (int w = 0; w < words_; ++w) part.row[w] |= legal[w] & ours[std::size_t(role) * words_ + w] & ~terminal[w];
      }
      spread(part, part.row.data(), out + std::size_t(move) * lanes_);
    }
  });
}

void LaneArrays::terminal(std::uint8_t* out) {
  each([&](Part& part) { spread(part, part.simulator->terminal(), out); });
}

void LaneArrays::mover(std::int8_t* out) {
  each([&](Part& part) {
    std::memcpy(out + part.first, part.mover.data(), part.count);
    for (int w = 0; w < words_; ++w) part.row[w] = part.simulator->terminal()[w] & part.used[w];
    for_each_lane(part.row.data(), words_, [&](int lane) { out[part.first + lane] = -1; });
  });
}

std::int64_t LaneArrays::choosers(int lane) const {
  const Part& part = parts_[lane / (64 * words_)];
  const int own = lane - part.first;
  if (has(part.simulator->terminal(), own)) return -1;
  std::int64_t found = 0;
  for (int role = 0; role < roles(); ++role)
    if (role != chance_ && has(part.many + std::size_t(role) * words_, own)) found |= std::int64_t{1} << std::min(role, 62);
  return found;
}

void LaneArrays::choice_bytes(int role, std::uint8_t* out) {
  each([&](Part& part) { spread(part, part.many + std::size_t(role) * words_, out); });
}

void LaneArrays::goals(std::int8_t* out) {
  constexpr std::int8_t kNone = -1, kSeveral = -2;
  std::fill(out, out + std::size_t(roles()) * lanes_, kNone);
  each([&](Part& part) {
    for (int w = 0; w < words_; ++w) part.row[w] = part.simulator->terminal()[w] & part.used[w];
    if (!any(part.row)) return;
    part.simulator->evaluate_goals();
    for (int role = 0; role < roles(); ++role) {
      std::int8_t* row = out + std::size_t(role) * lanes_ + part.first;
      for (const auto& goal : program_->goals[role]) {
        const std::uint64_t* holds = part.simulator->lanes_of(goal.holds);
        for (int w = 0; w < words_; ++w)
          for (std::uint64_t left = holds[w] & part.row[w]; left != 0; left &= left - 1) {
            std::int8_t& value = row[64 * w + __builtin_ctzll(left)];
            value = value == kNone ? static_cast<std::int8_t>(goal.value) : kSeveral;
          }
      }
      for_each_lane(part.row.data(), words_, [&](int lane) { row[lane] = std::max(row[lane], kNone); });
    }
  });
}

void LaneArrays::legal_words(int role, std::uint64_t* out) {
  const std::size_t width = std::size_t(parts()) * words_;
  each([&](Part& part) {
    const std::uint64_t* terminal = part.simulator->terminal();
    const std::size_t at = std::size_t(part.first) / 64;
    for (int move = 0; move < moves(role); ++move) {
      const std::uint64_t* legal = part.simulator->legal_lanes(role, move);
      for (int w = 0; w < words_; ++w) out[move * width + at + w] = legal[w] & ~terminal[w] & part.used[w];
    }
  });
}

}  // namespace ggp

#include "network/network_simulator.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "random.hpp"

namespace ggp {

NetworkSimulator::NetworkSimulator(std::shared_ptr<const LaneProgram> program, const LaneKernel& kernel)
    : program_(program->code == nullptr || program->kernel_words == kernel.words ? std::move(program) : program->interpreted),
      kernel_(kernel),
      words_(kernel.words) {
  std::uint32_t first_move = program_->first_move;
  std::size_t widest = 0, total = 0;
  for (const auto& legal : program_->legal) {
    widest = std::max(widest, legal.size());
    total += legal.size() + LiveMoves::kPadding;
  }
  natural_.resize(widest);
  std::iota(natural_.begin(), natural_.end(), 0);
  live_moves_.resize(total);
  MoveValues* live = live_moves_.data();
  legal_moves_.reserve(total);
  kept_moves_.reserve(total);
  for (std::size_t role = 0; role < program_->legal.size(); ++role) {
    const auto& wins = program_->wins[role];
    const auto moves = static_cast<std::uint32_t>(program_->legal[role].size());
    roles_.push_back({legal_moves_.data() + legal_moves_.size(), moves, first_move, natural_.data(), nullptr, 0});
    ahead_.push_back({kept_moves_.data() + kept_moves_.size(), moves, first_move, natural_.data(), wins.data(),
                      static_cast<std::uint32_t>(wins.size())});
    for (std::uint32_t move = 0; move < moves; ++move) {
      legal_moves_.push_back({program_->legal[role][move], first_move + move});
      kept_moves_.push_back({program_->kept[role][move], first_move + move});
    }
    live_.push_back({live, 0});
    first_move += moves;
    live += moves + LiveMoves::kPadding;
  }
  const auto split = [&](const std::vector<LaneProgram::Copy>& all, auto& copy, auto& save) {
    for (const auto& item : all) {
      if (item.from >= program_->first_move || item.from < program_->first_fluent) {
        copy.push_back(item);
      } else if (item.from != item.to || &save == &save_complemented_) {
        const auto place = static_cast<std::uint32_t>(restore_.size());
        save.push_back({item.from, place});
        restore_.push_back({place, item.to});
      }
    }
  };
  split(program_->next_plain, copy_plain_, save_plain_);
  split(program_->next_complemented, copy_complemented_, save_complemented_);

  const auto allocate = [this](std::size_t count) { return aligned_words(count * words_); };
  values_ = allocate(program_->values);
  saved_ = allocate(restore_.size());
  transposed_ = allocate((widest + 63) / 64 * 64);
  many_ = allocate(roles_.size());
  pass_ = allocate(roles_.size());
  random_ = allocate(64);
  chosen_.assign(lanes(), 0);
  std::memset(value(LaneProgram::kOnes), 0xFF, words_ * 8);
  for (int lane = 0; lane < lanes(); ++lane) seed(lane, mix64(static_cast<std::uint64_t>(lane)));

  const std::vector<std::uint64_t> all(words_, ~std::uint64_t{0});
  const std::vector<const std::uint64_t*> states(lanes(), initial());
  load(all.data(), states.data());
}

std::unique_ptr<Simulator> NetworkSimulator::clone() const {
  auto copy = std::make_unique<NetworkSimulator>(program_, kernel_);
  copy->weighted_ = weighted_;
  return copy;
}

void NetworkSimulator::load(const std::uint64_t* mask, const std::uint64_t* const* states) {
  std::uint64_t any = 0;
  for (int w = 0; w < words_; ++w) any |= mask[w];
  if (any == 0) return;
  kernel_.remove(mask, value(program_->first_fluent), program_->fluents);
  // Lanes of a group that get the same state (restarts from the root) are set together.
  for (int w = 0; w < words_; ++w) {
    std::uint64_t left = mask[w];
    while (left != 0) {
      const std::uint64_t* state = states[64 * w + __builtin_ctzll(left)];
      std::uint64_t same = 0;
      for (std::uint64_t lanes = left; lanes != 0; lanes &= lanes - 1)
        if (states[64 * w + __builtin_ctzll(lanes)] == state) same |= lanes & -lanes;
      left &= ~same;
      for (int i = 0; i < state_words(); ++i)
        for (std::uint64_t bits = state[i]; bits != 0; bits &= bits - 1)
          value(program_->first_fluent + 64 * i + __builtin_ctzll(bits))[w] |= same;
    }
  }
}

void NetworkSimulator::store(const std::uint64_t* mask, std::uint64_t* const* states) {
  // The number of lanes of a group from which it is faster to go through the true fluents of all its lanes.
  constexpr int kMany = 4;
  for (int w = 0; w < words_; ++w) {
    if (__builtin_popcountll(mask[w]) >= kMany) {
      store_group(w, mask[w], states);
      continue;
    }
    for (std::uint64_t lanes = mask[w]; lanes != 0; lanes &= lanes - 1) {
      const int shift = __builtin_ctzll(lanes);
      std::uint64_t* state = states[64 * w + shift];
      std::fill(state, state + state_words(), 0);
      for (std::uint32_t fluent = 0; fluent < program_->fluents; ++fluent)
        state[fluent / 64] |= ((value(program_->first_fluent + fluent)[w] >> shift) & 1) << (fluent % 64);
    }
  }
}

// Writes the states of some lanes of a group.
void NetworkSimulator::store_group(int group, std::uint64_t mask, std::uint64_t* const* states) const {
  std::uint64_t* const* of_group = states + 64 * group;
  for (std::uint64_t lanes = mask; lanes != 0; lanes &= lanes - 1)
    std::fill_n(of_group[__builtin_ctzll(lanes)], state_words(), 0);
  for (std::uint32_t fluent = 0; fluent < program_->fluents; ++fluent) {
    const std::uint64_t bit = std::uint64_t{1} << (fluent % 64);
    for (std::uint64_t lanes = value(program_->first_fluent + fluent)[group] & mask; lanes != 0; lanes &= lanes - 1)
      of_group[__builtin_ctzll(lanes)][fluent / 64] |= bit;
  }
}

void NetworkSimulator::run(const std::vector<LaneProgram::Block>& blocks) {
  const LaneProgram::Run* runs = program_->runs.data();
  for (const auto& block : blocks) {
    const auto* first = block.loop.data();
    const auto* last = first + block.loop.size();
    for (const auto* loop = first; loop != last; ++loop) std::memset(value(loop->variable), 0, words_ * 8);
    do {
      if (block.code == nullptr)
        kernel_.run(runs + block.first_run, runs + block.end_run, program_->operands.data(), values_.get());
      else
        for (int word = 0; word < words_; word += program_->code_words) block.code(values_.get() + word);
    } while (first != last && kernel_.iterate(first, last, values_.get()));
  }
}

void NetworkSimulator::evaluate() {
  run(program_->legal_blocks);
  goals_evaluated_ = ahead_evaluated_ = next_evaluated_ = false;
}

void NetworkSimulator::evaluate_goals() {
  if (!goals_evaluated_) run(program_->goal_blocks);
  goals_evaluated_ = true;
}

int NetworkSimulator::goals(int lane, int role, int* out) {
  evaluate_goals();
  int count = 0;
  for (const auto& goal : program_->goals[role])
    if (bit(goal.holds, lane)) out[count++] = goal.value;
  return count;
}

int NetworkSimulator::goal(int lane, int role) {
  evaluate_goals();
  // The last of the ascending values that hold, without branches, because it cannot be predicted.
  int highest = -1;
  for (const auto& goal : program_->goals[role]) highest = bit(goal.holds, lane) ? goal.value : highest;
  return highest;
}

int NetworkSimulator::successor_values(int evaluation, int lane, int role, float* out) {
  constexpr int kLanes = 64;
  scout_joint_.resize(roles_.size());
  for (int other = 0; other < roles(); ++other)
    if (other != role && (legal_count(lane, other) != 1 || legal(lane, other, &scout_joint_[other]) != 1)) return 0;
  scout_moves_.resize(moves(role));
  const int count = legal(lane, role, scout_moves_.data());
  if (scout_ == nullptr) {
    scout_ = std::make_unique<NetworkSimulator>(program_, *find_kernel(kernel_.isa, kLanes));
    scout_state_.resize(state_words());
    scout_values_.resize(std::size_t(kLanes) * roles());
  }
  scout_->weighted_ = weighted_;
  for (int word = 0; word < state_words(); ++word) {
    scout_state_[word] = 0;
    const int end = std::min<int>(64, static_cast<int>(program_->fluents) - 64 * word);
    for (int i = 0; i < end; ++i)
      scout_state_[word] |= std::uint64_t{bit(program_->first_fluent + 64 * word + i, lane)} << i;
  }
  for (int begin = 0; begin < count; begin += kLanes)
    look_behind(evaluation, role, &scout_moves_[begin], std::min(kLanes, count - begin),
                out + std::size_t(begin) * roles());
  return count;
}

void NetworkSimulator::look_behind(int evaluation, int role, const int* moves, int count, float* out) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - count);
  const std::uint64_t* states[64];
  std::fill(states, states + count, scout_state_.data());
  scout_->load(&mask, states);
  scout_->evaluate();
  for (int lane = 0; lane < count; ++lane) {
    scout_joint_[role] = moves[lane];
    for (int each = 0; each < roles(); ++each) scout_->choose(lane, each, scout_joint_[each]);
  }
  scout_->step();
  scout_->evaluate();
  scout_->values(evaluation, &mask, scout_values_.data());
  for (int lane = 0; lane < count; ++lane) {
    const bool ends = scout_->terminal()[0] >> lane & 1;
    for (int each = 0; each < roles(); ++each) {
      const int goal = ends ? scout_->goal(lane, each) : -1;
      *out++ = goal >= 0 ? static_cast<float>(goal / 50.0 - 1) : scout_values_[std::size_t(lane) * roles() + each];
    }
  }
}

int NetworkSimulator::legal_count(int lane, int role) {
  int count = 0;
  for (const std::uint32_t number : program_->legal[role]) count += bit(number, lane);
  return count;
}

int NetworkSimulator::legal(int lane, int role, int* out) {
  int count = 0;
  const auto& legal = program_->legal[role];
  for (std::size_t move = 0; move < legal.size(); ++move)
    if (bit(legal[move], lane)) out[count++] = static_cast<int>(move);
  return count;
}

void NetworkSimulator::look_ahead(const std::uint64_t* mask, bool ahead) {
  std::uint64_t* lanes = value(LaneProgram::kLooksAhead);
  for (int w = 0; w < words_; ++w) lanes[w] = ahead ? lanes[w] | mask[w] : lanes[w] & ~mask[w];
}

void NetworkSimulator::find_kept() {
  if (!ahead_evaluated_) run(program_->ahead_blocks);
  ahead_evaluated_ = true;
}

const RoleChoice* NetworkSimulator::choices(const std::uint64_t* mask) {
  std::uint64_t any = 0;
  for (int w = 0; w < words_; ++w) any |= mask[w] & value(LaneProgram::kLooksAhead)[w];
  if (any == 0) return roles_.data();
  find_kept();
  return ahead_.data();
}

int NetworkSimulator::winning(int lane, int role, int* out) {
  if (!program_->wins[role].empty()) find_kept();
  int count = 0;
  for (const auto& win : program_->wins[role])
    if (bit(win.holds, lane)) out[count++] = static_cast<int>(win.move);
  return count;
}

void NetworkSimulator::begin_choice() {
  if (choosing_) return;
  choosing_ = true;
  kernel_.clear(touched_.data(), touched_.data() + touched_.size(), values_.get());
  touched_.clear();
}

void NetworkSimulator::note_live(const RoleChoice* from) {
  std::size_t more = 0;
  for (std::size_t role = 0; role < roles_.size(); ++role) more += live_[role].count + from[role].winning;
  touched_.resize(touched_.size() + more);
  std::uint32_t* out = touched_.data() + touched_.size() - more;
  for (std::size_t role = 0; role < roles_.size(); ++role) {
    const MoveValues* moves = live_[role].moves;
    for (std::uint32_t i = 0, count = live_[role].count; i < count; ++i) *out++ = moves[i].move;
    for (std::uint32_t i = 0, count = from[role].winning; i < count; ++i) {
      *out++ = from[role].first_move + from[role].wins[i].move;
    }
  }
}

void NetworkSimulator::choose(int lane, int role, int move) {
  begin_choice();
  const std::uint32_t number = roles_[role].first_move + move;
  std::uint64_t& lanes = value(number)[lane >> 6];
  if (lanes == 0) touched_.push_back(number);
  lanes |= std::uint64_t{1} << (lane & 63);
}

void NetworkSimulator::choose_at_random(const std::uint64_t* mask) {
  begin_choice();
  const RoleChoice* from = choices(mask);
  kernel_.choose(from, roles(), mask, scratch(), values_.get());
  note_live(from);
}

void NetworkSimulator::choose_by_rank(const std::uint64_t* mask, const RankedChoice& choice) {
  begin_choice();
  const RoleChoice* from = choices(mask);
  ranked_.assign(from, from + roles());
  for (int role = 0; role < roles(); ++role) ranked_[role].order = choice.orders[role];
  kernel_.choose_by_rank(ranked_.data(), roles(), mask, choice, scratch(), values_.get());
  note_live(from);
}

void NetworkSimulator::choose_with(const std::uint64_t* mask, MoveChooser& chooser) {
  begin_choice();
  const RoleChoice* from = choices(mask);
  kernel_.force(from, roles(), mask, scratch(), values_.get());
  note_live(from);
  while (const std::uint32_t blocks = kernel_.lay(from, roles(), scratch(), values_.get())) {
    chooser.choose({words_, static_cast<int>(blocks), pass_.get(), transposed_.get(), chosen_.data()});
    for (std::size_t role = 0; role < roles_.size(); ++role)
      for (int w = 0; w < words_; ++w)
        for (std::uint64_t lanes = pass_[role * words_ + w]; lanes != 0; lanes &= lanes - 1) {
          const int lane = 64 * w + __builtin_ctzll(lanes);
          value(roles_[role].first_move + chosen_[lane])[w] |= lanes & -lanes;
        }
  }
}

void NetworkSimulator::find_next() {
  if (!next_evaluated_) run(program_->next_blocks);
  next_evaluated_ = true;
}

void NetworkSimulator::perceive() {
  find_next();
  run(program_->percept_blocks);
}

void NetworkSimulator::perceived(int lane, int role, std::vector<std::uint32_t>& out) const {
  out.clear();
  const auto& percepts = program_->percepts[role];
  for (std::uint32_t percept = 0; percept < percepts.size(); ++percept)
    if (bit(percepts[percept], lane)) out.push_back(percept);
}

void NetworkSimulator::keep_lanes(int role, const std::uint32_t* wanted, std::size_t count, std::uint64_t* mask) const {
  const auto& percepts = program_->percepts[role];
  const std::uint32_t* const end = wanted + count;
  for (std::uint32_t percept = 0; percept < percepts.size(); ++percept) {
    const bool is_wanted = wanted != end && *wanted == percept;
    wanted += is_wanted;
    const std::uint64_t* lanes = value(percepts[percept]);
    const std::uint64_t differs = is_wanted ? ~std::uint64_t{0} : 0;
    for (int w = 0; w < words_; ++w) mask[w] &= ~(lanes[w] ^ differs);
  }
  if (wanted != end) std::fill(mask, mask + words_, 0);
}

void NetworkSimulator::hash_percepts(int role, const std::uint64_t* mask, std::uint64_t* hashes) const {
  for (int w = 0; w < words_; ++w)
    for (std::uint64_t lanes = mask[w]; lanes != 0; lanes &= lanes - 1) hashes[64 * w + __builtin_ctzll(lanes)] = 0;
  const auto& percepts = program_->percepts[role];
  for (std::uint32_t percept = 0; percept < percepts.size(); ++percept) {
    const std::uint64_t* value_lanes = value(percepts[percept]);
    const std::uint64_t hash = percept_hash(percept);
    for (int w = 0; w < words_; ++w)
      for (std::uint64_t lanes = value_lanes[w] & mask[w]; lanes != 0; lanes &= lanes - 1)
        hashes[64 * w + __builtin_ctzll(lanes)] ^= hash;
  }
}

void NetworkSimulator::step() {
  find_next();
  const auto copy = [&](const std::vector<LaneProgram::Copy>& items, bool complemented, const std::uint64_t* from,
                        std::uint64_t* to) {
    kernel_.copy(items.data(), items.data() + items.size(), complemented, from, to);
  };
  copy(save_plain_, false, values_.get(), saved_.get());
  copy(save_complemented_, true, values_.get(), saved_.get());
  copy(copy_plain_, false, values_.get(), values_.get());
  copy(copy_complemented_, true, values_.get(), values_.get());
  copy(restore_, false, saved_.get(), values_.get());
  choosing_ = next_evaluated_ = false;
}

std::uint64_t* NetworkSimulator::choose_single(const std::uint64_t* mask) {
  choosing_ = false;
  begin_choice();
  kernel_.force(roles_.data(), roles(), mask, scratch(), values_.get());
  note_live(roles_.data());
  return many_.get();
}

void NetworkSimulator::draw_rest() { kernel_.draw(roles(), scratch(), values_.get()); }

void NetworkSimulator::step_but(const std::uint64_t* held) {
  const bool any = std::any_of(held, held + words_, [](std::uint64_t word) { return word != 0; });
  const std::size_t fluents = program_->fluents;
  std::uint64_t* now = value(program_->first_fluent);
  if (any) before_.assign(now, now + fluents * words_);
  step();
  if (!any) return;
  const std::uint64_t* before = before_.data();
  for (std::size_t fluent = 0; fluent < fluents; ++fluent)
    for (int w = 0; w < words_; ++w, ++now, ++before) *now ^= (*now ^ *before) & held[w];
}

}  // namespace ggp

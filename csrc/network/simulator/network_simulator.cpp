#include "network/simulator/network_simulator.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/random.hpp"

namespace ggp {

namespace {

// Goals with more gates than this for each fluent are evaluated for many ended states together.
constexpr std::size_t kGatesPerFluent = 2;

std::size_t goal_gates(const LaneProgram& program) {
  const LaneProgram& gates = program.interpreted != nullptr ? *program.interpreted : program;
  std::size_t count = 0;
  for (const auto& block : gates.goal_blocks)
    for (std::uint32_t run = block.first_run; run < block.end_run; ++run) count += gates.runs[run].count;
  return count;
}

}  // namespace

NetworkSimulator::NetworkSimulator(std::shared_ptr<const LaneProgram> program, const LaneKernel& kernel)
    : program_(program->code == nullptr || program->kernel_words == kernel.words ? std::move(program) : program->interpreted),
      kernel_(kernel),
      words_(kernel.words) {
  tables_.reserve(1 + program_->phases.size());
  tables_.emplace_back(*program_);
  for (const auto& phase : program_->phases) tables_.emplace_back(*phase.program);
  std::size_t widest = 0, total = 0, saved = 0;
  std::uint32_t values = 0;
  for (const auto& legal : program_->legal) {
    widest = std::max(widest, legal.size());
    total += legal.size() + LiveMoves::kPadding;
  }
  for (const auto& tables : tables_) {
    saved = std::max(saved, tables.restore.size());
    values = std::max(values, tables.program.values);
  }
  live_moves_.resize(total);
  MoveValues* live = live_moves_.data();
  for (const auto& legal : program_->legal) {
    live_.push_back({live, 0});
    live += legal.size() + LiveMoves::kPadding;
  }
  for (auto* mask : {&alive_, &moving_, &foreign_, &unknown_, &over_}) mask->assign(words_, 0);
  leaves_out_ = std::any_of(program_->phases.begin(), program_->phases.end(),
                            [](const auto& phase) { return phase.left_out > 0; });

  const auto allocate = [this](std::size_t count) { return aligned_words(count * words_); };
  values_ = allocate(values);
  saved_ = allocate(saved);
  transposed_ = allocate((widest + 63) / 64 * 64);
  many_ = allocate(program_->legal.size());
  pass_ = allocate(program_->legal.size());
  single_ = allocate(program_->legal.size());
  counts_ = allocate(program_->legal.size() * ChoiceScratch::kMostPlanes);
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
      alive_[w] |= same;
      const bool foreign = !program_->phases.empty() && state != initial() && phase_of(state) == kNoPhase;
      foreign_[w] = foreign ? foreign_[w] | same : foreign_[w] & ~same;
      unknown_[w] = leaves_out_ && state != initial() ? unknown_[w] | same : unknown_[w] & ~same;
      for (int i = 0; i < state_words(); ++i)
        for (std::uint64_t bits = state[i]; bits != 0; bits &= bits - 1)
          value(program_->first_fluent + 64 * i + __builtin_ctzll(bits))[w] |= same;
    }
  }
}

void NetworkSimulator::trust(const std::uint64_t* mask) {
  for (int w = 0; w < words_; ++w) unknown_[w] &= ~mask[w];
}

int NetworkSimulator::phase() const {
  std::uint64_t any = 0;
  for (int w = 0; w < words_; ++w) any |= alive_[w];
  if (any == 0) return kNoPhase;
  for (std::size_t phase = 0; phase < program_->phases.size(); ++phase) {
    std::uint64_t other = 0;
    for (int w = 0; w < words_; ++w) {
      std::uint64_t differs = foreign_[w] | unknown_[w];
      for (const auto& clock : program_->phases[phase].clock)
        differs |= value(clock.value)[w] ^ (clock.holds ? ~std::uint64_t{0} : 0);
      other |= differs & alive_[w];
    }
    if (other == 0) return static_cast<int>(phase);
  }
  return kSeveralPhases;
}

int NetworkSimulator::phase_of(const std::uint64_t* state) const {
  for (std::size_t phase = 0; phase < program_->phases.size(); ++phase) {
    const auto& facts = program_->phases[phase];
    std::uint64_t differs = 0;
    for (int i = 0; i < state_words(); ++i) differs |= (state[i] & facts.known[i]) ^ facts.holds[i];
    if (differs == 0) return static_cast<int>(phase);
  }
  return kNoPhase;
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
  const LaneProgram& program = evaluated();
  const LaneProgram::Run* runs = program.runs.data();
  for (const auto& block : blocks) {
    const auto* first = block.loop.data();
    const auto* last = first + block.loop.size();
    for (const auto* loop = first; loop != last; ++loop) std::memset(value(loop->variable), 0, words_ * 8);
    do {
      if (block.code == nullptr)
        kernel_.run(runs + block.first_run, runs + block.end_run, program.operands.data(), values_.get());
      else
        for (int word = 0; word < words_; word += program_->code_words) block.code(values_.get() + word);
    } while (first != last && kernel_.iterate(first, last, values_.get()));
  }
}

void NetworkSimulator::evaluate() {
  in_use_ = static_cast<std::size_t>(std::max(phase(), -1) + 1);
  run(evaluated().legal_blocks);
  if (leaves_out_) std::copy_n(terminal(), words_, over_.begin());
  goals_evaluated_ = ahead_evaluated_ = next_evaluated_ = false;
}

void NetworkSimulator::evaluate_goals() {
  if (!goals_evaluated_) run(evaluated().goal_blocks);
  goals_evaluated_ = true;
}

int NetworkSimulator::goals(int lane, int role, int* out) {
  evaluate_goals();
  int count = 0;
  for (const auto& goal : evaluated().goals[role])
    if (bit(goal.holds, lane)) out[count++] = goal.value;
  return count;
}

int NetworkSimulator::goal(int lane, int role) {
  evaluate_goals();
  // The last of the ascending values that hold, without branches, because it cannot be predicted.
  int highest = -1;
  for (const auto& goal : evaluated().goals[role]) highest = bit(goal.holds, lane) ? goal.value : highest;
  return highest;
}

void NetworkSimulator::sum_goals(const std::uint64_t* mask, std::vector<std::uint64_t>& totals) {
  evaluate_goals();
  for (int role = 0; role < roles(); ++role) {
    const auto& goals = evaluated().goals[role];
    for (int w = 0; w < words_; ++w) {
      std::uint64_t left = mask[w];
      for (auto goal = goals.rbegin(); goal != goals.rend() && left != 0; ++goal) {
        const std::uint64_t here = value(goal->holds)[w] & left;
        totals[role] += static_cast<std::uint64_t>(goal->value) * __builtin_popcountll(here);
        left &= ~here;
      }
    }
  }
}

void NetworkSimulator::sum_ended() {
  ended_->evaluate();
  ended_->sum_goals(in_ended_.data(), goal_totals_);
  std::fill(in_ended_.begin(), in_ended_.end(), 0);
}

void NetworkSimulator::add_goals(const std::uint64_t* mask) {
  if (goal_totals_.empty()) {
    goal_totals_.assign(program_->legal.size(), 0);
    in_ended_.assign(words_, 0);
    if (goal_gates(*program_) > kGatesPerFluent * program_->fluents)
      ended_ = std::make_unique<NetworkSimulator>(program_, kernel_);
  }
  if (ended_ == nullptr) return sum_goals(mask, goal_totals_);
  bool occupied = false;
  for (int w = 0; w < words_; ++w) occupied |= (in_ended_[w] & mask[w]) != 0;
  if (occupied) sum_ended();
  kernel_.merge(mask, value(program_->first_fluent), ended_->value(program_->first_fluent), program_->fluents);
  for (int w = 0; w < words_; ++w) {
    in_ended_[w] |= mask[w];
    ended_->foreign_[w] = (ended_->foreign_[w] & ~mask[w]) | (foreign_[w] & mask[w]);
    ended_->unknown_[w] = (ended_->unknown_[w] & ~mask[w]) | (unknown_[w] & mask[w]);
  }
}

void NetworkSimulator::take_goals(std::uint64_t* sums) {
  if (goal_totals_.empty()) return;
  if (ended_ != nullptr) sum_ended();
  for (std::size_t role = 0; role < goal_totals_.size(); ++role) sums[role] += std::exchange(goal_totals_[role], 0);
}

int NetworkSimulator::successor_values(int evaluation, int lane, int role, float* out) {
  constexpr int kLanes = 64;
  scout_joint_.resize(program_->legal.size());
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
  scout_->trust(&mask);
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
  for (const std::uint32_t number : evaluated().legal[role]) count += bit(number, lane);
  return count;
}

int NetworkSimulator::legal(int lane, int role, int* out) {
  int count = 0;
  const auto& legal = evaluated().legal[role];
  for (std::size_t move = 0; move < legal.size(); ++move)
    if (bit(legal[move], lane)) out[count++] = static_cast<int>(move);
  return count;
}

void NetworkSimulator::look_ahead(const std::uint64_t* mask, bool ahead) {
  std::uint64_t* lanes = value(LaneProgram::kLooksAhead);
  for (int w = 0; w < words_; ++w) lanes[w] = ahead ? lanes[w] | mask[w] : lanes[w] & ~mask[w];
}

void NetworkSimulator::find_kept() {
  if (!ahead_evaluated_) run(evaluated().ahead_blocks);
  ahead_evaluated_ = true;
}

const RoleChoice* NetworkSimulator::choices(const std::uint64_t* mask) {
  std::uint64_t any = 0;
  for (int w = 0; w < words_; ++w) any |= mask[w] & value(LaneProgram::kLooksAhead)[w];
  if (any == 0) return tables().legal.data();
  find_kept();
  return tables().kept.data();
}

int NetworkSimulator::winning(int lane, int role, int* out) {
  if (!evaluated().wins[role].empty()) find_kept();
  int count = 0;
  for (const auto& win : evaluated().wins[role])
    if (bit(win.holds, lane)) out[count++] = static_cast<int>(win.move);
  return count;
}

void NetworkSimulator::begin_choice(const std::uint64_t* mask) {
  if (choosing_) {
    for (int w = 0; w < words_; ++w) moving_[w] |= mask[w];
    return;
  }
  choosing_ = true;
  std::copy(mask, mask + words_, moving_.begin());
  kernel_.clear(touched_.data(), touched_.data() + touched_.size(), values_.get());
  touched_.clear();
  if (listed_) kernel_.clear_live(roles(), scratch(), values_.get());
  listed_ = false;
}

void NetworkSimulator::keep_touched(const RoleChoice* from) {
  for (std::size_t role = 0; role < program_->legal.size(); ++role) {
    const std::uint32_t earlier = listed_ ? live_[role].count : 0;
    for (std::uint32_t i = 0; i < earlier; ++i) touched_.push_back(live_[role].moves[i].move);
    for (std::uint32_t i = 0; i < from[role].winning; ++i) {
      touched_.push_back(from[role].first_move + from[role].wins[i].move);
    }
  }
  listed_ = true;
}

void NetworkSimulator::choose(int lane, int role, int move) {
  begin_choice(moving_.data());
  moving_[lane >> 6] |= std::uint64_t{1} << (lane & 63);
  const std::uint32_t number = first_move(role) + move;
  std::uint64_t& lanes = value(number)[lane >> 6];
  if (lanes == 0) touched_.push_back(number);
  lanes |= std::uint64_t{1} << (lane & 63);
}

void NetworkSimulator::choose_at_random(const std::uint64_t* mask) {
  begin_choice(mask);
  const RoleChoice* from = choices(mask);
  keep_touched(from);
  kernel_.choose(from, roles(), mask, scratch(), values_.get());
}

void NetworkSimulator::choose_by_rank(const std::uint64_t* mask, const RankedChoice& choice) {
  begin_choice(mask);
  const RoleChoice* from = choices(mask);
  ranked_.assign(from, from + roles());
  for (int role = 0; role < roles(); ++role) {
    ranked_[role].order = choice.orders[role];
    ranked_[role].listed = ranked_[role].moves;
  }
  keep_touched(ranked_.data());
  kernel_.choose_by_rank(ranked_.data(), roles(), mask, choice, scratch(), values_.get());
}

void NetworkSimulator::choose_with(const std::uint64_t* mask, MoveChooser& chooser) {
  begin_choice(mask);
  const RoleChoice* from = choices(mask);
  keep_touched(from);
  kernel_.force(from, roles(), mask, scratch(), values_.get());
  while (const std::uint32_t blocks = kernel_.lay(from, roles(), scratch(), values_.get())) {
    chooser.choose({words_, static_cast<int>(blocks), pass_.get(), transposed_.get(), chosen_.data()});
    for (std::size_t role = 0; role < program_->legal.size(); ++role)
      for (int w = 0; w < words_; ++w)
        for (std::uint64_t lanes = pass_[role * words_ + w]; lanes != 0; lanes &= lanes - 1) {
          const int lane = 64 * w + __builtin_ctzll(lanes);
          value(first_move(static_cast<int>(role)) + chosen_[lane])[w] |= lanes & -lanes;
        }
  }
}

void NetworkSimulator::find_next() {
  if (!next_evaluated_) run(evaluated().next_blocks);
  next_evaluated_ = true;
}

void NetworkSimulator::perceive() {
  if (!program_->has_percepts()) return;
  find_next();
  run(evaluated().percept_blocks);
}

void NetworkSimulator::perceived(int lane, int role, std::vector<std::uint32_t>& out) const {
  out.clear();
  const auto& percepts = evaluated().percepts[role];
  for (std::uint32_t percept = 0; percept < percepts.size(); ++percept)
    if (bit(percepts[percept], lane)) out.push_back(percept);
}

void NetworkSimulator::keep_lanes(int role, const std::uint32_t* wanted, std::size_t count, std::uint64_t* mask) const {
  const auto& percepts = evaluated().percepts[role];
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
  const auto& percepts = evaluated().percepts[role];
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
  const ProgramTables& by = tables();
  copy(by.save_plain, false, values_.get(), saved_.get());
  copy(by.save_complemented, true, values_.get(), saved_.get());
  copy(by.copy_plain, false, values_.get(), values_.get());
  copy(by.copy_complemented, true, values_.get(), values_.get());
  copy(by.restore, false, saved_.get(), values_.get());
  if (choosing_)
    alive_ = moving_;
  else
    std::fill(alive_.begin(), alive_.end(), 0);
  if (leaves_out_) unknown_ = over_;
  choosing_ = next_evaluated_ = false;
}

std::uint64_t* NetworkSimulator::choose_single(const std::uint64_t* mask) {
  choosing_ = false;
  begin_choice(mask);
  keep_touched(tables().legal.data());
  kernel_.force(tables().legal.data(), roles(), mask, scratch(), values_.get());
  return many_.get();
}

void NetworkSimulator::draw_rest() { kernel_.draw(roles(), scratch(), values_.get()); }

void NetworkSimulator::step_but(const std::uint64_t* held) {
  const bool any = std::any_of(held, held + words_, [](std::uint64_t word) { return word != 0; });
  const std::size_t fluents = program_->fluents;
  std::uint64_t* now = value(program_->first_fluent);
  if (any) before_.assign(now, now + fluents * words_);
  for (int w = 0; w < words_; ++w) over_[w] = (over_[w] & ~held[w]) | (unknown_[w] & held[w]);
  step();
  if (!any) return;
  for (int w = 0; w < words_; ++w) alive_[w] |= held[w];
  const std::uint64_t* before = before_.data();
  for (std::size_t fluent = 0; fluent < fluents; ++fluent)
    for (int w = 0; w < words_; ++w, ++now, ++before) *now ^= (*now ^ *before) & held[w];
}

}  // namespace ggp

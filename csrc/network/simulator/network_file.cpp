#include "network/simulator/network_file.hpp"

#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "base/random.hpp"

namespace ggp {
namespace {

constexpr std::uint32_t kMagic = 0x4E504747;  // "GGPN", or another number on computers with another byte order
constexpr std::uint32_t kVersion = 6;         // version of the layout
constexpr std::size_t kHeader = 16;
constexpr std::uint64_t kMostLoops = 10'000'000;

[[noreturn]] void reject(const char* why) { throw std::runtime_error(std::string("no compiled network: ") + why); }

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = bytes.size() < 8 ? bytes.size() : 8;
    std::memcpy(&word, bytes.data(), count);
    bytes.remove_prefix(count);
    sum = mix64(sum ^ word);
  }
  return sum;
}

// Types that are stored as their bytes.
template <class T>
constexpr bool kPlain = std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>;

class Writer {
 public:
  template <class... Fields>
  void operator()(const Fields&... fields) {
    (write(fields), ...);
  }
  std::string bytes;

 private:
  template <class T>
  void write(const T& value);
  template <class T>
  void write(const std::vector<T>& items);
  void write(const std::string& text) {
    write(static_cast<std::uint64_t>(text.size()));
    bytes += text;
  }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  template <class... Fields>
  void operator()(Fields&... fields) {
    (read(fields), ...);
  }
  bool at_end() const { return left_.empty(); }

 private:
  template <class T>
  void read(T& value);
  template <class T>
  void read(std::vector<T>& items);
  void read(std::string& text) {
    const auto taken = take(length(1));
    text.assign(taken.data(), taken.size());
  }
  std::string_view take(std::size_t count) {
    if (count > left_.size()) reject("it ends too early");
    const auto taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  // Reads the length of a list; each item takes at least `item` bytes.
  std::size_t length(std::size_t item) {
    std::uint64_t count;
    read(count);
    if (count > left_.size() / item) reject("a list is longer than the file");
    return static_cast<std::size_t>(count);
  }
  std::string_view left_;
};

// ---- the fields of each structure, for both writing and reading

template <class Archive, class Run>
std::enable_if_t<std::is_same_v<std::remove_const_t<Run>, LaneProgram::Run>> fields(Archive& archive, Run& run) {
  archive(run.shape, run.plain, run.complemented, run.count, run.operand, run.value);
}

template <class Archive, class Block>
std::enable_if_t<std::is_same_v<std::remove_const_t<Block>, LaneProgram::Block>> fields(Archive& archive, Block& block) {
  archive(block.first_run, block.end_run, block.loop);
}

template <class Archive, class Report>
std::enable_if_t<std::is_same_v<std::remove_const_t<Report>, PassReport>> fields(Archive& archive, Report& report) {
  archive(report.name, report.gates, report.cpu_seconds);
}

template <class Archive, class Program>
std::enable_if_t<std::is_same_v<std::remove_const_t<Program>, LaneProgram>> fields(Archive& archive, Program& program) {
  archive(program.values, program.fluents, program.first_fluent, program.first_move, program.runs, program.operands,
          program.legal_blocks, program.next_blocks, program.goal_blocks, program.ahead_blocks, program.legal, program.kept,
          program.terminal, program.goals, program.wins, program.percept_blocks, program.percepts, program.next_plain,
          program.next_complemented, program.initial, program.passes, program.gates, program.depth);
}

template <class Archive, class Clock>
std::enable_if_t<std::is_same_v<std::remove_const_t<Clock>, LaneProgram::Phase::Clock>> fields(Archive& archive,
                                                                                               Clock& clock) {
  archive(clock.value, clock.holds);
}

template <class Phase>
std::enable_if_t<std::is_same_v<Phase, const LaneProgram::Phase>> fields(Writer& archive, Phase& phase) {
  archive(phase.clock, phase.known, phase.holds, phase.left_out, *phase.program);
}

template <class Phase>
std::enable_if_t<std::is_same_v<Phase, LaneProgram::Phase>> fields(Reader& archive, Phase& phase) {
  LaneProgram program;
  archive(phase.clock, phase.known, phase.holds, phase.left_out, program);
  phase.program = std::make_shared<const LaneProgram>(std::move(program));
}

template <class Archive, class Network>
std::enable_if_t<std::is_same_v<std::remove_const_t<Network>, CompiledNetwork>> fields(Archive& archive,
                                                                                       Network& network) {
  archive(network.program, network.program.phases, network.fluents, network.always, network.moves, network.percepts,
          network.groups, network.ground_rules, network.ground_atoms, network.raw_gates, network.loop_variables,
          network.ground_cpu_s, network.network_cpu_s);
}

template <class T>
void Writer::write(const T& value) {
  if constexpr (kPlain<T>)
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  else
    fields(*this, value);
}

template <class T>
void Writer::write(const std::vector<T>& items) {
  write(static_cast<std::uint64_t>(items.size()));
  if constexpr (kPlain<T>)
    bytes.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(T));
  else
    for (const T& item : items) write(item);
}

template <class T>
void Reader::read(T& value) {
  if constexpr (kPlain<T>)
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  else
    fields(*this, value);
}

template <class T>
void Reader::read(std::vector<T>& items) {
  if constexpr (kPlain<T>) {
    const std::size_t count = length(sizeof(T));
    items.resize(count);
    if (count != 0) std::memcpy(items.data(), take(count * sizeof(T)).data(), count * sizeof(T));
  } else {
    // Memory is reserved item by item: a wrong length must not request more memory than the file could fill.
    for (std::size_t left = length(8); left > 0; --left) read(items.emplace_back());
  }
}

// ---- checks of everything that an evaluation relies on

class Check {
 public:
  // Checks the program of a network, or of one of its phases.
  Check(const CompiledNetwork& network, const LaneProgram& program)
      : network_(network), program_(program), first_loop_(program_.first_move) {
    for (const auto& legal : program_.legal) first_loop_ += legal.size();
  }

  void run() const {
    layout();
    for (const auto& item : program_.runs) gates(item);
    for (const auto* blocks : {&program_.legal_blocks, &program_.next_blocks, &program_.goal_blocks, &program_.ahead_blocks,
                               &program_.percept_blocks})
      for (const auto& block : *blocks) {
        require(block.first_run <= block.end_run && block.end_run <= program_.runs.size(), "a block lies outside");
        for (const auto& loop : block.loop) {
          require(loop.variable >= first_loop_ && loop.variable < program_.values, "no loop variable");
          value(loop.definition);
        }
      }
    for (const auto& legal : program_.legal)
      for (const std::uint32_t number : legal) value(number);
    require(program_.kept.size() == program_.legal.size(), "roles differ in number");
    for (std::size_t role = 0; role < program_.kept.size(); ++role) {
      require(program_.kept[role].size() == program_.legal[role].size(), "moves differ in number");
      for (const std::uint32_t number : program_.kept[role]) value(number);
    }
    require(program_.percepts.size() == program_.legal.size() && network_.percepts.size() == program_.legal.size(),
            "roles differ in number");
    for (std::size_t role = 0; role < program_.percepts.size(); ++role) {
      require(network_.percepts[role].size() == program_.percepts[role].size(), "percepts differ in number");
      for (const std::uint32_t number : program_.percepts[role]) value(number);
    }
    for (const auto& group : network_.groups)
      for (const std::uint32_t fluent : group) require(fluent < program_.fluents, "a group has an unknown fluent");
    value(program_.terminal);
    goals();
    wins();
    for (const auto* copies : {&program_.next_plain, &program_.next_complemented})
      for (const auto& copy : *copies) {
        value(copy.from);
        require(copy.to >= program_.first_fluent && copy.to - program_.first_fluent < program_.fluents, "no fluent");
      }
    initial_state();
  }

  void phases() const {
    for (const auto& phase : program_.phases) {
      require(phase.known.size() == program_.initial.size() && phase.holds.size() == program_.initial.size(),
              "the facts of a phase differ from the state in length");
      for (const auto& clock : phase.clock)
        require(clock.value >= program_.first_fluent && clock.value - program_.first_fluent < program_.fluents, "no fluent");
      require(phase.program->fluents == program_.fluents, "a phase has other fluents");
      Check(network_, *phase.program).run();
    }
  }

 private:
  static void require(bool holds, const char* otherwise) {
    if (!holds) reject(otherwise);
  }

  void value(std::uint32_t number) const { require(number < program_.values, "a value lies outside"); }

  void layout() const {
    require(network_.fluents.size() == program_.fluents, "names and fluents differ in number");
    require(network_.moves.size() == program_.legal.size() && program_.goals.size() == program_.legal.size(),
            "roles differ in number");
    require(program_.first_fluent == 3, "the fluents are elsewhere");
    require(program_.first_move == std::uint64_t{3} + program_.fluents, "the moves are elsewhere");
    for (std::size_t role = 0; role < program_.legal.size(); ++role)
      require(network_.moves[role].size() == program_.legal[role].size(), "names and moves differ in number");
    // Every gate has an operand in the file, so that the number of values is in proportion to its size.
    std::uint64_t gates = 0;
    for (const auto& run : program_.runs) gates += run.count;
    require(gates == program_.gates && network_.loop_variables <= kMostLoops &&
                program_.values == first_loop_ + network_.loop_variables + gates,
            "values differ in number");
  }

  void gates(const LaneProgram::Run& run) const {
    using Shape = LaneProgram::Shape;
    require(run.shape == Shape::kAnd || run.shape == Shape::kOr || run.shape == Shape::kNot, "no shape of a gate");
    require(run.plain >= 1 && (run.shape == Shape::kAnd || run.complemented == 0), "a gate without inputs");
    require(run.shape != Shape::kNot || run.plain == 1, "a complement of several values");
    require(run.value >= first_loop_ && std::uint64_t{run.value} + run.count <= program_.values, "a gate lies outside");
    const std::uint64_t width = std::uint64_t{run.plain} + run.complemented;
    require(run.operand <= program_.operands.size() && run.count <= (program_.operands.size() - run.operand) / width,
            "the operands lie outside");
    for (std::uint64_t i = 0; i < run.count * width; ++i) value(program_.operands[run.operand + i]);
  }

  void goals() const {
    for (const auto& goals : program_.goals) {
      int last = -1;
      for (const auto& goal : goals) {
        require(goal.value > last && goal.value <= 100, "goal values out of order");
        last = goal.value;
        value(goal.holds);
      }
    }
  }

  void wins() const {
    require(program_.wins.size() == program_.legal.size(), "roles differ in number");
    for (std::size_t role = 0; role < program_.wins.size(); ++role) {
      std::int64_t last = -1;
      for (const auto& win : program_.wins[role]) {
        require(win.move > last && win.move < program_.legal[role].size(), "winning moves out of order");
        last = win.move;
        value(win.holds);
      }
    }
  }

  void initial_state() const {
    require(program_.initial.size() == (std::size_t{program_.fluents} + 63) / 64, "the initial state is too long");
    if (program_.fluents % 64 != 0)
      require(program_.initial.back() >> (program_.fluents % 64) == 0, "the initial state has unknown fluents");
  }

  const CompiledNetwork& network_;
  const LaneProgram& program_;
  std::uint64_t first_loop_;  // value of the first loop variable
};

}  // namespace

std::string write_network(const CompiledNetwork& network) {
  Writer content;
  content(network);
  Writer file;
  file(kMagic, kVersion, checksum(content.bytes));
  return file.bytes + content.bytes;
}

CompiledNetwork read_network(std::string_view bytes) {
  std::uint32_t magic, version;
  std::uint64_t sum;
  Reader header(bytes);
  header(magic, version, sum);
  if (magic != kMagic) reject("it begins with something else");
  if (version != kVersion) reject("it has another version");
  const auto content = bytes.substr(kHeader);
  if (sum != checksum(content)) reject("its checksum is wrong");
  CompiledNetwork network;
  Reader reader(content);
  reader(network);
  if (!reader.at_end()) reject("it continues after its end");
  const Check check(network, network.program);
  check.run();
  check.phases();
  return network;
}

}  // namespace ggp

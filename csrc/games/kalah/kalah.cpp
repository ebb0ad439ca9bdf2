// A word contains the seeds of one side, one byte for each place: houses 1 to 6, then the store. The two words are
// swapped when the turn changes, so nothing depends on the role to move. There are 48 seeds, so no byte overflows into
// the next.
//
// A sowing is one addition to each word; a table contains the addends for each house and number of seeds. Unpredictable
// conditions use masks instead of branches.
//
// A move has the number of its house, from 0. A player whose last seed falls into its own store moves again.

#include <cmath>
#include <iterator>
#include <sstream>

#include "games/common/module_of.hpp"
#include "games/common/square_board.hpp"

namespace ggp {
namespace {

constexpr int kHouses = 6;
constexpr int kRing = 13;       // places on which a player sows: the own houses and store, the other's houses
constexpr std::uint32_t kSeeds = 48;
constexpr std::uint32_t kHalf = kSeeds / 2;
constexpr int kStore = 8 * kHouses;                              // the position of the byte of the store, in bits
constexpr std::uint64_t kHousesMask = (std::uint64_t{1} << kStore) - 1;
constexpr std::uint64_t kStart = 0x040404040404;

constexpr std::uint64_t mask_if(bool condition) { return 0 - std::uint64_t{condition}; }
constexpr std::uint32_t byte_at(std::uint64_t word, int shift) {
  return static_cast<std::uint32_t>(word >> shift & 0xFF);
}

// The effect of sowing a number of seeds from a house.
struct Sowing {
  std::uint64_t mine, theirs;  // addends of the words; the house itself loses its seeds
  std::uint64_t last;          // the byte of the own house where the last seed falls; 0 if it falls elsewhere
  std::uint64_t alone;         // that byte with one seed in it; all bits, which equals no word, if `last` is 0
  std::uint32_t across;        // the shift in bits of the opposite house
  std::uint32_t again;         // 1 if the last seed falls into the own store
};
struct Sowings {
  Sowing of[kHouses][kSeeds + 1];
};
constexpr Sowings sowings() {
  Sowings made{};
  for (int house = 0; house < kHouses; ++house)
    for (std::uint32_t seeds = 1; seeds <= kSeeds; ++seeds) {
      Sowing& sowing = made.of[house][seeds];
      sowing.mine = 0 - (std::uint64_t{seeds} << (8 * house));
      int place = house;
      for (std::uint32_t i = 0; i < seeds; ++i) {
        place = (place + 1) % kRing;
        if (place <= kHouses)
          sowing.mine += std::uint64_t{1} << (8 * place);
        else
          sowing.theirs += std::uint64_t{1} << (8 * (place - kHouses - 1));
      }
      sowing.alone = ~std::uint64_t{0};
      if (place < kHouses) {
        sowing.last = std::uint64_t{0xFF} << (8 * place);
        sowing.alone = std::uint64_t{1} << (8 * place);
        sowing.across = static_cast<std::uint32_t>(8 * (kHouses - 1 - place));
      }
      sowing.again = place == kHouses ? 1 : 0;
    }
  return made;
}
constexpr Sowings kSowings = sowings();

struct Kalah {
  struct State {
    std::uint64_t mine, theirs;  // seeds of the role to move, and of the other role
    std::uint64_t hash;
    std::uint64_t mover;         // 0 or 1
  };
  struct Move {
    int house;
  };
  static constexpr int kRoles = 2;
  static constexpr int kMoves = kHouses;

  static std::uint64_t hash(const State& state) {
    return mix64(state.mine + mix64(state.theirs ^ state.mover << 63));
  }

  // ---- rules

  static State initial() {
    State state{};
    state.mine = state.theirs = kStart;
    state.hash = hash(state);
    return state;
  }
  static int mover(const State& state) { return static_cast<int>(state.mover); }
  static bool terminal(const State& state) {
    return ((state.mine & kHousesMask) == 0) | ((state.theirs & kHousesMask) == 0);
  }
  // The number of all seeds of a side, which is the score at the end.
  static int seeds_of(std::uint64_t side) {
    int sum = 0;
    for (; side != 0; side >>= 8) sum += static_cast<int>(side & 0xFF);
    return sum;
  }
  static int goal(const State& state, int role) {
    const int own = seeds_of(role == mover(state) ? state.mine : state.theirs);
    return own > static_cast<int>(kHalf) ? 100 : own == static_cast<int>(kHalf) ? 50 : 0;
  }

  static const Sowing& sowing(const State& state, Move move) {
    return kSowings.of[move.house][byte_at(state.mine, 8 * move.house)];
  }
  // Whether the last seed is alone in an own house; `mine` is the own word after the sowing.
  static bool takes(const Sowing& sowing, std::uint64_t mine) { return (mine & sowing.last) == sowing.alone; }
  template <bool kHashed>
  static void play(State& state, Move move) {
    const Sowing& sowing = Kalah::sowing(state, move);
    std::uint64_t mine = state.mine + sowing.mine, theirs = state.theirs + sowing.theirs;
    const std::uint64_t taking = mask_if(takes(sowing, mine));
    const std::uint64_t taken = theirs >> sowing.across & 0xFF & taking;
    theirs -= taken << sowing.across;
    mine = (mine & ~(sowing.last & taking)) + ((taken + (taking & 1)) << kStore);
    const std::uint64_t swapped = (mine ^ theirs) & (std::uint64_t{sowing.again} - 1);
    state.mine = mine ^ swapped;
    state.theirs = theirs ^ swapped;
    state.mover ^= 1 - sowing.again;
    if constexpr (kHashed) state.hash = hash(state);
  }

  // The highest bit of the byte of each house with seeds.
  static std::uint64_t filled(std::uint64_t side) {
    return ((side & kHousesMask) + 0x7F7F7F7F7F7F) & 0x808080808080;
  }
  template <class Visit>
  static void for_each_move(const State& state, Visit&& visit) {
    for (std::uint64_t left = filled(state.mine); left != 0; left &= left - 1) visit(Move{__builtin_ctzll(left) / 8});
  }
  static std::uint64_t legal_bits(const State& state) {
    return (filled(state.mine) >> 7) * 0x0102040810204080 >> 56;  // gathers the lowest bits of the bytes
  }
  static int number(const State&, Move move) { return move.house; }
  static Move move(const State&, int number) { return {number}; }
  template <class Bits>
  static LeafCounts count(const State& state) {
    return count_by_playing<Kalah>(state);
  }

  template <class Bits>
  static Move random_move(const State& state, std::uint64_t& random) {
    const std::uint64_t houses = filled(state.mine);
    const std::uint32_t all = Bits::count(houses);
    const std::uint64_t not_drawn = random;
    const std::uint64_t one = std::uint64_t{1} << draw_below(random, all);
    random = all == 1 ? not_drawn : random;
    return {__builtin_ctzll(Bits::deposit(one, houses)) / 8};
  }

  // ---- policy and evaluation

  // The immediate gain of a sowing.
  struct Gain {
    std::uint32_t store;  // seeds in the own store after it
    bool again, takes;    // moves again; captures at least one seed of the opposite house
  };
  static Gain gain(const State& state, Move move) {
    const Sowing& sowing = Kalah::sowing(state, move);
    const std::uint64_t mine = state.mine + sowing.mine;
    const bool taking = takes(sowing, mine);
    const std::uint32_t taken = taking ? byte_at(state.theirs + sowing.theirs, static_cast<int>(sowing.across)) : 0;
    return {byte_at(mine, kStore) + taken + taking, sowing.again != 0, taken > 0};
  }

  // A sowing after which the own store has more than half of all seeds, which decides the game; else any sowing, with
  // weight 4 if the player moves again or captures seeds, else 1.
  template <class Bits>
  static Drawn<Move> policy_move(const State& state, std::uint64_t& random) {
    std::uint32_t below[kHouses], all = 0;
    int houses[kHouses], count = 0;
    for (std::uint64_t left = filled(state.mine); left != 0; left &= left - 1) {
      const int house = __builtin_ctzll(left) / 8;
      const Gain gain = Kalah::gain(state, {house});
      if (gain.store > kHalf && byte_at(state.mine, kStore) <= kHalf) return {{house}, true};
      all += gain.again || gain.takes ? 4 : 1;
      houses[count] = house;
      below[count++] = all;
    }
    if (count == 1) return {{houses[0]}, false};
    const std::uint32_t place = draw_below(random, all);
    int chosen = 0;
    while (below[chosen] <= place) ++chosen;
    return {{houses[chosen]}, false};
  }

  // (seeds of the winner - seeds of the loser) / all seeds; 0 if the winner has fewer.
  static double quality(const State& state, int winner) {
    const int more = seeds_of(state.mine) - seeds_of(state.theirs);
    return std::max(0, winner == mover(state) ? more : -more) / static_cast<double>(kSeeds);
  }

  // stores: tanh(D / 10), D: the difference of the seeds in the stores.
  static double evaluation(const State& state, int) {
    const double own = byte_at(state.mine, kStore), other = byte_at(state.theirs, kStore);
    const double value = std::tanh((own - other) / 10);
    return state.mover == 0 ? value : -value;
  }

  // ---- text

  static ModuleFacts facts() { return {"kalah", "kalah", kHouses, {"north", "south"}, {"stores"}}; }
  static std::string move_text(int, int number) { return std::to_string(number + 1); }
  static std::string move_in(const State& state, int number) {
    const Gain gain = Kalah::gain(state, {number});
    return move_text(0, number) + (gain.again ? "+" : gain.takes ? "x" : "");
  }
  static int read_move(int, std::string_view text) {
    if (text.size() == 2 && (text[1] == '+' || text[1] == 'x')) text.remove_suffix(1);
    return text.size() == 1 && text[0] >= '1' && text[0] <= '6' ? text[0] - '1' : -1;
  }

  //              6  5  4  3  2  1
  //    north  0  4  4  4  4  4  4
  //    south     4  4  4  4  4  4  0
  //              1  2  3  4  5  6
  //    north to move
  // For each place of each side (houses, then the store), one fluent for each number of seeds; then the role to move.
  struct Fluents {
    static constexpr int kPlaces = kHouses + 1, kNumbers = kSeeds + 1, kTurn = 2 * kPlaces * kNumbers, kCount = kTurn + 2;
  };
  template <class See>
  static void for_each_fluent(const State& state, See&& see) {
    for (int role = 0; role < kRoles; ++role)
      for (int place = 0; place < Fluents::kPlaces; ++place) {
        const std::uint32_t seeds = byte_at(role == mover(state) ? state.mine : state.theirs, 8 * place);
        see((role * Fluents::kPlaces + place) * Fluents::kNumbers + static_cast<int>(seeds));
      }
    see(Fluents::kTurn + mover(state));
  }
  static std::string board(const State& state) {
    const auto number = [](std::uint32_t seeds) { return (seeds < 10 ? "  " : " ") + std::to_string(seeds); };
    const std::uint64_t sides[2] = {state.mover == 0 ? state.mine : state.theirs,
                                    state.mover == 0 ? state.theirs : state.mine};
    std::string text[4] = {"        ", "north" + number(byte_at(sides[0], kStore)), "south   ", "        "};
    for (int i = 0; i < kHouses; ++i) {
      const int opposite = kHouses - 1 - i;
      text[0] += number(static_cast<std::uint32_t>(opposite + 1));
      text[1] += number(byte_at(sides[0], 8 * opposite));
      text[2] += number(byte_at(sides[1], 8 * i));
      text[3] += number(static_cast<std::uint32_t>(i + 1));
    }
    text[2] += number(byte_at(sides[1], kStore));
    std::string lines;
    for (const std::string& line : text) lines += line + '\n';
    return lines + facts().roles[state.mover] + " to move\n";
  }

  // The seeds in the line of a side: the name of the side, then seven numbers.
  static std::uint64_t seeds_in(const std::vector<std::string>& words, int role) {
    const std::string line = "the line of " + words[0] + " has ";
    std::uint64_t side = 0;
    for (std::size_t i = 1; i < words.size(); ++i) {
      std::uint32_t number = 0;
      for (const char c : words[i]) {
        if (c < '0' || c > '9') refuse(line + "'" + words[i] + "', which is not a number");
        number = std::min(10 * number + static_cast<std::uint32_t>(c - '0'), kSeeds + 1);
      }
      if (number > kSeeds) refuse(line + "a place with more than 48 seeds");
      const std::size_t place = role == 0 ? kHouses + 1 - i : i - 1;
      if (place <= kHouses) side |= std::uint64_t{number} << (8 * place);
    }
    if (words.size() != kHouses + 2)
      refuse(line + std::to_string(words.size() - 1) + " numbers, not 7: six houses and the store");
    return side;
  }
  static State read_board(std::string_view text) {
    const std::vector<std::string> roles = facts().roles;
    std::uint64_t sides[2] = {};
    bool has_side[2] = {};
    int mover = -1;
    while (!text.empty()) {
      std::istringstream line{std::string(take_line(text))};
      const std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
      if (words.empty() || words[0] == "1" || words[0] == "6") continue;  // the numbers of the houses
      const std::string& name = words[0];
      const int role = name == roles[0] ? 0 : name == roles[1] ? 1 : -1;
      if (role < 0) refuse("no role is called " + name + "; there are north and south");
      if (words.size() > 1 && words[1] == "to") {
        if (words.size() != 3 || words[2] != "move") refuse("write '" + name + " to move'");
        mover = role;
        continue;
      }
      if (has_side[role]) refuse("there are two lines of " + name);
      has_side[role] = true;
      sides[role] = seeds_in(words, role);
    }
    for (int role = 0; role < kRoles; ++role)
      if (!has_side[role]) refuse("there is no line of " + roles[role]);
    if (mover < 0) refuse("the role to move is missing: write 'north to move' or 'south to move' below the board");
    const int seeds = seeds_of(sides[0]) + seeds_of(sides[1]);
    if (seeds != static_cast<int>(kSeeds)) refuse("there are " + std::to_string(seeds) + " seeds, not 48");
    State state{sides[mover], sides[1 - mover], 0, static_cast<std::uint64_t>(mover)};
    state.hash = hash(state);
    return state;
  }
};

}  // namespace

void add_kalah(Modules& modules) { add_modules<Kalah>(modules); }

}  // namespace ggp

// The choice of moves for all lanes together: in every lane the k-th legal move of a role in an order of its moves,
// with k from the random stream of the lane. Lanes have no lists of moves.
//
// 1. A walk over the moves of a role lists the moves that are legal in some lane. Two accumulators (at least one, at
//    least two legal moves) find the lanes with a real choice. In all other lanes the single legal move is chosen at
//    once. In lanes that look ahead, moves that win are chosen at once, too. Later steps process listed moves only.
// 2. In turn-taking games at most one role of a lane has a choice, so all roles are drawn together, each in its own
//    lanes. If several roles of a lane choose, further passes process them in role order.
// 3. The legal moves of each lane are counted: bit b of the count is the bit of the lane in plane b. Carry-save adders
//    add eight moves together (of three bits one stays and one is carried: Wallace, IEEE Trans. EC 13, 1964).
// 4. Transpositions of 8x8 bits turn the planes into numbers. For one lane of each word at a time, k is drawn in
//    0 .. count - 1. Transpositions turn k into planes. rank_choice.hpp describes the distribution: uniform or with a
//    preference for the first moves of the order.
// 5. A second walk over the list subtracts 1 from k at each legal move. If the subtraction borrows beyond the last
//    plane, k was 0, and the move is chosen. Then k is 2^planes - 1, and too few legal moves follow to borrow again.

template <int kWords>
struct Choice : Vectors<kWords> {
  using typename Vectors<kWords>::Value;
  using Vectors<kWords>::any;

  static constexpr int kMostPlanes = 32;

  static void choose(const RoleChoice* roles, int count, const std::uint64_t* mask, const ChoiceScratch& scratch,
                     std::uint64_t* words) {
    force(roles, count, mask, scratch, words);
    draw(count, scratch, words);
  }

  static void choose_by_rank(const RoleChoice* roles, int count, const std::uint64_t* mask, const RankedChoice& choice,
                             const ChoiceScratch& scratch, std::uint64_t* words) {
    force(roles, count, mask, scratch, words);
    const Value* pass = reinterpret_cast<const Value*>(scratch.pass);
    const Value noted = Vectors<kWords>::load(choice.noted);
    choose_by(choice.draw, count, scratch, words, [&](int role) {
      Occurrences<kWords>::note(scratch.live[role], pass[role] & noted, words,
                                roles[role].first_move, choice.occurred[role]);
    });
  }

  // Steps 2 to 5; calls taken(role) after the moves of the role are set in the lanes of scratch.pass.
  template <class Taken>
  static void choose_by(const RankDraw& draw, int count, const ChoiceScratch& scratch, std::uint64_t* words,
                        Taken taken) {
    Value* values = reinterpret_cast<Value*>(words);
    const Value* pass = reinterpret_cast<const Value*>(scratch.pass);
    for (Value lanes = next_pass(count, scratch); any(lanes); lanes = next_pass(count, scratch)) {
      Value planes[kMostPlanes];
      const int used = count_moves(count, scratch, values, planes);
      draw_places(draw, used, lanes, scratch.random, planes);
      for (int role = 0; role < count; ++role) {
        if (!any(pass[role])) continue;
        take(used, scratch.live[role], planes, pass[role], values);
        taken(role);
      }
    }
  }

  static void draw(int count, const ChoiceScratch& scratch, std::uint64_t* words) {
    choose_by(RankDraw{}, count, scratch, words, [](int) {});
  }

  // Step 1.
  static void force(const RoleChoice* roles, int role_count, const std::uint64_t* mask_words,
                    const ChoiceScratch& scratch, std::uint64_t* words) {
    Value* values = reinterpret_cast<Value*>(words);
    Value* many = reinterpret_cast<Value*>(scratch.many);
    const Value mask = Vectors<kWords>::load(mask_words);
    for (int role = 0; role < role_count; ++role) {
      const RoleChoice from = roles[role];
      MoveValues* const live = scratch.live[role].moves;
      Value one = {}, two = {};
      std::uint32_t count = 0;
      const auto add = [&](std::uint32_t i) {
        const MoveValues move = from.all[from.order[i]];
        const Value legal = values[move.legal] & mask;
        two |= one & legal;
        one |= legal;
        live[count] = move;
        count += any(legal);
      };
      std::uint32_t i = 0;
      // Among eight moves, often none is legal, except after eight moves of which some are.
      for (bool expected = false; i + 8 <= from.listed; i += 8) {
        if (!expected) {
          Value some = {};
          for (int k = 0; k < 8; ++k) some |= values[from.all[from.order[i + k]].legal];
          if (!any(some & mask)) continue;
        }
        const std::uint32_t before = count;
        for (int k = 0; k < 8; ++k) add(i + k);
        expected = count != before;
      }
      for (; i < from.listed; ++i) add(i);
      scratch.live[role].count = count;
      for (std::uint32_t i = 0; i < LiveMoves::kPadding; ++i) {
        live[count + i] = {LaneProgram::kZeros, LaneProgram::kZeros};
      }
      many[role] = two;
      set_single(scratch.live[role], one & ~two, values);
      if (from.winning == 0) continue;
      Value open = two & values[LaneProgram::kLooksAhead];
      many[role] &= ~open;
      for (const auto *win = from.wins, *end = win + from.winning; win != end; ++win) {
        const Value taken = values[win->holds] & open;
        values[from.first_move + win->move] |= taken;
        open &= ~taken;
      }
      many[role] |= open;
    }
  }

  // Chooses the legal move in lanes with only one: among eight moves, often none.
  static void set_single(const LiveMoves& live, const Value& lanes, Value* values) {
    if (!any(lanes)) return;
    const MoveValues* end = live.moves + live.count;
    for (const MoveValues* eight = live.moves; eight < end; eight += 8) {
      Value some = {};
      for (int i = 0; i < 8; ++i) some |= values[eight[i].legal];
      if (!any(some & lanes)) continue;
      for (int i = 0; i < 8; ++i) values[eight[i].move] |= values[eight[i].legal] & lanes;
    }
  }

  // Step 2: moves the next role of each lane from scratch.many to scratch.pass, and returns the lanes that have one.
  static Value next_pass(int count, const ChoiceScratch& scratch) {
    Value* many = reinterpret_cast<Value*>(scratch.many);
    Value* pass = reinterpret_cast<Value*>(scratch.pass);
    Value covered = {};
    for (int role = 0; role < count; ++role) {
      pass[role] = many[role] & ~covered;
      many[role] &= covered;
      covered |= pass[role];
    }
    return covered;
  }

  // `low` becomes the sum of the three bits, `carry` the carry.
  static void add(Value& low, const Value& a, const Value& b, Value& carry) {
    const Value either = low ^ a;
    carry = (low & a) | (either & b);
    low = either ^ b;
  }

  // Step 3: returns the number of planes that the largest count needs.
  static int count_moves(int count, const ChoiceScratch& scratch, const Value* values, Value* planes) {
    const Value* pass = reinterpret_cast<const Value*>(scratch.pass);
    int used = 1;
    planes[0] = Value{};
    for (int role = 0; role < count; ++role) {
      if (!any(pass[role])) continue;
      const LiveMoves live = scratch.live[role];
      Value of_role[kMostPlanes];
      const int width = 32 - __builtin_clz(live.count < 8 ? 8 : live.count);
      for (int b = 3; b < width; ++b) of_role[b] = Value{};
      Value ones = {}, twos = {}, fours = {};
      for (std::uint32_t i = 0; i < live.count; i += 8) {
        Value eights;
        add_eight(live.moves + i, values, ones, twos, fours, eights);
        for (int b = 3; b < width; ++b) {
          const Value carry = of_role[b] & eights;
          of_role[b] ^= eights;
          eights = carry;
        }
      }
      of_role[0] = ones;
      of_role[1] = twos;
      of_role[2] = fours;
      for (int b = 0; b < width; ++b) {
        const Value plane = of_role[b] & pass[role];
        if (b < used) {
          planes[b] |= plane;
        } else if (any(plane)) {
          for (; used < b; ++used) planes[used] = Value{};
          planes[used++] = plane;
        }
      }
    }
    return used;
  }

  // Adds the number of legal moves among eight; the carry has the weight eight.
  static void add_eight(const MoveValues* moves, const Value* values, Value& ones, Value& twos, Value& fours,
                        Value& eights) {
    const auto legal = [&](int i) -> const Value& { return values[moves[i].legal]; };
    Value two_a, two_b, two_c, two_d, four_a, four_b;
    add(ones, legal(0), legal(1), two_a);
    add(ones, legal(2), legal(3), two_b);
    add(twos, two_a, two_b, four_a);
    add(ones, legal(4), legal(5), two_c);
    add(ones, legal(6), legal(7), two_d);
    add(twos, two_c, two_d, four_b);
    add(fours, four_a, four_b, eights);
  }

  // Step 4: replaces the counts of the lanes by drawn numbers below them.
  static void draw_places(const RankDraw& by, int used, const Value& lanes, std::uint64_t* random, Value* planes) {
    if (by.kind == RankDraw::Kind::kUniform) return draw_places<RankDraw::Kind::kUniform>(by, used, lanes, random, planes);
    draw_places<RankDraw::Kind::kGeometric>(by, used, lanes, random, planes);
  }

  template <RankDraw::Kind kKind>
  static void draw_places(const RankDraw& by, int used, const Value& lanes, std::uint64_t* random, Value* planes) {
    if (used <= 8) {
      draw_places<kKind, 1>(by, used, lanes, random, planes);
    } else if (used <= 16) {
      draw_places<kKind, 2>(by, used, lanes, random, planes);
    } else {
      draw_places<kKind, 4>(by, used, lanes, random, planes);
    }
  }

  // Numbers of kBytes bytes: byte j of the number of lane 8 * b + l of a word is byte b of row 8 * j + l.
  template <RankDraw::Kind kKind, int kBytes>
  static void draw_places(const RankDraw& by, int used, const Value& lanes, std::uint64_t* random, Value* planes) {
    Value counts[8 * kBytes], places[8 * kBytes];
    for (int b = 0; b < 8 * kBytes; ++b) counts[b] = b < used ? planes[b] : Value{};
    for (int j = 0; j < kBytes; ++j) Vectors<kWords>::transpose_bytes(counts + 8 * j);

    std::uint64_t some = 0;
    for (int w = 0; w < kWords; ++w) some |= reinterpret_cast<const std::uint64_t*>(&lanes)[w];
    Value* states = reinterpret_cast<Value*>(random);
    for (int row = 0; row < 8; ++row) {
      const Value of_row = lanes >> row;
      Value places_of_row[kBytes] = {};
      const auto draw_byte = [&](int b) __attribute__((always_inline)) {
        if ((some >> (8 * b + row) & 1) == 0) return;
        Value number = {};
        for (int j = 0; j < kBytes; ++j) number |= (counts[8 * j + row] >> 8 * b & std::uint64_t{0xFF}) << (8 * j);
        Value place;
        draw_place<kKind>(by, used, states[8 * b + row], of_row >> 8 * b & std::uint64_t{1}, number, place);
        for (int j = 0; j < kBytes; ++j) places_of_row[j] |= (place >> (8 * j) & std::uint64_t{0xFF}) << 8 * b;
      };
      // Constant shifts are faster; other distributions take much longer than the shifts.
      if constexpr (kKind == RankDraw::Kind::kUniform) {
        draw_byte(0), draw_byte(1), draw_byte(2), draw_byte(3), draw_byte(4), draw_byte(5), draw_byte(6), draw_byte(7);
      } else {
        for (int b = 0; b < 8; ++b) draw_byte(b);
      }
      for (int j = 0; j < kBytes; ++j) places[8 * j + row] = places_of_row[j];
    }
    for (int j = 0; j < kBytes; ++j) Vectors<kWords>::transpose_bytes(places + 8 * j);
    for (int b = 0; b < used; ++b) planes[b] = places[b];
  }

  // draw_rank() of rank_choice.hpp in each word in which `on` is 1; 0 in other words, where n is 0.
  template <RankDraw::Kind kKind>
  [[gnu::always_inline]] static void draw_place(const RankDraw& by, int used, Value& state, const Value& on,
                                                const Value& n, Value& place) {
    if constexpr (kKind == RankDraw::Kind::kUniform) {
      place = Vectors<kWords>::multiply(draw_number(state, on) >> 32, n) >> 32;
    } else {
      const Value u = draw_number(state, on) >> 32;
      const std::uint64_t last = (std::uint64_t{1} << by.tail_bits) - 1;
      Value cut, tail;
      Vectors<kWords>::look_up(by.tails, smaller(n, Value{} + last), cut);
      const Value v = cut + u - (Vectors<kWords>::multiply(u, cut) >> 32);
      place = Value{};
      for (int bit = (used < by.tail_bits ? used : by.tail_bits) - 1; bit >= 0; --bit) {
        const Value further = place + (std::uint64_t{1} << bit);
        Vectors<kWords>::look_up(by.tails, further, tail);
        place += (Value)(tail > v) & std::uint64_t{1} << bit;
      }
    }
  }

  static Value smaller(const Value& a, const Value& b) {
    const Value less = (Value)(a < b);
    return b ^ ((a ^ b) & less);
  }

  // draw() of random.hpp in each word in which `on` is 1.
  [[gnu::always_inline]] static Value draw_number(Value& state, const Value& on) {
    state += -on & std::uint64_t{0x9E3779B97F4A7C15};
    Value z = state;
    z = (z ^ (z >> 30)) * std::uint64_t{0xBF58476D1CE4E5B9};
    z = (z ^ (z >> 27)) * std::uint64_t{0x94D049BB133111EB};
    return z ^ (z >> 31);
  }

  // Step 5, for one role. Many planes are processed once for eight moves instead of for each move.
  static void take(int used, const LiveMoves& live, const Value* places, const Value& open, Value* values) {
    switch (used) {
      case 1: return take_singly<1>(live, places, open, values);
      case 2: return take_singly<2>(live, places, open, values);
      case 3: return take_singly<3>(live, places, open, values);
      case 4: return take_singly<4>(live, places, open, values);
      case 5: return take_singly<5>(live, places, open, values);
      default: return take_by_eights(used, live, places, open, values);
    }
  }

  // Subtracts 1 from k in the lanes of `borrow`; `borrow` becomes the lanes in which k was 0.
  template <int kPlanes>
  static void subtract(Value* k, Value& borrow) {
    for (int b = 0; b < kPlanes; ++b) {
      const Value next = borrow & ~k[b];
      k[b] ^= borrow;
      borrow = next;
    }
  }

  template <int kPlanes>
  static void take_singly(const LiveMoves& live, const Value* places, const Value& open, Value* values) {
    Value k[kPlanes];
    for (int b = 0; b < kPlanes; ++b) k[b] = places[b];
    const Value lanes = open;
    const MoveValues* end = live.moves + live.count;
    for (const MoveValues* move = live.moves; move != end; ++move) {
      Value taken = values[move->legal];
      subtract<kPlanes>(k, taken);
      values[move->move] |= taken & lanes;
    }
  }

  // Subtracts the number of legal moves among eight; if that borrows, the move is one of these, and k is below eight.
  static void take_by_eights(int used, const LiveMoves& live, const Value* places, const Value& open, Value* values) {
    Value k[kMostPlanes];
    for (int b = 0; b < used; ++b) k[b] = places[b];
    const Value lanes = open;
    const MoveValues* end = live.moves + live.count;
    for (const MoveValues* eight = live.moves; eight < end; eight += 8) {
      Value legal[4] = {};  // planes of the number of legal moves
      add_eight(eight, values, legal[0], legal[1], legal[2], legal[3]);
      Value rest[3] = {k[0], k[1], k[2]}, here = {};
      for (int b = 0; b < 4; ++b) {
        const Value less = ~k[b] & legal[b], equal = ~(k[b] ^ legal[b]);
        k[b] ^= legal[b] ^ here;
        here = less | (equal & here);
      }
      for (int b = 4; b < used; ++b) {
        const Value borrow = here & ~k[b];
        k[b] ^= here;
        here = borrow;
      }
      here &= lanes;
      if (!any(here)) continue;
      for (int i = 0; i < 8; ++i) {
        Value taken = values[eight[i].legal];
        subtract<3>(rest, taken);
        values[eight[i].move] |= taken & here;
      }
    }
  }

  // For choices by the caller: the legal moves of the lanes in the next pass, as words of moves. The words of all roles
  // are combined, each masked to the lanes in which its role chooses, and transposed.
  static std::uint32_t lay(const RoleChoice* roles, int count, const ChoiceScratch& scratch,
                           const std::uint64_t* words) {
    const Value* values = reinterpret_cast<const Value*>(words);
    const Value* pass = reinterpret_cast<const Value*>(scratch.pass);
    Value* transposed = reinterpret_cast<Value*>(scratch.transposed);
    next_pass(count, scratch);
    std::uint32_t widest = 0;
    for (int role = 0; role < count; ++role)
      if (any(pass[role]) && roles[role].moves > widest) widest = roles[role].moves;

    const std::uint32_t blocks = (widest + 63) / 64;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      Value* rows = transposed + 64 * block;
      for (int i = 0; i < 64; ++i) rows[i] = Value{};
      for (int role = 0; role < count; ++role) {
        if (roles[role].moves <= 64 * block || !any(pass[role])) continue;
        const std::uint32_t here = roles[role].moves - 64 * block < 64 ? roles[role].moves - 64 * block : 64;
        const MoveValues* moves = roles[role].all + 64 * block;
        for (std::uint32_t i = 0; i < here; ++i) rows[i] |= values[moves[i].legal] & pass[role];
      }
      Vectors<kWords>::transpose(rows);
    }
    return blocks;
  }

  static void clear(const std::uint32_t* begin, const std::uint32_t* end, std::uint64_t* words) {
    Value* values = reinterpret_cast<Value*>(words);
    for (; begin != end; ++begin) values[*begin] = Value{};
  }
};

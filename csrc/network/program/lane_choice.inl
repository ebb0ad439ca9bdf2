// The choice of moves for all lanes together: in every lane the k-th legal move of a role in an order of its moves,
// with k from the random stream of the lane. Lanes have no lists of moves.
//
// 1. A walk over the moves of a role lists the moves that are legal in some lane. Later steps process listed moves only.
//    The walk also counts the legal moves of each lane: bit b of the count is the bit of the lane in plane b. Carry-save
//    adders add eight moves together (of three bits one stays and one is carried: Wallace, IEEE Trans. EC 13, 1964).
// 2. In lanes that look ahead, moves that win are chosen at once. Single legal moves are made without a draw.
// 3. In turn-taking games at most one role of a lane has a choice, so all roles are drawn together, each in its own
//    lanes. If several roles of a lane choose, further passes process them in role order.
// 4. Transpositions of 8x8 bits turn the planes into numbers. For one lane of each word at a time, k is drawn in
//    0 .. count - 1. Transpositions turn k into planes. rank_choice.hpp describes the distribution: uniform or with a
//    preference for the first moves of the order.
// 5. A second walk over the list subtracts 1 from k at each legal move. If the subtraction borrows beyond the last
//    plane, k was 0, and the move is chosen. Then k is 2^planes - 1, and too few legal moves follow to borrow again.
//    Long lists are subtracted by eights; the move among the eight is found by halves and pairs.

template <int kWords>
struct Choice : Vectors<kWords> {
  using typename Vectors<kWords>::Value;
  using Vectors<kWords>::any;

  static constexpr int kMostPlanes = ChoiceScratch::kMostPlanes;

  static void choose(const RoleChoice* roles, int count, const std::uint64_t* mask, const ChoiceScratch& scratch,
                     std::uint64_t* words) {
    find(roles, count, mask, scratch, words);
    draw(count, scratch, words);
  }

  static void choose_by_rank(const RoleChoice* roles, int count, const std::uint64_t* mask, const RankedChoice& choice,
                             const ChoiceScratch& scratch, std::uint64_t* words) {
    find(roles, count, mask, scratch, words);
    const Value* pass = reinterpret_cast<const Value*>(scratch.pass);
    const Value noted = Vectors<kWords>::load(choice.noted);
    choose_by(choice.draw, count, scratch, words, [&](int role) {
      Occurrences<kWords>::note(scratch.live[role], pass[role] & noted, words,
                                roles[role].first_move, choice.occurred[role]);
    });
  }

  // Steps 3 to 5; calls taken(role) after the moves of the role are set in the lanes of scratch.pass. The first pass also
  // takes the single moves of the lanes in which no role has a choice: k is 0 in these lanes.
  template <class Taken>
  static void choose_by(const RankDraw& draw, int count, const ChoiceScratch& scratch, std::uint64_t* words,
                        Taken taken) {
    Value* values = reinterpret_cast<Value*>(words);
    const Value* pass = reinterpret_cast<const Value*>(scratch.pass);
    Value* single = reinterpret_cast<Value*>(scratch.single);
    Value lanes = next_pass(count, scratch);
    for (int role = 0; role < count; ++role) {
      // Without a choice in any lane, no walk follows.
      const Value beside = any(lanes) ? single[role] & lanes : single[role];
      set_single(scratch.live[role], beside, values);
      single[role] ^= beside;
    }
    for (; any(lanes); lanes = next_pass(count, scratch)) {
      Value planes[kMostPlanes];
      const int used = count_moves(count, scratch, planes);
      draw_places(draw, used, lanes, scratch.random, planes);
      for (int b = 0; b < used; ++b) planes[b] &= lanes;  // k is 0 for single moves
      for (int role = 0; role < count; ++role) {
        const Value open = pass[role] | single[role];
        if (!any(open)) continue;
        take(used, scratch.live[role], planes, open, values);
        single[role] = Value{};
        if (any(pass[role])) taken(role);
      }
    }
  }

  static void draw(int count, const ChoiceScratch& scratch, std::uint64_t* words) {
    choose_by(RankDraw{}, count, scratch, words, [](int) {});
  }

  static void force(const RoleChoice* roles, int count, const std::uint64_t* mask, const ChoiceScratch& scratch,
                    std::uint64_t* words) {
    find(roles, count, mask, scratch, words);
    Value* single = reinterpret_cast<Value*>(scratch.single);
    for (int role = 0; role < count; ++role) {
      set_single(scratch.live[role], single[role], reinterpret_cast<Value*>(words));
      single[role] = Value{};
    }
  }

  // Steps 1 and 2.
  static void find(const RoleChoice* roles, int role_count, const std::uint64_t* mask_words,
                   const ChoiceScratch& scratch, std::uint64_t* words) {
    Value* values = reinterpret_cast<Value*>(words);
    Value* many = reinterpret_cast<Value*>(scratch.many);
    const Value mask = Vectors<kWords>::load(mask_words);
    for (int role = 0; role < role_count; ++role) {
      const RoleChoice from = roles[role];
      Value* const counts = counts_of(role, scratch);
      list(from, mask, values, scratch.live[role], counts);
      Value two = {};
      for (int b = 1; b < width_of(scratch.live[role].count); ++b) two |= counts[b];
      two &= mask;
      many[role] = two;
      reinterpret_cast<Value*>(scratch.single)[role] = counts[0] & mask & ~two;
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

  static Value* counts_of(int role, const ChoiceScratch& scratch) {
    return reinterpret_cast<Value*>(scratch.counts) + role * ChoiceScratch::kMostPlanes;
  }

  // Planes of a number of moves; at least the four planes of the moves of one addition.
  static int width_of(std::uint32_t moves) { return 32 - __builtin_clz(moves < 8 ? 8 : moves); }

  // Step 1: the moves that are legal in some lane of the mask, and the numbers of legal moves of all lanes. The counts
  // have width_of(live.count) planes; in lanes outside the mask they are not complete.
  static void list(const RoleChoice& from, const Value& mask, const Value* values, LiveMoves& into, Value* counts) {
    MoveValues* const live = into.moves;
    std::uint32_t count = 0;
    int planes = 4;
    Value ones = {}, twos = {}, fours = {}, waiting = {};
    bool waits = false;
    counts[3] = Value{};
    for (std::uint32_t i = 0; i < from.listed; i += 8) {
      const std::uint32_t* order = from.order + i;
      MoveValues eight[8];
      if (i + 8 <= from.listed) {
        for (int k = 0; k < 8; ++k) eight[k] = from.all[order[k]];
      } else {
        for (std::uint32_t k = 0; k < 8; ++k) {
          eight[k] = i + k < from.listed ? from.all[order[k]] : MoveValues{LaneProgram::kZeros, LaneProgram::kZeros};
        }
      }
      Value some = {};
      for (int k = 0; k < 8; ++k) some |= values[eight[k].legal];
      if (!Vectors<kWords>::meet(some, mask)) continue;  // often none of eight is legal
      for (int k = 0; k < 8; ++k) {
        live[count] = eight[k];
        count += Vectors<kWords>::meet(values[eight[k].legal], mask);
      }
      Value eights;
      add_eight(eight, values, ones, twos, fours, eights);
      waits = !waits;
      if (waits) {
        waiting = eights;
        continue;
      }
      Value carry;
      add(counts[3], waiting, eights, carry);
      for (const int width = width_of(count); planes < width; ++planes) counts[planes] = Value{};
      add_sixteens(counts, planes, carry);
    }
    for (const int width = width_of(count); planes < width; ++planes) counts[planes] = Value{};
    if (waits) {
      const Value carry = counts[3] & waiting;
      counts[3] ^= waiting;
      add_sixteens(counts, planes, carry);
    }
    counts[0] = ones;
    counts[1] = twos;
    counts[2] = fours;
    into.count = count;
    for (std::uint32_t i = 0; i < LiveMoves::kPadding; ++i) {
      live[count + i] = {LaneProgram::kZeros, LaneProgram::kZeros};
    }
  }

  // Adds bits of the weight 16 to the planes of a count.
  static void add_sixteens(Value* counts, int planes, Value carry) {
    for (int b = 4; b < planes; ++b) {
      const Value next = counts[b] & carry;
      counts[b] ^= carry;
      carry = next;
    }
  }

  // Makes the single legal moves of the lanes: among eight moves, often none.
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

  // Step 3: moves the next role of each lane from scratch.many to scratch.pass, and returns the lanes that have one.
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
    const Value sum = low ^ a ^ b;
    carry = Vectors<kWords>::majority(low, a, b);
    low = sum;
  }

  // The counts of the roles that choose in this pass; returns the number of planes that the largest one needs.
  static int count_moves(int count, const ChoiceScratch& scratch, Value* planes) {
    const Value* pass = reinterpret_cast<const Value*>(scratch.pass);
    int used = 1;
    planes[0] = Value{};
    for (int role = 0; role < count; ++role) {
      if (!any(pass[role])) continue;
      const Value* counts = counts_of(role, scratch);
      for (int b = 0, width = width_of(scratch.live[role].count); b < width; ++b) {
        const Value plane = counts[b] & pass[role];
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

  // draw_rank() of rank_choice.hpp in each word in which `on` is 1; undefined in other words, where n is 0.
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

  // Subtracts the number of legal moves among eight. If that borrows, the move is one of these, and k is below eight.
  // Then k and the number of legal moves of the first four say in which half the move is, and so on for pairs.
  static void take_by_eights(int used, const LiveMoves& live, const Value* places, const Value& open, Value* values) {
    using V = Vectors<kWords>;
    Value k[kMostPlanes];
    for (int b = 0; b < used; ++b) k[b] = places[b];
    const Value lanes = open;
    const MoveValues* end = live.moves + live.count;
    for (const MoveValues* eight = live.moves; eight < end; eight += 8) {
      const auto legal = [&](int i) -> const Value& { return values[eight[i].legal]; };
      // Numbers of legal moves of pairs and of halves.
      Value low[4], high[4];
      for (int pair = 0; pair < 4; ++pair) {
        low[pair] = legal(2 * pair) ^ legal(2 * pair + 1);
        high[pair] = legal(2 * pair) & legal(2 * pair + 1);
      }
      Value half[2][3];
      for (int h = 0; h < 2; ++h) {
        const Value carry = low[2 * h] & low[2 * h + 1];
        half[h][0] = low[2 * h] ^ low[2 * h + 1];
        half[h][1] = high[2 * h] ^ high[2 * h + 1] ^ carry;
        half[h][2] = V::majority(high[2 * h], high[2 * h + 1], carry);
      }
      const Value rest[3] = {k[0], k[1], k[2]};
      Value carry = {}, here = {};
      for (int b = 0; b < 4; ++b) {
        const Value all = b < 3 ? half[0][b] ^ half[1][b] ^ carry : carry;
        if (b < 3) carry = V::majority(half[0][b], half[1][b], carry);
        const Value difference = k[b] ^ all ^ here;
        here = V::majority(~k[b], all, here);
        k[b] = difference;
      }
      for (int b = 4; b < used; ++b) {
        const Value borrow = here & ~k[b];
        k[b] ^= here;
        here = borrow;
      }
      here &= lanes;
      if (!any(here)) continue;
      // The half; then k is below four.
      const Value less0 = ~rest[0] & half[0][0];
      const Value less1 = V::majority(~rest[1], half[0][1], less0);
      const Value first = V::majority(~rest[2], half[0][2], less1);
      const Value k0 = rest[0] ^ (half[0][0] & ~first);
      const Value k1 = rest[1] ^ ((half[0][1] ^ less0) & ~first);
      // The pair of the half; then k is below two.
      const Value pair_low = V::either(first, low[0], low[2]), pair_high = V::either(first, high[0], high[2]);
      const Value first_pair = V::majority(~k1, pair_high, ~k0 & pair_low);
      const Value last = k0 ^ (pair_low & ~first_pair);
      const Value even = V::either(first, V::either(first_pair, legal(0), legal(2)),
                                   V::either(first_pair, legal(4), legal(6))) & ~last;
      for (int pair = 0; pair < 4; ++pair) {
        const Value there = here & (pair < 2 ? first : ~first) & (pair % 2 == 0 ? first_pair : ~first_pair);
        values[eight[2 * pair].move] |= there & even;
        values[eight[2 * pair + 1].move] |= there & ~even;
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

  static void clear_live(int count, const ChoiceScratch& scratch, std::uint64_t* words) {
    Value* values = reinterpret_cast<Value*>(words);
    for (int role = 0; role < count; ++role) {
      const LiveMoves live = scratch.live[role];
      for (std::uint32_t i = 0; i < live.count; ++i) values[live.moves[i].move] = Value{};
    }
  }
};

// Source of the lane kernels; included by one file per instruction set, inside a namespace of its own and
// with that instruction set switched on. Nothing from the standard library is instantiated here: such
// code could be shared with files that must run on every machine.
//
// Random choice of moves, for W lanes at once:
// 1. Two accumulators over the legal words of a role (at least one, at least two legal moves) find the
//    lanes with a real choice. Elsewhere the single legal move is chosen for all lanes at once; so are,
//    where play-outs look ahead, moves that win at once.
// 2. In turn-taking games at most one role of a lane has a choice, so the legal words of all roles are laid
//    over one another, each masked to the lanes in which its role chooses. Where several roles of a lane
//    choose, further passes take them in role order.
// 3. 64x64 bit transposes turn words of lanes into words of moves; in each lane the k-th set bit is taken,
//    k uniform from the lane's own stream.

template <int kWords>
struct Kernel {
  typedef std::uint64_t Value __attribute__((vector_size(8 * kWords), aligned(8 * kWords), may_alias));
  using Run = LaneProgram::Run;

  template <int kPlain, int kComplemented>
  static void run_and(const Run& run, const std::uint32_t* in, Value* values) {
    Value* out = values + run.value;
    for (std::uint32_t i = 0; i < run.count; ++i, in += kPlain + kComplemented) {
      Value value = values[in[0]];
      for (int k = 1; k < kPlain; ++k) value &= values[in[k]];
      for (int k = 0; k < kComplemented; ++k) value &= ~values[in[kPlain + k]];
      out[i] = value;
    }
  }

  static void run_any_and(const Run& run, const std::uint32_t* in, Value* values) {
    Value* out = values + run.value;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      Value value = values[*in++];
      for (std::uint32_t k = 1; k < run.plain; ++k) value &= values[*in++];
      for (std::uint32_t k = 0; k < run.complemented; ++k) value &= ~values[*in++];
      out[i] = value;
    }
  }

  template <int kInputs>
  static void run_or(const Run& run, const std::uint32_t* in, Value* values) {
    Value* out = values + run.value;
    for (std::uint32_t i = 0; i < run.count; ++i, in += kInputs) {
      Value value = values[in[0]];
      for (int k = 1; k < kInputs; ++k) value |= values[in[k]];
      out[i] = value;
    }
  }

  static void run_any_or(const Run& run, const std::uint32_t* in, Value* values) {
    Value* out = values + run.value;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      Value value = values[*in++];
      for (std::uint32_t k = 1; k < run.plain; ++k) value |= values[*in++];
      out[i] = value;
    }
  }

  static void run_not(const Run& run, const std::uint32_t* in, Value* values) {
    Value* out = values + run.value;
    for (std::uint32_t i = 0; i < run.count; ++i) out[i] = ~values[in[i]];
  }

  static void run(const Run* begin, const Run* end, const std::uint32_t* operands, std::uint64_t* words) {
    Value* values = reinterpret_cast<Value*>(words);
    for (const Run* here = begin; here != end; ++here) {
      const std::uint32_t* in = operands + here->operand;
      switch (here->shape) {
        case LaneProgram::Shape::kAnd:
          switch (here->complemented < 4 && here->plain < 8 ? here->plain * 4 + here->complemented : 0) {
            case 1 * 4 + 1: run_and<1, 1>(*here, in, values); break;
            case 1 * 4 + 2: run_and<1, 2>(*here, in, values); break;
            case 1 * 4 + 3: run_and<1, 3>(*here, in, values); break;
            case 2 * 4 + 0: run_and<2, 0>(*here, in, values); break;
            case 2 * 4 + 1: run_and<2, 1>(*here, in, values); break;
            case 2 * 4 + 2: run_and<2, 2>(*here, in, values); break;
            case 3 * 4 + 0: run_and<3, 0>(*here, in, values); break;
            case 3 * 4 + 1: run_and<3, 1>(*here, in, values); break;
            case 4 * 4 + 0: run_and<4, 0>(*here, in, values); break;
            default: run_any_and(*here, in, values);
          }
          break;
        case LaneProgram::Shape::kOr:
          switch (here->plain) {
            case 2: run_or<2>(*here, in, values); break;
            case 3: run_or<3>(*here, in, values); break;
            case 4: run_or<4>(*here, in, values); break;
            case 5: run_or<5>(*here, in, values); break;
            case 6: run_or<6>(*here, in, values); break;
            default: run_any_or(*here, in, values);
          }
          break;
        case LaneProgram::Shape::kNot: run_not(*here, in, values); break;
      }
    }
  }

  static bool any(const Value& value) {
    std::uint64_t bits = 0;
    for (int w = 0; w < kWords; ++w) bits |= reinterpret_cast<const std::uint64_t*>(&value)[w];
    return bits != 0;
  }

  static bool iterate(const LaneProgram::LoopVariable* begin, const LaneProgram::LoopVariable* end,
                      std::uint64_t* words) {
    Value* values = reinterpret_cast<Value*>(words);
    Value changed = {};
    for (const auto* loop = begin; loop != end; ++loop) {
      changed |= values[loop->variable] ^ values[loop->definition];
      values[loop->variable] = values[loop->definition];
    }
    return any(changed);
  }

  static void copy(const LaneProgram::Copy* begin, const LaneProgram::Copy* end, bool complemented,
                   const std::uint64_t* words, std::uint64_t* target_words) {
    const Value* values = reinterpret_cast<const Value*>(words);
    Value* target = reinterpret_cast<Value*>(target_words);
    if (complemented)
      for (const auto* copy = begin; copy != end; ++copy) target[copy->to] = ~values[copy->from];
    else
      for (const auto* copy = begin; copy != end; ++copy) target[copy->to] = values[copy->from];
  }

  // One stage of the transposition of all 64x64 matrices in rows[0..63], one per word of a value:
  // exchanges the upper right and lower left quadrants of every block of 2 * kSize.
  template <int kSize>
  static void exchange(Value* rows) {
    constexpr std::uint64_t kMask = ~std::uint64_t{0} / ((std::uint64_t{1} << kSize) + 1);
    for (int block = 0; block < 64; block += 2 * kSize)
      for (int i = block; i < block + kSize; ++i) {
        const Value swap = ((rows[i] >> kSize) ^ rows[i + kSize]) & kMask;
        rows[i] ^= swap << kSize;
        rows[i + kSize] ^= swap;
      }
  }

  // Bit l of word w of row i moves to bit i of word w of row l.
  static void transpose(Value* rows) {
    exchange<32>(rows);
    exchange<16>(rows);
    exchange<8>(rows);
    exchange<4>(rows);
    exchange<2>(rows);
    exchange<1>(rows);
  }

  // Position of the k-th set bit, counted from 0.
  static int select(std::uint64_t word, std::uint32_t k) {
#ifdef GGP_KERNEL_HAS_PDEP
    return __builtin_ctzll(_pdep_u64(std::uint64_t{1} << k, word));
#else
    while (k-- > 0) word &= word - 1;
    return __builtin_ctzll(word);
#endif
  }

  static void choose(const RoleChoice* roles, int count, const std::uint64_t* mask, bool keep,
                     const ChoiceScratch& scratch, std::uint64_t* words) {
    force(roles, count, mask, keep, scratch, words);
    while (const std::uint32_t blocks = lay(roles, count, scratch, words)) {
      draw_pass(roles, count, blocks, scratch, words);
    }
  }

  // Step 1.
  static void force(const RoleChoice* roles, int count, const std::uint64_t* mask_words, bool keep,
                    const ChoiceScratch& scratch, std::uint64_t* words) {
    Value* values = reinterpret_cast<Value*>(words);
    Value* many = reinterpret_cast<Value*>(scratch.many);
    Value mask;
    for (int w = 0; w < kWords; ++w) reinterpret_cast<std::uint64_t*>(&mask)[w] = mask_words[w];
    for (int role = 0; role < count; ++role) {
      const std::uint32_t* legal = roles[role].legal;
      Value one = {}, two = {};
      for (std::uint32_t move = 0; move < roles[role].moves; ++move) {
        const Value value = values[legal[move]];
        two |= one & value;
        one |= value;
      }
      many[role] = two & mask;
      const Value single = mask & ~two;
      Value* chosen = values + roles[role].first_move;
      if (keep)
        for (std::uint32_t move = 0; move < roles[role].moves; ++move)
          chosen[move] = (chosen[move] & ~mask) | (values[legal[move]] & single);
      else
        for (std::uint32_t move = 0; move < roles[role].moves; ++move)
          chosen[move] = values[legal[move]] & single;
      if (roles[role].winning == 0) continue;
      Value open = many[role] & values[LaneProgram::kLooksAhead];
      many[role] &= ~open;
      for (const auto *win = roles[role].wins, *end = win + roles[role].winning; win != end; ++win) {
        const Value taken = values[win->holds] & open;
        chosen[win->move] |= taken;
        open &= ~taken;
      }
      many[role] |= open;
    }
  }

  // Step 2 and the transposes of step 3, for the next role of each lane; 0 where no lane has one left.
  static std::uint32_t lay(const RoleChoice* roles, int count, const ChoiceScratch& scratch,
                           const std::uint64_t* words) {
    const Value* values = reinterpret_cast<const Value*>(words);
    Value* many = reinterpret_cast<Value*>(scratch.many);
    Value* pass = reinterpret_cast<Value*>(scratch.pass);
    Value* transposed = reinterpret_cast<Value*>(scratch.transposed);
    Value covered = {};
    std::uint32_t widest = 0;
    for (int role = 0; role < count; ++role) {
      pass[role] = many[role] & ~covered;
      many[role] &= covered;
      covered |= pass[role];
      if (any(pass[role]) && roles[role].moves > widest) widest = roles[role].moves;
    }

    const std::uint32_t blocks = (widest + 63) / 64;
    for (std::uint32_t block = 0; block < blocks; ++block) {
      Value* rows = transposed + 64 * block;
      for (int i = 0; i < 64; ++i) rows[i] = Value{};
      for (int role = 0; role < count; ++role) {
        if (roles[role].moves <= 64 * block || !any(pass[role])) continue;
        const std::uint32_t here = roles[role].moves - 64 * block < 64 ? roles[role].moves - 64 * block : 64;
        const std::uint32_t* legal = roles[role].legal + 64 * block;
        for (std::uint32_t i = 0; i < here; ++i) rows[i] |= values[legal[i]] & pass[role];
      }
      transpose(rows);
    }
    return blocks;
  }

  // The rest of step 3.
  static void draw_pass(const RoleChoice* roles, int count, std::uint32_t blocks, const ChoiceScratch& scratch,
                        std::uint64_t* words) {
    const std::uint64_t* moves = scratch.transposed;
    for (int role = 0; role < count; ++role) {
      std::uint64_t* chosen = words + std::size_t{roles[role].first_move} * kWords;
      for (int w = 0; w < kWords; ++w)
        for (std::uint64_t lanes = scratch.pass[role * kWords + w]; lanes != 0; lanes &= lanes - 1) {
          const int bit = __builtin_ctzll(lanes);
          const std::uint64_t* lane_moves = moves + bit * kWords + w;
          constexpr int kBlock = 64 * kWords;
          std::uint32_t total = 0;
          for (std::uint32_t block = 0; block < blocks; ++block)
            total += static_cast<std::uint32_t>(__builtin_popcountll(lane_moves[block * kBlock]));
          std::uint32_t k = draw_below(scratch.random[64 * w + bit], total);
          std::uint32_t block = 0;
          for (;; ++block) {
            const auto here = static_cast<std::uint32_t>(__builtin_popcountll(lane_moves[block * kBlock]));
            if (k < here) break;
            k -= here;
          }
          const std::uint32_t move = 64 * block + select(lane_moves[block * kBlock], k);
          chosen[std::size_t{move} * kWords + w] |= std::uint64_t{1} << bit;
        }
    }
  }
};

template <int kWords>
constexpr LaneKernel kernel(const char* isa) {
  using K = Kernel<kWords>;
  return {isa, kWords, K::run, K::iterate, K::copy, K::choose, K::force, K::lay};
}

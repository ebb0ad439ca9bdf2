// Source of the lane kernels, included by one file per instruction set, inside a namespace of its own and with that
// instruction set switched on. No templates of the standard library are instantiated here: their code could be shared
// with files that must run on every processor.

#include "network/program/lane_vectors.inl"

#include "network/program/lane_occurrences.inl"

#include "network/program/lane_choice.inl"

template <int kWords>
struct Kernel : Vectors<kWords> {
  using typename Vectors<kWords>::Value;
  using Vectors<kWords>::any;
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

  static void remove(const std::uint64_t* mask, std::uint64_t* words, std::uint32_t count) {
    Value* values = reinterpret_cast<Value*>(words);
    Value lanes;
    __builtin_memcpy(&lanes, mask, sizeof lanes);
    for (std::uint32_t i = 0; i < count; ++i) values[i] &= ~lanes;
  }

  static void merge(const std::uint64_t* mask, const std::uint64_t* from_words, std::uint64_t* to_words,
                    std::uint32_t count) {
    const Value* from = reinterpret_cast<const Value*>(from_words);
    Value* to = reinterpret_cast<Value*>(to_words);
    const Value lanes = Vectors<kWords>::load(mask);
    for (std::uint32_t i = 0; i < count; ++i) to[i] ^= (to[i] ^ from[i]) & lanes;
  }

  static void spread(const std::uint64_t* lanes, int count, std::uint8_t* bytes) {
    for (int w = 0; w < count; ++w, bytes += 64) {
#ifdef GGP_AVX512
      _mm512_storeu_si512(bytes, _mm512_maskz_set1_epi8(lanes[w], 1));
#else
      for (int i = 0; i < 8; ++i) {
        // Copies of a byte, each with another bit kept; nonzero copies carry into the highest bit of their byte.
        const std::uint64_t eight = (lanes[w] >> (8 * i) & 0xFF) * 0x0101010101010101u & 0x8040201008040201u;
        const std::uint64_t spread = (eight + 0x7F7F7F7F7F7F7F7Fu) >> 7 & 0x0101010101010101u;
        __builtin_memcpy(bytes + 8 * i, &spread, 8);
      }
#endif
    }
  }
};

template <int kWords>
constexpr LaneKernel kernel(const char* isa) {
  using K = Kernel<kWords>;
  using C = Choice<kWords>;
  return {isa, kWords, K::run, K::iterate, K::copy, C::choose, C::choose_by_rank, C::force, C::lay, C::draw, K::remove,
          K::merge, C::clear, C::clear_live, Occurrences<kWords>::count, K::spread};
}

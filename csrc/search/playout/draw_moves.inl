// Source of draw_moves(), included once for each kind of processor.

inline std::uint32_t ones(std::uint64_t word) {
#ifdef GGP_DRAW_HAS_PDEP
  return static_cast<std::uint32_t>(__builtin_popcountll(word));
#else
  return static_cast<std::uint32_t>(ones_up_to_bytes(word) >> 56);
#endif
}

// The index of the k-th set bit of a word, from 0.
inline std::uint32_t place_of(std::uint64_t word, std::uint32_t k) {
#ifdef GGP_DRAW_HAS_PDEP
  return static_cast<std::uint32_t>(__builtin_ctzll(_pdep_u64(std::uint64_t{1} << k, word)));
#else
  return place_of_one(word, ones_up_to_bytes(word), k);
#endif
}

void draw_moves(const Choices& choices, int role, std::uint64_t* random, std::uint32_t* out) {
  const std::uint64_t* lanes = choices.of_role(role);
  for (int group = 0; group < choices.groups; ++group) {
    for (std::uint64_t left = lanes[group]; left != 0; left &= left - 1) {
      const int lane = 64 * group + __builtin_ctzll(left);
      std::uint32_t legal = 0;
      for (int block = 0; block < choices.blocks; ++block) legal += ones(choices.word(lane, block));
      std::uint32_t place = even_place(draw(random[lane]), legal);
      int block = 0;
      std::uint64_t word = choices.word(lane, 0);
      for (std::uint32_t here; place >= (here = ones(word)); word = choices.word(lane, ++block)) place -= here;
      out[lane] = static_cast<std::uint32_t>(64 * block) + place_of(word, place);
    }
  }
}

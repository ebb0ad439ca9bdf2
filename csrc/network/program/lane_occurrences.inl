// The moves that occurred in play-outs: for each move a mask of lanes. Play-outs have no list of their moves.
//
// After each choice the vectors of chosen moves, which are the inputs of the network, are added to the masks. When
// play-outs have ended, the lanes are divided into classes, such as lanes of equal reward; the number of occurrences of
// a move in a class is the number of common bits of its mask and the mask of the class. A move that a play-out makes
// twice occurs once.

template <int kWords>
struct Occurrences : Vectors<kWords> {
  using typename Vectors<kWords>::Value;
  using Vectors<kWords>::any;

  // Adds the choices of a role in some lanes; only live moves can have been chosen.
  static void note(const LiveMoves& live, const Value& lanes, const std::uint64_t* words, std::uint32_t first_move,
                   std::uint64_t* occurred_words) {
    if (!any(lanes)) return;
    const Value noted = lanes;
    const Value* values = reinterpret_cast<const Value*>(words);
    Value* occurred = reinterpret_cast<Value*>(occurred_words);
    const MoveValues* end = live.moves + live.count;
    for (const MoveValues* move = live.moves; move != end; ++move) {
      occurred[move->move - first_move] |= values[move->move] & noted;
    }
  }

  static void count(const OccurredCount& what) {
    const Value lanes = Vectors<kWords>::load(what.lanes);
    Value* occurred = reinterpret_cast<Value*>(what.occurred);
    std::uint32_t* counts = what.counts;
    for (std::uint32_t move = 0; move < what.moves; ++move, counts += what.classes) {
      const Value here = occurred[move] & lanes;
      const auto* words = reinterpret_cast<const std::uint64_t*>(&here);
      for (int k = 0; k < what.classes; ++k) counts[k] = 0;
      if (!any(here)) continue;
      occurred[move] ^= here;
      for (int k = 0; k < what.classes; ++k) {
        const std::uint64_t* of_class = what.of_class + k * kWords;
        for (int w = 0; w < kWords; ++w) {
          counts[k] += static_cast<std::uint32_t>(__builtin_popcountll(words[w] & of_class[w]));
        }
      }
    }
  }
};

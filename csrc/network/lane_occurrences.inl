// Which moves occurred in the play-outs of which lanes: for each move a mask of lanes. No play-out has a list of its moves.
//
// After each choice the chosen vectors, which are the inputs of the network, are added to the masks. When play-outs have
// ended, the lanes fall into classes, such as those of equal reward, and how often a move occurred in a class is the
// number of ones that its mask has in common with that of the class. A move that a play-out makes twice occurs once.

template <int kWords>
struct Occurrences : Vectors<kWords> {
  using typename Vectors<kWords>::Value;
  using Vectors<kWords>::any;

  // Adds what a role has chosen in some lanes; only live moves have been.
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

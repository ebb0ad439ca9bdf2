// Checkers by vectors of boards; included once for each instruction set, behind vectors.inl.

using namespace checkers_squares;

// Moves are drawn way after way, on each in the order of the squares that they lead to.
constexpr int kBoards = kLanes<Words>;

Words on(const Words& words, int way) {
  return (words << kRotation[way] | words >> (32 - kRotation[way])) & kReached[way];
}

struct Boards {
  Words mine, theirs, kings, mover, quiet;

  Words empty() const { return ~(mine | theirs); }
  // All bits where men go this way, then the pieces that do.
  Words men_go(int way) const { return way < 2 ? mover - 1 : -mover; }
  Words goers(int way) const { return mine & (kings | men_go(way)); }
};

struct Targets {
  Words of[kWays];
  Words any() const { return of[0] | of[1] | of[2] | of[3]; }
};
Targets steps(const Boards& boards) {
  Targets to;
  for (int way = 0; way < kWays; ++way) to.of[way] = on(boards.goers(way), way) & boards.empty();
  return to;
}
Targets jumps(const Boards& boards) {
  Targets to;
  for (int way = 0; way < kWays; ++way)
    to.of[way] = on(on(boards.goers(way), way) & boards.theirs, way) & boards.empty();
  return to;
}

// Where a first jump may be followed by another one; also on some boards where none is.
Words may_go_on(const Boards& boards, const Words& landings) {
  const Words kings = (Words)((boards.mine & boards.kings) != 0);
  Words further = {};
  for (int way = 0; way < kWays; ++way)
    further |= on(on(landings & (kings | boards.men_go(way)), way) & boards.theirs, way);
  return further & boards.empty();
}

struct Moves {
  Words from, to, victims;
};

// Steps and single jumps; boards on which a jump may be followed by another one are added to `longer`.
Moves draw_moves(const Boards& boards, std::uint32_t which, std::uint64_t* random, std::uint32_t& longer) {
  const Targets jumped = jumps(boards), stepped = steps(boards);
  const Words jumping = (Words)(jumped.any() != 0);
  longer = bits_of(may_go_on(boards, jumped.any())) & which;

  Words to[kWays], before[kWays + 1] = {};  // numbers of moves by the ways up to each
  for (int way = 0; way < kWays; ++way) {
    to[way] = choose(jumping, jumped.of[way], stepped.of[way]);
    before[way + 1] = before[way] + count(to[way]);
  }
  const Words place = draw_below(random, before[kWays] & lanes_of<Words>(which & ~longer));
  Words in_way = to[0], place_in_way = place, rotation = Words{} + kRotation[0];
  for (int way = 1; way < kWays; ++way) {
    const Words there = (Words)(place >= before[way]);
    in_way = choose(there, to[way], in_way);
    place_in_way = choose(there, place - before[way], place_in_way);
    rotation = choose(there, Words{} + kRotation[way], rotation);
  }
  const auto back = [&](const Words& squares) { return squares >> rotation | squares << (32 - rotation); };
  const Words one = nth(in_way, place_in_way), beside = back(one);
  return {choose(jumping, back(beside), beside), one, beside & jumping};
}

void draw_captures(const CheckersSideBySide& boards, int first, std::uint32_t which, std::uint64_t* random,
                   DrawCapture draw_capture, Moves& moves) {
  for (; which != 0; which &= which - 1) {
    const int board = __builtin_ctz(which);
    const CheckersMove move = draw_capture(boards.get(first + board), random[board]);
    moves.from[board] = move.from;
    moves.to[board] = move.to;
    moves.victims[board] = move.victims;
  }
}

Boards played(const Boards& boards, const Moves& moves) {
  const Words king = (Words)((boards.kings & moves.from) != 0);
  const Words path = moves.from ^ moves.to;  // nothing where a walk comes back to its start
  const Words mine = boards.mine ^ path;
  const Words far_row = choose(boards.men_go(0), Words{} + kFarRow[0], Words{} + kFarRow[1]);
  Boards next;
  next.mine = boards.theirs & ~moves.victims;
  next.theirs = mine;
  next.kings = ((boards.kings ^ (path & king)) & ~moves.victims) | (mine & far_row);
  next.quiet = (boards.quiet + 1) & king & (Words)(moves.victims == 0);
  next.mover = boards.mover ^ 1;
  return next;
}

// Boards on which the game is over.
std::uint32_t ended(const Boards& boards, std::uint32_t which) {
  const Words several = (boards.mine & (boards.mine - 1)) | (boards.theirs & (boards.theirs - 1));
  const Words one_king_each = (Words)((several | ((boards.mine | boards.theirs) ^ boards.kings)) == 0);
  const std::uint32_t draws = bits_of((Words)(boards.quiet >= kQuietEnd) | one_king_each) & which;
  std::uint32_t stuck = which & ~bits_of(steps(boards).any());
  if (stuck != 0) stuck &= ~bits_of(jumps(boards).any());
  return draws | stuck;
}

void keep(std::uint32_t* at, const Words& where, const Words& next, const Words& now) {
  store(at, choose(where, next, now));
}

std::uint64_t play_boards(CheckersSideBySide& all, std::uint64_t which_of_all, std::uint64_t* random,
                          DrawCapture draw_capture) {
  std::uint64_t over = 0;
  for (int first = 0; first < CheckersSideBySide::kMost; first += kBoards) {
    const auto which = static_cast<std::uint32_t>(which_of_all >> first & ((std::uint64_t{1} << kBoards) - 1));
    if (which == 0) continue;
    const Boards boards{load<Words>(&all.mine[first]), load<Words>(&all.theirs[first]), load<Words>(&all.kings[first]),
                        load<Words>(&all.mover[first]), load<Words>(&all.quiet[first])};
    std::uint32_t longer;
    Moves moves = draw_moves(boards, which, random + first, longer);
    if (longer != 0) draw_captures(all, first, longer, random + first, draw_capture, moves);
    const Boards next = played(boards, moves);
    over |= std::uint64_t{ended(next, which)} << first;
    const Words where = lanes_of<Words>(which);
    keep(&all.mine[first], where, next.mine, boards.mine);
    keep(&all.theirs[first], where, next.theirs, boards.theirs);
    keep(&all.kings[first], where, next.kings, boards.kings);
    keep(&all.mover[first], where, next.mover, boards.mover);
    keep(&all.quiet[first], where, next.quiet, boards.quiet);
  }
  return over;
}

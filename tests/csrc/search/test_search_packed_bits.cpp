// Rows of bits without their zero bytes, and the untried moves that are read from them.
#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "check.hpp"
#include "search/tree/packed_bits.hpp"
#include "search/tree/tree.hpp"

namespace {

using namespace ggp;

using Row = std::vector<std::uint64_t>;

// Bits are 1 with probability 1 / 2^sparse.
Row some_row(int words, int sparse, std::uint64_t& random) {
  Row row(words, ~std::uint64_t{0});
  for (std::uint64_t& word : row) {
    for (int i = 0; i < sparse; ++i) word &= draw(random);
  }
  return row;
}

std::vector<std::uint8_t> packed(const PackedBits& bits, const Row& row) {
  std::vector<std::uint8_t> bytes(bits.packed_bytes(row.data()));  // the exact size: the sanitizer reports a byte more
  bits.pack(row.data(), bytes.data());
  return bytes;
}

TEST(rows_come_back) {
  std::uint64_t random = 3;
  for (const int words : {1, 2, 8, 9, 64, 111}) {
    const PackedBits bits(words, words == 8 ? 9 : 0);
    for (int round = 0; round < 200; ++round) {
      const Row row = round == 0 ? Row(words) : some_row(words, round % 12, random);
      const auto bytes = packed(bits, row);
      CHECK_EQUAL(bits.size(bytes.data()), bytes.size());
      Row room(words, 7);
      const std::uint64_t* back = bits.unpack(bytes.data(), room.data());
      CHECK(std::equal(row.begin(), row.end(), back));
      CHECK(bits.is_packed_from(bytes.data(), row.data()));
      std::uint32_t n = 0;
      for (int bit = 0; bit < 64 * words; ++bit) {
        if (row[bit / 64] >> bit % 64 & 1) CHECK_EQUAL(bits.nth(bytes.data(), n++), static_cast<std::uint32_t>(bit));
      }
      Row other = row;
      other[draw_below(random, words)] ^= std::uint64_t{1} << draw_below(random, 64);
      CHECK(!bits.is_packed_from(bytes.data(), other.data()));
    }
  }
}

TEST(few_bits_take_few_bytes) {
  const PackedBits bits(111, 8);
  Row row(111);
  CHECK_EQUAL(bits.packed_bytes(row.data()), std::size_t{14});
  row[110] = std::uint64_t{1} << 63;
  CHECK_EQUAL(bits.packed_bytes(row.data()), std::size_t{14 + 2});
  row[3] = 0x0100000000000080;
  CHECK_EQUAL(bits.packed_bytes(row.data()), std::size_t{14 + 2 + 3});
  row[4] = ~std::uint64_t{0};
  CHECK_EQUAL(bits.packed_bytes(row.data()), std::size_t{14 + 2 + 3 + 9});
}

TEST(rows_of_few_words_stay_as_they_are) {
  std::uint64_t random = 4;
  for (const int words : {1, 5, 7, 8, 20}) {
    const PackedBits bits(words, 8);
    const auto bytes = packed(bits, some_row(words, 4, random));
    Row room(words);
    const auto* kept = reinterpret_cast<const std::uint64_t*>(bytes.data());
    CHECK_EQUAL(bytes.size() == 8 * room.size(), words < 8);
    CHECK_EQUAL(bits.unpack(bytes.data(), room.data()) == kept, words < 8);
  }
}

// The reconstructed list equals the list that shrinks move by move; the taken moves follow it.
void untried_moves_stand_in_the_order_of_a_shrinking_list(int words, int sparse) {
  std::uint64_t random = 5;
  const PackedBits bits(words, 2);
  Row row = some_row(words, sparse, random);
  row[0] |= 1;
  const auto set = packed(bits, row);
  std::vector<std::uint32_t> list, tail, made;
  for (std::uint32_t move = 0; move < 64u * words; ++move) {
    if (row[move / 64] >> move % 64 & 1) list.push_back(move);
  }
  const auto count = static_cast<std::uint32_t>(list.size());
  std::vector<std::uint8_t> kept(count * TakenPlaces::bytes_each(count));
  TakenPlaces taken(kept.data(), count);
  for (std::uint32_t tried = 0; tried < count; ++tried) {
    if (count < 500 || tried % 500 == 0) {
      list_moves(bits, set.data(), made);
      move_tried_back(taken, tried, made);
      std::vector<std::uint32_t> all = list;
      all.insert(all.end(), tail.rbegin(), tail.rend());
      CHECK(made == all);
      for (std::uint32_t place = 0; place < list.size(); place += 1 + count / 500) {
        CHECK_EQUAL(bits.nth(set.data(), taken.rank_at(place, tried)), list[place]);
      }
    }
    const std::uint32_t place = draw_below(random, static_cast<std::uint32_t>(list.size()));
    taken.set(tried, place);
    CHECK_EQUAL(taken[tried], place);
    tail.push_back(list[place]);
    list[place] = list.back();
    list.pop_back();
  }
}

}  // namespace

TESTS(int, char**) {
  for (const int words : {1, 3, 12}) {
    for (const int sparse : {0, 1, 3, 6}) untried_moves_stand_in_the_order_of_a_shrinking_list(words, sparse);
  }
  untried_moves_stand_in_the_order_of_a_shrinking_list(1100, 0);  // more than 65,536
}

// Writes the state of a search to bytes, and reads it back. A class with state has one function archive(Archive&), which
// names its members once for both directions; what follows from the configuration is not named.
//
// The bytes are an image of this build's structures: numbers in the order of this processor, the blocks of the heap as
// they are. What is outside (ggp_agent/mcts/tree_file.py) compares the version, the game and a digest first. Reading
// checks sizes: it throws ArchiveError where bytes are missing, left over or of another size than expected. It does not
// check every index in the tree, so bytes that were forged with a correct digest are not safe to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace ggp {

class ArchiveError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class Archive {
 public:
  // Writes.
  Archive() = default;
  // Reads; the bytes have to stay.
  Archive(const std::uint8_t* bytes, std::size_t count) : reads_(true), next_(bytes), left_(count) {}

  bool reads() const { return reads_; }
  // What was written.
  const std::vector<std::uint8_t>& written() const { return written_; }
  // Bytes that are still to be read.
  std::size_t left() const { return left_; }

  // Numbers, and structures of numbers without pointers; vectors of these, or of vectors of these.
  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }
  // A vector whose size follows from the configuration; its memory stays where it is.
  template <class Value>
  void fixed(std::vector<Value>& values) {
    std::uint64_t count = values.size();
    one(count);
    if (count != values.size()) throw ArchiveError("a table has another size");
    if constexpr (std::is_trivially_copyable_v<Value>) {
      raw(values.data(), values.size() * sizeof(Value));
    } else {
      for (Value& value : values) fixed(value);
    }
  }
  void raw(void* values, std::size_t bytes) {
    if (bytes == 0) return;
    if (!reads_) {
      const auto* from = static_cast<const std::uint8_t*>(values);
      written_.insert(written_.end(), from, from + bytes);
      return;
    }
    if (bytes > left_) throw ArchiveError("bytes are missing");
    std::memcpy(values, next_, bytes);
    next_ += bytes;
    left_ -= bytes;
  }

 private:
  template <class Value>
  void one(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value>);
    raw(&value, sizeof value);
  }
  template <class Value>
  void one(std::vector<Value>& values) {
    std::uint64_t count = values.size();
    one(count);
    if (reads_) {
      if (count > left_) throw ArchiveError("bytes are missing");
      values.clear();
      values.resize(count);
    }
    if constexpr (std::is_trivially_copyable_v<Value>) {
      raw(values.data(), count * sizeof(Value));
    } else {
      for (Value& value : values) one(value);
    }
  }

  bool reads_ = false;
  std::vector<std::uint8_t> written_;
  const std::uint8_t* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace ggp

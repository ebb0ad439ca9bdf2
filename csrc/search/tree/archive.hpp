// Writes the state of a search to bytes, and reads these bytes. A class with state has one function archive(Archive&),
// which lists its members for both directions, except members that follow from the configuration.
//
// The bytes are an image of this build's structures: numbers in the byte order of this processor, and unchanged blocks
// of the heap. The caller (ggp_agent/mcts/tree_file.py) compares the version, the game and a digest first. Reading
// checks sizes: it throws ArchiveError if bytes are missing, left over or of another size than expected. Indices in the
// tree are not all checked, so forged bytes with a correct digest are not safe to read.
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
  // Reads from these bytes, which must outlive the archive.
  Archive(const std::uint8_t* bytes, std::size_t count) : reads_(true), next_(bytes), left_(count) {}

  bool reads() const { return reads_; }
  // The written bytes.
  const std::vector<std::uint8_t>& written() const { return written_; }
  // The number of bytes that were not read yet.
  std::size_t left() const { return left_; }

  // Numbers, structures of numbers without pointers, and vectors of these or of such vectors.
  template <class... Values>
  void operator()(Values&... values) {
    (one(values), ...);
  }
  // A vector whose size follows from the configuration; its memory does not move.
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

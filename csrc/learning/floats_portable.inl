// Sixteen floats in memory, see learning_kernel.inl.

struct Floats {
  float x[16];
};

template <class Operation>
Floats each(Operation operation) {
  Floats result;
  for (int i = 0; i < 16; ++i) result.x[i] = operation(i);
  return result;
}

inline Floats load(const float* from) {
  return each([&](int i) { return from[i]; });
}
inline void store(float* to, const Floats& x) { std::memcpy(to, x.x, sizeof x.x); }
inline Floats all(float x) {
  return each([&](int) { return x; });
}
inline Floats add(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.x[i] + b.x[i]; });
}
inline Floats subtract(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.x[i] - b.x[i]; });
}
inline Floats multiply(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.x[i] * b.x[i]; });
}
inline Floats divide(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.x[i] / b.x[i]; });
}
inline Floats root(const Floats& a) {
  return each([&](int i) { return std::sqrt(a.x[i]); });
}
inline Floats larger(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.x[i] > b.x[i] ? a.x[i] : b.x[i]; });
}
inline Floats smaller(const Floats& a, const Floats& b) {
  return each([&](int i) { return a.x[i] < b.x[i] ? a.x[i] : b.x[i]; });
}
// a * b + c with one rounding.
inline Floats fused(const Floats& a, const Floats& b, const Floats& c) {
  return each([&](int i) { return std::fma(a.x[i], b.x[i], c.x[i]); });
}
inline Floats nearest(const Floats& a) {
  return each([&](int i) { return std::nearbyint(a.x[i]); });
}
// a * 2^n for whole n in -126 .. 127.
inline Floats scaled(const Floats& a, const Floats& n) {
  return each([&](int i) { return std::ldexp(a.x[i], static_cast<int>(n.x[i])); });
}
// The values of `a` where `where` is greater than 0, else 0.
inline Floats where_positive(const Floats& where, const Floats& a) {
  return each([&](int i) { return where.x[i] > 0 ? a.x[i] : 0.0f; });
}
// The sum and the maximum, by halves: element i with i + 8, then i + 4, i + 2, i + 1.
inline float sum(Floats a) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) a.x[i] = a.x[i] + a.x[i + half];
  return a.x[0];
}
inline float maximum(Floats a) {
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) a.x[i] = a.x[i] > a.x[i + half] ? a.x[i] : a.x[i + half];
  return a.x[0];
}

// Vectors of a row that are summed in registers at once, and the tile of the second layer: vectors and states.
constexpr int kRow = 2;
constexpr int kTileVectors = 1;
template <int kVectors>
constexpr int kTileStates = 2;

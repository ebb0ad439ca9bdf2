#include <algorithm>
#include <cmath>

#include "learning/learning_kernel.hpp"

#if defined(__x86_64__)
#include "games/target_avx2.inl"

namespace ggp::avx2 {
namespace {
#include "learning/floats_avx2.inl"
#include "learning/learning_kernel.inl"
}  // namespace

const LearningKernel kLearningKernel{hidden, base, probabilities, learn, step};

}  // namespace ggp::avx2

#include "games/target_end.inl"
#endif

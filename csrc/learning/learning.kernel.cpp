#include <algorithm>
#include <cmath>
#include <cstring>

#include "learning/learning_kernel.hpp"

#if defined(GGP_PORTABLE) || defined(__x86_64__)
#include "base/kernel_begin.inl"

namespace ggp::GGP_ISA {
namespace {
#if defined(GGP_AVX512)
#include "learning/floats_avx512.inl"
#elif defined(GGP_AVX2)
#include "learning/floats_avx2.inl"
#else
#include "learning/floats_portable.inl"
#endif
#include "learning/learning_kernel.inl"
}  // namespace

const LearningKernel kLearningKernel{hidden, base, probabilities, learn, step};

}  // namespace ggp::GGP_ISA

#include "base/kernel_end.inl"
#endif

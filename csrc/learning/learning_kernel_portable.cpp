#include <algorithm>
#include <cmath>
#include <cstring>

#include "learning/learning_kernel.hpp"

namespace ggp::portable {
namespace {
#include "learning/floats_portable.inl"
#include "learning/learning_kernel.inl"
}  // namespace

const LearningKernel kLearningKernel{hidden, base, probabilities, learn, step};

}  // namespace ggp::portable

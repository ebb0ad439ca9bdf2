#include "learning/learning_kernel.hpp"

#include <string>

#include "base/vector_kernels.hpp"

namespace ggp {

Workspace::Workspace(const NetworkShape& shape)
    : h1((1 + LearningKernel::kSpareRows) * std::size_t(shape.hidden1)),
      h2((1 + LearningKernel::kSpareRows) * std::size_t(shape.hidden2)),
      base(shape.padded_policies()),
      d1(shape.hidden1),
      d2(shape.hidden2),
      of_policies(shape.padded_policies()) {}

const LearningKernel& learning_kernel(const std::string& isa) {
#if defined(__x86_64__)
  const Vectors usable = widest_vectors();
  if (isa == "avx512" && usable == Vectors::kAvx512) return avx512::kLearningKernel;
  if (isa != "portable" && usable != Vectors::kNone) return avx2::kLearningKernel;
#endif
  (void)isa;
  return portable::kLearningKernel;
}

}  // namespace ggp

// The calibration does the same work every time and everywhere, and its score follows the formula of the header.
#include "simulation/calibration.hpp"

#include "check.hpp"

TESTS(int, char**) {
  const ggp::Calibration first = ggp::calibrate();
  const ggp::Calibration second = ggp::calibrate();
  // Scores of different work cannot be compared: after an intended change of the work, measure kReferenceSeconds again.
  CHECK_EQUAL(first.checksum, 0xe92bd7517404aaa5ull);
  CHECK_EQUAL(second.checksum, first.checksum);
  CHECK(first.cpu_seconds > 0);
  CHECK_BETWEEN(first.score * first.cpu_seconds, 0.999 * ggp::kReferenceSeconds, 1.001 * ggp::kReferenceSeconds);
}

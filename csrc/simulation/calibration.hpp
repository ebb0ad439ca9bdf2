// Calibration: a fixed piece of work that measures the speed of a computer, so that results of two computers can be
// compared as play-outs per CPU-second divided by the score.
//
// The work resembles play-outs. It has three parts of about equal time, and no part depends on the lane kernels: a
// dependent chain of 64-bit multiplications and shifts (random numbers); AND, OR and NOT of words at scattered places
// (gates); a walk through a cycle of 128 KiB, in which each step waits for the previous step (states, tables). The code
// is plain C++ for the baseline of the architecture: vector units count only as far as the compiler uses them.
#pragma once

#include <cstdint>

namespace ggp {

struct Calibration {
  double score = 0;            // kReferenceSeconds / cpu_seconds: higher is faster
  double cpu_seconds = 0;      // of this thread
  std::uint64_t checksum = 0;  // checksum of the results; the same on all computers
};

// CPU time of the work on the computer with the score 1.0: one core of an AMD EPYC with AVX2, GCC 12 at -O3.
constexpr double kReferenceSeconds = 0.2;

// Does the work once, in the calling thread.
Calibration calibrate();

}  // namespace ggp

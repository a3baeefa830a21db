//===- Finds a kernel's local size ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_OPENCL_WORKGROUPTUNER_H
#define TONNO_OPENCL_WORKGROUPTUNER_H

#include "tonno/Core/TuneMode.h"
#include "tonno/OpenCL/KernelArgument.h"
#include "tonno/WorkGroups/AutotuneResult.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tonno {

struct TuneOptions {
  /// Local sizes to try; empty: the tuner's, or else `defaultCandidates`.
  std::vector<WorkSize> candidates = {};
  /// Empty: those that the kernel has; where it has none, buffers are made, of
  /// an element for each work-item.
  std::vector<KernelArgument> arguments = {};
  uint64_t runs = 3; ///< timed, of each candidate
  /// Times candidates in pairs with the usual 64, by tonno's own protocol,
  /// instead of by the mean of `runs`: slower, but resolves differences that
  /// noise would hide.
  bool isPaired = false;
  bool restoresBuffers = true;     ///< those of `arguments` that it may write
  bool isCached = true;            ///< answers come from the cache and go there
  std::string cacheDirectory = {}; ///< empty: $TONNO_CACHE_DIR or .tonno-cache
  /// Limits the wait for the commands already on the queue, for each
  /// candidate's first run and for each copy; tuning fails with an Error at the
  /// limit. Timed runs have no limit.
  double timeoutSeconds = 300;
  /// The mode; if empty, that of $TONNO_MODE, else `tune`. `cached` measures
  /// nothing and uses the default size, with a note, on a cache miss; `off`
  /// uses the default and reads no cache.
  std::optional<TuneMode> mode = {};
  /// Called if the device's lock, by which tuners of several processes take
  /// turns, is waited for over 10 s, with who has it. Empty prints to stderr.
  std::function<void(const std::string &holder)> waiting = {};
};

/// Runs a kernel with each of a few local sizes and finds the fastest, timed by
/// the events of a queue. In this process, since a candidate takes a few
/// hundred microseconds; on an idle device, before the hot loop.
class WorkGroupTuner {
public:
  WorkGroupTuner(cl::Kernel kernel, WorkSize globalSize,
                 std::vector<WorkSize> candidates = {})
      : kernel(std::move(kernel)), globalSize(std::move(globalSize)),
        candidates(std::move(candidates)) {}

  /// Finds the best local size. An answer from the cache may stem from other
  /// arguments and headers; an answer for which launching took longer than the
  /// kernel is not stored.
  ///
  /// Waits first for all commands on the queue. Leaves the kernel's own
  /// arguments unchanged. Restores buffers of `arguments` that the kernel
  /// writes after each launch. Buffers that were set before cannot be restored,
  /// since OpenCL does not report them; a note says so. The Error says why no
  /// candidate could be measured, and for a queue without profiling the remedy.
  Result<AutotuneResult> tune(const cl::CommandQueue &queue,
                              const TuneOptions &options = {}) const {
    return tuneOn(queue(), options);
  }

private:
  Result<AutotuneResult> tuneOn(cl_command_queue queue,
                                const TuneOptions &options) const;

  cl::Kernel kernel;
  WorkSize globalSize;
  std::vector<WorkSize> candidates;
};

} // namespace tonno

#endif // TONNO_OPENCL_WORKGROUPTUNER_H

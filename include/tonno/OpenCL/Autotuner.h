//===- Tunes kernels one by one -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_OPENCL_AUTOTUNER_H
#define TONNO_OPENCL_AUTOTUNER_H

#include "tonno/OpenCL/KernelSpec.h"
#include "tonno/OpenCL/WorkGroupTuner.h"

#include <map>
#include <string>
#include <utility>

namespace tonno {

/// Tunes the kernels of a program in turn, and writes the result into each
/// spec.
class Autotuner {
public:
  explicit Autotuner(cl::CommandQueue queue) : queue(std::move(queue)) {}

  /// Tunes like WorkGroupTuner::tune. Afterwards `spec.workgroupSize` is the
  /// best local size, unless the device was busy or the size is the default of
  /// a mode. A repeated call with the same text, global size, candidates and
  /// number of runs launches nothing, whatever the other options, unless
  /// launching took longer than the kernel.
  Result<AutotuneResult> tune(KernelSpec &spec, const WorkSize &globalSize,
                              const TuneOptions &options = {}) {
    std::string key = makeCacheKey(spec, globalSize, options);
    auto mode = TONNO_TRY(options.mode ? ChosenMode{*options.mode}
                                       : chooseMode("mode", {}));
    auto known = mode.mode == TuneMode::off ? results.end() : results.find(key);
    if (known == results.end()) {
      auto kernel = TONNO_TRY(spec.build(queue));
      auto result = WorkGroupTuner(kernel, globalSize).tune(queue, options);
      if (!result || result->isBusy || result->isDefault)
        return result;
      if (result->isLasting())
        results.emplace(key, *result);
      spec.workgroupSize = result->bestLocalSize;
      return result;
    }
    spec.workgroupSize = known->second.bestLocalSize;
    AutotuneResult result = known->second;
    result.isCached = true;
    return result;
  }

private:
  static std::string makeCacheKey(const KernelSpec &spec,
                                  const WorkSize &globalSize,
                                  const TuneOptions &options);

  cl::CommandQueue queue;
  std::map<std::string, AutotuneResult> results;
};

} // namespace tonno

#endif // TONNO_OPENCL_AUTOTUNER_H

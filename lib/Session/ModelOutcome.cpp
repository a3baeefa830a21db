//===- Figures of a model's kernels ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/TuneObserver.h"

#include <algorithm>

using namespace tonno;

double ModelOutcome::seconds() const {
  double sum = 0;
  for (const ModelKernelOutcome &kernel : kernels)
    sum += kernel.seconds;
  return sum;
}

double ModelOutcome::tunedShare() const {
  double sum = 0;
  for (const ModelKernelOutcome &kernel : kernels)
    if (kernel.tuned)
      sum += kernel.share;
  return sum;
}

size_t ModelOutcome::numTuned() const {
  return static_cast<size_t>(
      std::ranges::count_if(kernels, [](const ModelKernelOutcome &kernel) {
        return kernel.tuned.has_value();
      }));
}

double ModelOutcome::verifiedShare() const {
  double sum = 0;
  for (const ModelKernelOutcome &kernel : kernels)
    if (kernel.isVerified)
      sum += kernel.share;
  return sum;
}

size_t ModelOutcome::numVerified() const {
  return static_cast<size_t>(
      std::ranges::count_if(kernels, &ModelKernelOutcome::isVerified));
}

double ModelOutcome::computeSpeedup() const {
  double left = 0;
  for (const ModelKernelOutcome &kernel : kernels) {
    bool isFaster = kernel.tuned && kernel.tuned->decision.comparison.verdict ==
                                        Verdict::faster;
    left += kernel.seconds /
            (isFaster ? kernel.tuned->decision.comparison.speedup : 1);
  }
  return left > 0 ? seconds() / left : 1;
}

//===- Figures of a model's kernels ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/TuneObserver.h"

#include <algorithm>
#include <span>

using namespace tonno;

double ModelOutcome::seconds() const {
  double sum = 0;
  for (const ModelKernelOutcome &kernel : kernels)
    sum += kernel.seconds;
  return sum;
}

bool ModelKernelOutcome::hasOwnWinner() const {
  return tuned && tuned->decision.values !=
                      tuned->space.values(tuned->space.defaultConfiguration());
}

static bool isTuned(const ModelKernelOutcome &kernel) {
  return kernel.tuned.has_value();
}

static bool isVerified(const ModelKernelOutcome &kernel) {
  return kernel.isVerified;
}

/// Returns the share of the kernels for which the predicate holds.
static double sumShares(std::span<const ModelKernelOutcome> kernels,
                        bool (*predicate)(const ModelKernelOutcome &)) {
  double sum = 0;
  for (const ModelKernelOutcome &kernel : kernels)
    if (predicate(kernel))
      sum += kernel.share;
  return sum;
}

double ModelOutcome::tunedShare() const { return sumShares(kernels, isTuned); }

size_t ModelOutcome::numTuned() const {
  return static_cast<size_t>(std::ranges::count_if(kernels, isTuned));
}

double ModelOutcome::verifiedShare() const {
  return sumShares(kernels, isVerified);
}

size_t ModelOutcome::numVerified() const {
  return static_cast<size_t>(std::ranges::count_if(kernels, isVerified));
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

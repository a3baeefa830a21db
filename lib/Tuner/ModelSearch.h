//===- Search of the best kernels in their model --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_MODELSEARCH_H
#define TONNO_LIB_TUNER_MODELSEARCH_H

#include "tonno/Search/SearchStrategy.h"

#include <limits>
#include <string>
#include <vector>

namespace tonno {

/// The configurations of one kernel that are compared in its model.
struct KernelAlternatives {
  std::string kernel;
  /// Values of the model's knobs that are the kernel's: the best ones first,
  /// the default last.
  std::vector<Json> values;
};

/// Proposes the model with each kernel's best configuration, then kernel by
/// kernel, in the order given, the alternatives to what is best so far. A
/// kernel that is fastest alone may be slower in the model, as neighbours
/// change the caches.
class ModelSearch : public SearchStrategy {
public:
  ModelSearch(const SearchSpace &space,
              std::vector<KernelAlternatives> kernels);

  std::vector<Configuration> propose(size_t n) override;
  void observe(std::span<const Trial> trials) override;
  std::string explain(const Configuration &candidate) const override;

private:
  void proposeNextKernel();
  void enqueue(Json values, std::string reason);

  SearchSpace space;
  std::vector<KernelAlternatives> kernels;
  size_t next = 0; ///< kernel whose alternatives come next
  Json best;       ///< values of the fastest trial
  double leastRatio = 1;
  size_t numPending = 0;
  std::deque<Configuration> queue;
  std::unordered_map<Configuration, std::string, ConfigurationHash> reasons;
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_MODELSEARCH_H

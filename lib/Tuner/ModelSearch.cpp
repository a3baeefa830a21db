//===- Search of the best kernels in their model --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelSearch.h"

using namespace tonno;

ModelSearch::ModelSearch(const SearchSpace &space,
                         std::vector<KernelAlternatives> kernels)
    : space(space), kernels(std::move(kernels)),
      best(space.values(space.defaultConfiguration())) {
  reasons[space.defaultConfiguration()] = "";
  Json all = best;
  for (const KernelAlternatives &kernel : this->kernels)
    all.update(kernel.values.front());
  enqueue(std::move(all), "each kernel's best");
}

void ModelSearch::enqueue(Json values, std::string reason) {
  auto configuration = space.configuration(values);
  if (configuration && reasons.emplace(*configuration, reason).second)
    queue.push_back(std::move(*configuration));
}

void ModelSearch::proposeNextKernel() {
  const KernelAlternatives &kernel = kernels[next++];
  for (const Json &alternative : kernel.values) {
    Json values = best;
    values.update(alternative);
    enqueue(std::move(values), "another of " + kernel.kernel);
  }
}

std::vector<Configuration> ModelSearch::propose(size_t n) {
  while (queue.empty() && numPending == 0 && next < kernels.size())
    proposeNextKernel();
  std::vector<Configuration> proposed;
  for (; proposed.size() < n && !queue.empty(); queue.pop_front())
    proposed.push_back(queue.front());
  numPending += proposed.size();
  return proposed;
}

void ModelSearch::observe(std::span<const Trial> trials) {
  for (const Trial &trial : trials) {
    if (trial.configuration == space.defaultConfiguration())
      continue;
    --numPending;
    if (!trial.ok() || trial.measurement->ratio >= leastRatio)
      continue;
    leastRatio = trial.measurement->ratio;
    best = space.values(trial.configuration);
  }
}

std::string ModelSearch::explain(const Configuration &candidate) const {
  auto reason = reasons.find(candidate);
  return reason == reasons.end() ? "" : reason->second;
}

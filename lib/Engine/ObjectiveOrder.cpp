//===- The resource that the winner has the least of ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ObjectiveOrder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace tonno;

/// The exponent of the ratio of times in what strategies see: a candidate that
/// takes half of the time is as good as one that uses 3 % less.
static constexpr double timeWeight = 0.05;

uint64_t ObjectiveOrder::getUsed(const ResourceUsage &usage) const {
  auto resource = getResource();
  if (!resource)
    return 0;
  return tonno::getUsed(usage, *resource)
      .value_or(std::numeric_limits<uint64_t>::max());
}

std::optional<std::string>
ObjectiveOrder::explainUnknown(const ResourceUsage &usage) const {
  std::vector<std::pair<Resource, std::string>> needed;
  if (auto resource = getResource())
    needed.emplace_back(*resource,
                        "--objective=" + std::string(toString(*resource)));
  for (Resource resource : options.front)
    if (resource != Resource::energy)
      needed.emplace_back(resource, "--pareto");
  for (const auto &[resource, flag] : needed)
    if (!tonno::getUsed(usage, resource))
      return "'" + flag + "': tonno does not know the " +
             std::string(toString(resource)) +
             " of candidates on this target; omit it";
  return std::nullopt;
}

Trial ObjectiveOrder::toScalar(Trial trial,
                               const ResourceUsage &baseline) const {
  if (isTime())
    return trial;
  // One more, since zero has no ratios.
  double used = 1 + static_cast<double>(getUsed(trial.usage));
  double usages = used / (1 + static_cast<double>(getUsed(baseline)));
  if (trial.status == Status::bounded)
    trial.ratioBound = usages;
  if (trial.measurement) {
    Measurement &measured = *trial.measurement;
    for (double *ratio : {&measured.ratio, &measured.ratioInterval.low,
                          &measured.ratioInterval.high})
      *ratio = usages * std::pow(*ratio, timeWeight);
  }
  return trial;
}

bool ObjectiveOrder::usesNoMore(const ResourceUsage &a,
                                const ResourceUsage &b) const {
  constexpr uint64_t unknown = std::numeric_limits<uint64_t>::max();
  return std::ranges::all_of(options.front, [&](Resource resource) {
    return resource == Resource::energy ||
           tonno::getUsed(a, resource).value_or(unknown) <=
               tonno::getUsed(b, resource).value_or(unknown);
  });
}

std::optional<std::string> ObjectiveOrder::findExcess(double ratio) const {
  if (ratio <= mostRatio())
    return std::nullopt;
  char text[128];
  std::snprintf(text, sizeof text,
                "it takes at least %.3g times as long as the default, above "
                "the limit of %.3g",
                ratio, mostRatio());
  return text;
}

double ObjectiveOrder::mostRatio() const {
  return options.mostTime.value_or(std::numeric_limits<double>::infinity());
}

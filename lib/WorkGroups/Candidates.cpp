//===- Candidate local sizes ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/Candidates.h"

#include <algorithm>
#include <cstdlib>

using namespace tonno;

static constexpr size_t maxDimensions = 3;
static constexpr uint64_t maxDefaultItems = 256;
static constexpr uint64_t naturalSizes[] = {64, 128, 256};

/// Appends every shape with `dimensions` that starts with `begun`.
static void appendShapes(const WorkSize &begun, size_t dimensions,
                         std::vector<WorkSize> &shapes) {
  if (begun.size() == dimensions) {
    shapes.push_back(begun);
    return;
  }
  uint64_t room = maxDefaultItems / countWorkItems(begun);
  for (uint64_t extent = 1; extent <= room; extent *= 2) {
    WorkSize longer = begun;
    longer.push_back(extent);
    appendShapes(longer, dimensions, shapes);
  }
}

static WorkSize padded(WorkSize size, size_t dimensions) {
  size.resize(std::max(size.size(), dimensions), 1);
  return size;
}

static bool contains(const std::vector<WorkSize> &sizes, const WorkSize &size) {
  return std::ranges::find(sizes, size) != sizes.end();
}

std::vector<WorkSize> tonno::defaultCandidates(size_t dimensions,
                                               const WorkGroupLimits &limits) {
  if (!limits.required.empty()) {
    WorkSize required = limits.required;
    required.resize(dimensions, 1);
    return {required};
  }
  std::vector<WorkSize> sizes;
  appendShapes({}, dimensions, sizes);
  for (uint64_t natural : naturalSizes)
    if (WorkSize size = padded({natural}, dimensions); !contains(sizes, size))
      sizes.push_back(size);
  return sizes;
}

static std::string itemsText(uint64_t items) {
  return std::to_string(items) + (items == 1 ? " work-item" : " work-items");
}

std::optional<std::string>
tonno::explainIllegalSize(const WorkSize &localSize, const WorkSize &globalSize,
                          const WorkGroupLimits &limits) {
  if (!limits.required.empty() && padded(localSize, maxDimensions) !=
                                      padded(limits.required, maxDimensions))
    return "the kernel requires " + describe(limits.required);
  uint64_t items = countWorkItems(localSize);
  if (items > limits.deviceItems)
    return "the device allows " + itemsText(limits.deviceItems) + " a group";
  if (items > limits.kernelItems)
    return "this kernel allows " + itemsText(limits.kernelItems) + " a group";
  for (size_t d = 0; d != localSize.size(); ++d) {
    std::string where = " in dimension " + std::to_string(d);
    if (d < limits.deviceExtents.size() &&
        localSize[d] > limits.deviceExtents[d])
      return "the device allows " + itemsText(limits.deviceExtents[d]) + where;
    if (localSize[d] > globalSize[d])
      return "the global size has " + itemsText(globalSize[d]) + where;
    if (globalSize[d] % localSize[d] != 0 && !limits.isNonUniform)
      return std::to_string(localSize[d]) + " does not divide the " +
             std::to_string(globalSize[d]) + where +
             ", as it must unless the device has non-uniform work-groups and "
             "the build, by -cl-std=CL2.0 or newer, allows them";
  }
  return std::nullopt;
}

Result<CandidateSizes>
tonno::selectCandidates(const std::vector<WorkSize> &candidates,
                        const WorkSize &globalSize,
                        const WorkGroupLimits &limits) {
  TONNO_TRY(checkWorkSize(globalSize, "global size"));
  CandidateSizes selected;
  std::vector<WorkSize> seen;
  for (const WorkSize &candidate : candidates) {
    TONNO_TRY(checkWorkSize(candidate, "local size"));
    if (candidate.size() > globalSize.size())
      return Error{"the local size " + describe(candidate) +
                   " has more dimensions than the global size " +
                   describe(globalSize)};
    WorkSize size = padded(candidate, globalSize.size());
    if (contains(seen, size))
      continue;
    seen.push_back(size);
    if (auto reason = explainIllegalSize(size, globalSize, limits))
      selected.leftOut.push_back({size, *reason});
    else
      selected.legal.push_back(size);
  }
  return selected;
}

/// Returns the major version after `prefix` in "OpenCL 3.0 ..." or
/// "-cl-std=CL2.0 ..."; 0 if there is none.
static int majorAfter(std::string_view text, std::string_view prefix) {
  size_t at = text.rfind(prefix);
  if (at == text.npos || at + prefix.size() == text.size())
    return 0;
  char digit = text[at + prefix.size()];
  return digit >= '0' && digit <= '9' ? digit - '0' : 0;
}

bool tonno::allowsNonUniform(std::string_view deviceVersion, bool deviceSays,
                             std::string_view buildOptions) {
  int device = majorAfter(deviceVersion, "OpenCL ");
  bool deviceCan = device == 2 || (device >= 3 && deviceSays);
  return deviceCan && majorAfter(buildOptions, "-cl-std=CL") >= 2 &&
         buildOptions.find("-cl-uniform-work-group-size") == buildOptions.npos;
}

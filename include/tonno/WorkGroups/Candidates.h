//===- Candidate local sizes ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_CANDIDATES_H
#define TONNO_WORKGROUPS_CANDIDATES_H

#include "tonno/WorkGroups/WorkSize.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tonno {

/// The limits of device and kernel on a work-group.
struct WorkGroupLimits {
  uint64_t deviceItems = 1;    ///< CL_DEVICE_MAX_WORK_GROUP_SIZE
  WorkSize deviceExtents = {}; ///< CL_DEVICE_MAX_WORK_ITEM_SIZES
  uint64_t kernelItems = 1;    ///< CL_KERNEL_WORK_GROUP_SIZE on this device
  WorkSize required = {};    ///< reqd_work_group_size; empty: none is required
  bool isNonUniform = false; ///< the last groups may be smaller
};

/// A local size that has no time, and why.
struct SkippedSize {
  WorkSize localSize;
  std::string reason;
};

struct CandidateSizes {
  std::vector<WorkSize> legal; ///< distinct, in the order they were given
  std::vector<SkippedSize> leftOut;
};

/// Returns the default candidates: groups of a power of two of work-items, from
/// 1 to 256, in each shape of powers of two, and the one-dimensional sizes 64,
/// 128 and 256. If the kernel requires a local size, returns only that.
std::vector<WorkSize> defaultCandidates(size_t dimensions,
                                        const WorkGroupLimits &limits);

/// Sorts out what can't be launched. Dimensions that a candidate does not name
/// are of one work-item. Sizes that are none are an Error.
Result<CandidateSizes> selectCandidates(const std::vector<WorkSize> &candidates,
                                        const WorkSize &globalSize,
                                        const WorkGroupLimits &limits);

/// Returns why a local size, of the global size's dimensions, cannot be
/// launched; none if it can.
std::optional<std::string> explainIllegalSize(const WorkSize &localSize,
                                              const WorkSize &globalSize,
                                              const WorkGroupLimits &limits);

/// Returns true if a program's work-groups may be non-uniform: the device
/// supports that, from OpenCL 2.0 on (in 3.0 if it reports so, `deviceSays`),
/// and the program is built with `-cl-std=CL2.0` or later and without
/// `-cl-uniform-work-group-size`. `deviceVersion` is CL_DEVICE_VERSION.
bool allowsNonUniform(std::string_view deviceVersion, bool deviceSays,
                      std::string_view buildOptions);

} // namespace tonno

#endif // TONNO_WORKGROUPS_CANDIDATES_H

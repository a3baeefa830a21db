//===- Numbers of work-items by dimension ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_WORKSIZE_H
#define TONNO_WORKGROUPS_WORKSIZE_H

#include "tonno/Core/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tonno {

/// Work-items in each of one to three dimensions, as OpenCL's global and local
/// sizes are. As a local size, empty stands for none.
using WorkSize = std::vector<uint64_t>;

/// Returns the total number of work-items; saturates.
uint64_t countWorkItems(const WorkSize &size);

/// Formats a size as users write it: `128`, `(16, 8)`.
std::string describe(const WorkSize &size);

/// Checks that a size has one to three dimensions, each of at least one
/// work-item; `what` names it in the Error.
Result<void> checkWorkSize(const WorkSize &size, const std::string &what);

} // namespace tonno

#endif // TONNO_WORKGROUPS_WORKSIZE_H

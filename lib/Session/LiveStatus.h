//===- How far the tuning of a kernel is ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SESSION_LIVESTATUS_H
#define TONNO_LIB_SESSION_LIVESTATUS_H

#include "tonno/Core/Trial.h"
#include "tonno/Engine/SessionState.h"
#include "tonno/Session/LiveRegion.h"

#include <cstdint>
#include <map>

namespace tonno {

/// The session of a kernel while it runs.
struct LiveStatus {
  std::string kernel;
  std::string device;
  uint64_t plannedTrials = 0;
  uint64_t trials = 0; ///< that were run
  std::map<Status, size_t> statuses = {};
  std::optional<Measurement> best = {};
  std::string bestValues = {};
  SessionState state = {};
  double reportedAt = 0; ///< `steadySeconds` when the state was reported
};

/// Returns the lines for a terminal: trials, incumbent, shares of the time, the
/// time left, the device's state.
std::vector<LiveRegion::Line> describeStatus(const LiveStatus &status,
                                             double now);

/// Returns the same in one line, for logs.
std::string summarizeStatus(const LiveStatus &status, double now);

/// Formats counts: "54 ok, 5 pruned, 1 compile_error".
std::string formatStatuses(const std::map<Status, size_t> &counts);

} // namespace tonno

#endif // TONNO_LIB_SESSION_LIVESTATUS_H

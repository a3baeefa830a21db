//===- How a kernel was decided -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_KERNELOUTCOME_H
#define TONNO_SESSION_KERNELOUTCOME_H

#include "tonno/Cache/Records.h"
#include "tonno/Core/SearchSpace.h"
#include "tonno/Runtime/Device.h"
#include "tonno/Session/Budget.h"
#include "tonno/Session/SiblingStore.h"

namespace tonno {

/// How a kernel was decided.
struct KernelOutcome {
  std::string kernel;
  SearchSpace space;
  DeviceDescription device;
  std::string chip;
  std::string key; ///< of the decision record
  DecisionRecord decision;
  /// Where the decision comes from, unless from this session: "the cache".
  std::string source = {};
  std::vector<Trial> trials; ///< of this session
  double seconds = 0;
  size_t startingPoints = 0; ///< that earlier sessions found best
  size_t pastTrials = 0;     ///< made before the session was cut short
  size_t keptFailures = 0;   ///< of which there is a file
  std::string failureDirectory = {};
  /// Something outside of the kernel has ended the session with nothing tested:
  /// the winner is the best so far.
  bool isCutShort = false;
  SiblingPoints siblings = {}; ///< with which it began, too
  /// Nothing is known and nothing was tried: the decision's values are the
  /// defaults, and it says no more.
  bool isDefault = false;
  /// What results are compared with, where that is none of the input's.
  std::string reference = {};
  SearchEnd searchEnd = SearchEnd::budget; ///< where it was searched
  double sessionSeconds =
      0; ///< of `seconds`, that the search took, to the verdict
  double proposingSeconds = 0; ///< of these, that the strategy took
};

} // namespace tonno

#endif // TONNO_SESSION_KERNELOUTCOME_H

//===- How a session of a kernel begins -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_SESSIONSTART_H
#define TONNO_LIB_TUNER_SESSIONSTART_H

#include "tonno/Tuner/KernelProblem.h"
#include "tonno/Tuner/TuneModule.h"

#include <span>

namespace tonno {

/// By which the journal knows a session: of another seed or strategy it is
/// another, but not of another budget.
std::string sessionKey(const KernelProblem &problem,
                       const TuneOptions &options);

/// What the journal tells of a session that begins.
Json describeSession(const KernelOutcome &outcome, const KernelProblem &problem,
                     const TuneOptions &options,
                     std::span<const StartingPoint> startingPoints);

/// The kernel among its siblings; refers to the problem.
SiblingPlace siblingPlace(const KernelProblem &problem);

/// What the search begins with: what the journal says of a session that goes
/// on; else what the input has selected, what was found best of the kernel, and
/// what of its siblings. The outcome is told.
std::vector<StartingPoint>
startingPoints(const SessionJournal &journal, RecordStore &store,
               const KernelProblem &problem,
               const std::shared_ptr<const LegalSpace> &space,
               KernelOutcome &outcome);

} // namespace tonno

#endif // TONNO_LIB_TUNER_SESSIONSTART_H

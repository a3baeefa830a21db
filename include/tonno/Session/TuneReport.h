//===- Decisions and trials as JSON for programs --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_TUNEREPORT_H
#define TONNO_SESSION_TUNEREPORT_H

#include "tonno/Session/TuneObserver.h"

namespace tonno {

/// The version of `--report` and `--progress=json`. It grows if a member is
/// removed or changes its meaning. docs/guide/json.md lists the members.
inline constexpr int reportSchema = 1;

/// Returns the members that begin a report and a stream of events: the schema
/// and who writes it.
Json describeTool(const std::string &tool);

/// Returns the record of a trial, with the seconds that the trial cost.
Json describeTrial(const Trial &trial, const SearchSpace &space);

/// Returns the peaks, rates and headroom of a decision, as far as they are
/// known, or why there is no limit.
Json describeLimit(const KernelOutcome &outcome);

/// Returns how a kernel was decided, without its space and trials.
Json describeDecision(const KernelOutcome &outcome);

/// Returns a kernel of a model: its time, share and decision.
Json describeModelKernel(const ModelKernelOutcome &kernel);

/// Returns an entry of a report: the decision, the space and the trials of a
/// kernel.
Json describeOutcome(const KernelOutcome &outcome);

} // namespace tonno

#endif // TONNO_SESSION_TUNEREPORT_H

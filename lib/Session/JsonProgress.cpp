//===- Tuning reported as JSON lines --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/JsonProgress.h"
#include "tonno/Session/Progress.h"
#include "tonno/Session/TuneReport.h"

using namespace tonno;

void tonno::writeEvent(std::ostream &stream, const char *event, Json members) {
  members["event"] = event;
  // In one piece: others may write to the same descriptor.
  stream << printed(members) + "\n" << std::flush;
}

void JsonProgress::timing(const DeviceDescription &device) {
  writeEvent(stream, "device",
             {{"device", device.name}, {"environment", device.environment}});
}

void JsonProgress::started(const std::string &name, const SearchSpace &space,
                           const Budget &budget) {
  kernel = name;
  this->space = space;
  trials = 0;
  writeEvent(stream, "kernel",
             {{"kernel", kernel},
              {"planned_trials", countPlannedTrials(space, budget)},
              {"budget_trials", budget.trials},
              {"budget_seconds", budget.seconds}});
}

void JsonProgress::record(const Trial &trial, const Trial *incumbent) {
  Json event = {{"kernel", kernel}, {"trial", describeTrial(trial, space)}};
  trials += trial.status != Status::bounded;
  event["number"] = trials;
  if (incumbent)
    event["best"] = {{"values", space.values(incumbent->configuration)},
                     {"seconds", incumbent->measurement->seconds.median},
                     {"ratio", incumbent->measurement->ratio}};
  writeEvent(stream, "trial", std::move(event));
}

void JsonProgress::advance(const SessionState &state) {
  Json event = state;
  event["kernel"] = kernel;
  writeEvent(stream, "state", std::move(event));
}

void JsonProgress::decided(const KernelOutcome &outcome) {
  writeEvent(stream, "decided", describeDecision(outcome));
}

void JsonProgress::tunedInModel(const ModelKernelOutcome &kernel) {
  writeEvent(stream, "model_kernel", describeModelKernel(kernel));
}

void JsonProgress::tunedAtShape(const KernelOutcome &outcome) {
  writeEvent(stream, "shape", describeDecision(outcome));
}

void JsonProgress::measuredPeaks(const DeviceDescription &device,
                                 const PeakQuery &query, double seconds) {
  Json event = query;
  event["device"] = device.name;
  event["seconds"] = seconds;
  writeEvent(stream, "peaks", std::move(event));
}

void JsonProgress::skipped(const std::string &kernel) {
  writeEvent(stream, "skipped", {{"kernel", kernel}});
}

void JsonProgress::waiting(const std::string &holder) {
  writeEvent(stream, "waiting", {{"holder", holder}});
}

void JsonProgress::warn(const std::string &message) {
  writeEvent(stream, "warning", {{"message", message}});
}

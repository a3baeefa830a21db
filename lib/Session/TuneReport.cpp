//===- Decisions and trials as JSON for programs --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/TuneReport.h"
#include "tonno/Core/Version.h"
#include "tonno/Session/KernelRates.h"

using namespace tonno;

Json tonno::describeTool(const std::string &tool) {
  return {{"schema", reportSchema},
          {"tool", tool},
          {"version", std::string(version())}};
}

Json tonno::describeTrial(const Trial &trial, const SearchSpace &space) {
  Json json = TrialRecord::of(trial, space);
  json["compile_seconds"] = trial.compileSeconds;
  json["run_seconds"] = trial.runSeconds;
  json["session_seconds"] = trial.sessionSeconds;
  json["is_recalled"] = trial.isRecalled;
  if (!trial.reason.empty())
    json["reason"] = trial.reason;
  if (!trial.device.empty())
    json["device"] = trial.device;
  return json;
}

Json tonno::describeLimit(const KernelOutcome &outcome) {
  Json json = Json::object();
  KernelRates rates = outcome.computeRates();
  if (outcome.decision.peaks)
    json["peaks"] = *outcome.decision.peaks;
  if (rates.bytes > 0)
    json["rates"] = rates;
  if (rates.noLimit)
    json["no_limit"] = *rates.noLimit;
  if (auto headroom = rates.headroom())
    json["headroom"]["machine"] = *headroom;
  if (outcome.decision.remainingGain)
    json["headroom"]["space"] = 1 + *outcome.decision.remainingGain;
  return json;
}

static Json describeRange(const RangeOutcome &range) {
  Json json = range;
  json["worst_regret"] = range.worst().regret;
  json["mean_regret"] = range.meanRegret();
  json["mean_speedup"] = range.meanSpeedup();
  return json;
}

Json tonno::describeDecision(const KernelOutcome &outcome) {
  Json json = {{"kernel", outcome.kernel},
               {"device", outcome.device.name},
               {"chip", outcome.chip},
               {"key", outcome.key},
               {"mode", outcome.mode.mode},
               {"values", outcome.decision.values},
               {"default_values",
                outcome.space.values(outcome.space.defaultConfiguration())},
               {"seconds", outcome.seconds},
               {"is_cut_short", outcome.isCutShort},
               {"past_trials", outcome.pastTrials},
               {"starting_points", outcome.startingPoints}};
  if (!outcome.isUnmeasured && !outcome.range) { // of which nothing is known
    json["verdict"] = outcome.decision.comparison.verdict;
    if (outcome.decision.comparison.seconds.n > 0)
      json["chosen_seconds"] = outcome.decision.comparison.chosenSeconds();
    json["decision"] = outcome.decision;
    json["decision"].erase("peaks"); // below, with the rates
  }
  if (outcome.work != KernelWork())
    json["work"] = outcome.work;
  json.update(describeLimit(outcome));
  for (auto [phase, seconds] : outcome.phaseSeconds)
    json["phase_seconds"][std::string(toString(phase))] = seconds;
  if (!outcome.record.empty())
    json["record"] = outcome.record;
  if (!outcome.source.empty())
    json["source"] = outcome.source;
  else if (!outcome.isUnmeasured && !outcome.range)
    json["search_end"] = outcome.searchEnd;
  if (!outcome.reference.empty())
    json["reference"] = outcome.reference;
  if (!outcome.siblings.siblings.empty())
    json["siblings"] = outcome.siblings.siblings;
  if (!outcome.prior.name.empty())
    json["prior"] = {{"name", outcome.prior.name},
                     {"trials", *outcome.prior.proposed}};
  if (outcome.prior.expectedSpeedup > 0)
    json["prior"]["expected_speedup"] = outcome.prior.expectedSpeedup;
  if (outcome.model) {
    Json kernels = Json::array();
    for (const ModelKernelOutcome &kernel : outcome.model->kernels)
      kernels.push_back(describeModelKernel(kernel));
    json["model"] = {{"calls", outcome.model->calls},
                     {"trials", outcome.model->trials},
                     {"against_default", outcome.model->isAgainstDefault},
                     {"verified", outcome.model->numVerified()},
                     {"verified_share", outcome.model->verifiedShare()},
                     {"kernels", std::move(kernels)}};
  }
  if (!outcome.sizes.empty())
    json["sizes"] = outcome.sizes;
  if (outcome.range)
    json["range"] = describeRange(*outcome.range);
  if (outcome.keptFailures > 0)
    json["failures"] = {{"count", outcome.keptFailures},
                        {"directory", outcome.failureDirectory}};
  return json;
}

Json tonno::describeModelKernel(const ModelKernelOutcome &kernel) {
  Json json = {
      {"kernel", kernel.kernel},       {"name", kernel.name},
      {"calls", kernel.calls},         {"default_seconds", kernel.seconds},
      {"verified", kernel.isVerified}, {"share", kernel.share}};
  if (kernel.onModelValues)
    json["on_model_values"] = *kernel.onModelValues;
  if (kernel.tuned)
    json["tuned"] = describeDecision(*kernel.tuned);
  return json;
}

Json tonno::describeOutcome(const KernelOutcome &outcome) {
  Json json = describeDecision(outcome);
  json["space"] = outcome.space;
  json["trials"] = Json::array();
  for (const Trial &trial : outcome.trials)
    json["trials"].push_back(describeTrial(trial, outcome.space));
  return json;
}

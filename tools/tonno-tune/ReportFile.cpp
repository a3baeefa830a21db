//===- The file of --report -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportFile.h"

using namespace tonno;

Result<ReportFile> ReportFile::open(const std::string &path,
                                    const std::string &outputPath) {
  ReportFile report;
  if (path.empty())
    return report;
  if (path == outputPath)
    return Error{"'-o' and '--report' both name '" + path +
                 "'; give one of them another file"};
  report.output.emplace(TONNO_TRY(Output::open(path)));
  return report;
}

/// Returns the members that each report has.
static Json beginReport(int exitStatus) {
  Json json = describeTool("tonno-tune");
  json["exit_status"] = exitStatus;
  json["kernels"] = Json::array();
  return json;
}

Result<void> ReportFile::write(const ReportedKernels &kernels, int exitStatus,
                               std::vector<WrittenFile> &files) {
  if (!output)
    return {};
  Json json = beginReport(exitStatus);
  for (const KernelOutcome &outcome : kernels.decided)
    json["kernels"].push_back(describeOutcome(outcome));
  json["skipped"] = kernels.skipped;
  json["undecided"] = kernels.undecided;
  return writeJson(json, files);
}

/// Returns an entry of a survey's report: space and trials of a kernel.
static Json describeSurvey(const SurveyOutcome &outcome) {
  Json json = {
      {"kernel", outcome.kernel},   {"target", outcome.target},
      {"chip", outcome.chip},       {"is_verified", outcome.isVerified},
      {"seconds", outcome.seconds}, {"space", outcome.space},
      {"trials", Json::array()}};
  if (!outcome.sizes.empty())
    json["sizes"] = outcome.sizes;
  for (const Trial &trial : outcome.trials)
    json["trials"].push_back(describeTrial(trial, outcome.space));
  if (outcome.keptFailures > 0)
    json["failures"] = {{"count", outcome.keptFailures},
                        {"directory", outcome.failureDirectory}};
  return json;
}

Result<void> ReportFile::write(std::span<const SurveyOutcome> surveys,
                               int exitStatus,
                               std::vector<WrittenFile> &files) {
  if (!output)
    return {};
  Json json = beginReport(exitStatus);
  json["surveys"] = Json::array();
  for (const SurveyOutcome &outcome : surveys)
    json["surveys"].push_back(describeSurvey(outcome));
  return writeJson(json, files);
}

Result<void> ReportFile::writeJson(const Json &json,
                                   std::vector<WrittenFile> &files) {
  TONNO_TRY(output->write(printed(json, 1) + "\n"));
  output->appendTo(files, "report", "decisions and trials, as JSON");
  return {};
}

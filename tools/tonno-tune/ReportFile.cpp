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

Result<void> ReportFile::write(const ReportedKernels &kernels, int exitStatus,
                               std::vector<WrittenFile> &files) {
  if (!output)
    return {};
  Json json = describeTool("tonno-tune");
  json["exit_status"] = exitStatus;
  json["kernels"] = Json::array();
  for (const KernelOutcome &outcome : kernels.decided)
    json["kernels"].push_back(describeOutcome(outcome));
  json["skipped"] = kernels.skipped;
  json["undecided"] = kernels.undecided;
  TONNO_TRY(output->write(printed(json, 1) + "\n"));
  output->appendTo(files, "report", "decisions and trials, as JSON");
  return {};
}

//===- The file of --report -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_REPORTFILE_H
#define TONNO_TOOLS_REPORTFILE_H

#include "Output.h"

#include "tonno/Session/TuneReport.h"
#include "tonno/Tuner/SurveyModule.h"

#include <span>

namespace tonno {

/// The kernels of a session, for a report.
struct ReportedKernels {
  std::span<const KernelOutcome> decided;
  std::span<const std::string> skipped;   ///< all their knobs were selected
  std::span<const std::string> undecided; ///< failed, or left for an interrupt
};

/// The report of a session as JSON, if one was asked for.
class ReportFile {
public:
  /// Opens the file at `path`; empty: there is no report. Fails if nothing can
  /// be written there, or if the tool's output goes there.
  static Result<ReportFile> open(const std::string &path,
                                 const std::string &outputPath);

  /// Writes the report of a session that ends with this exit status, and
  /// appends the file to those that were written.
  Result<void> write(const ReportedKernels &kernels, int exitStatus,
                     std::vector<WrittenFile> &files);

  /// Writes the report of a survey, which decides no kernel.
  Result<void> write(std::span<const SurveyOutcome> surveys, int exitStatus,
                     std::vector<WrittenFile> &files);

private:
  Result<void> writeJson(const Json &json, std::vector<WrittenFile> &files);

  std::optional<Output> output;
};

} // namespace tonno

#endif // TONNO_TOOLS_REPORTFILE_H

//===- Tunes a file in OpenCL C -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Commands.h"
#include "Output.h"
#include "ReportFile.h"

#include "tonno/Backend/Shipping.h"
#include "tonno/Core/Version.h"
#include "tonno/OpenClC/TuneOpenCl.h"
#include "tonno/Session/Interrupt.h"
#include "tonno/Session/Progress.h"

#include "llvm/Support/raw_ostream.h"
#include <filesystem>

using namespace tonno;

bool tonno::isOpenCl(const CommandLine &commandLine) {
  return llvm::StringRef(commandLine.input).ends_with(".cl");
}

static OpenClRequest getOpenClRequest(const CommandLine &commandLine,
                                      const TuneRequest &asked) {
  const AttributeOptions &given = asked.kernelOptions;
  OpenClRequest request;
  request.file = commandLine.input;
  request.kernel = asked.kernel;
  request.knobs = given.knobs;
  request.constraints = given.constraints;
  request.arguments.assign(commandLine.arguments.begin(),
                           commandLine.arguments.end());
  request.inputs = given.inputs;
  request.globalSize = commandLine.globalSize;
  request.localSize = commandLine.localSize;
  request.buildOptions = commandLine.buildOptions;
  return request;
}

static Result<TunerOptions> resolveOptions(const CommandLine &commandLine,
                                           TuneRequest request) {
  if (commandLine.options.isGiven("target"))
    return Error{"'--target' does not apply to kernels in OpenCL C, which the "
                 "device's driver compiles; leave it out"};
  if (commandLine.rename.getNumOccurrences())
    return Error{"'--rename' does not apply to kernels in OpenCL C, which have "
                 "the names of their source; leave it out"};
  request.target = openClTarget;
  request.kernelOptions.knobs.clear();
  request.kernelOptions.constraints.clear();
  request.kernelOptions.inputs.clear();
  auto options = request.resolve();
  if (!options)
    return options;
  TONNO_TRY(checkOpenClOptions(*options));
  for (Emission emission : commandLine.emit)
    if (!describe(emission).isOpenClOnly && emission != Emission::plan)
      return Error{"'--emit=" + describe(emission).name.str() +
                   "' does not apply to kernels in OpenCL C; the values are: "
                   "program, options, plan"};
  return options;
}

/// Returns the options that state the winner's sizes.
static std::string describeSizes(const OpenClSource &kernel) {
  std::string text = "--global-size='" + kernel.globalSize + "'";
  if (!kernel.localSize.empty())
    text += " --local-size='" + kernel.localSize + "'";
  return text;
}

static std::string comment(const OpenClOutcome &outcome) {
  KernelOutcome plainly = outcome.kernel;
  plainly.source.clear();
  return "Tuned by tonno " + std::string(version()) + " on " +
         plainly.device.name + " (driver " + plainly.device.driver + "), " +
         outcome.source.name + " " + describeSizes(outcome.source) + "; " +
         summarize(plainly) +
         (plainly.oracle.bits == Bits::same ? ", with the default's bits" : "");
}

static std::string emitted(const OpenClOutcome &outcome, Emission emission) {
  if (emission == Emission::plan)
    return planText(outcome.winner->plan, outcome.source.name, openClTarget,
                    outcome.kernel.chip);
  const std::vector<uint8_t> &binary = outcome.winner->binary;
  if (emission == Emission::program)
    return std::string(binary.begin(), binary.end());
  auto configuration =
      outcome.source.space.configuration(outcome.kernel.decision.values);
  return configuration ? outcome.source.buildOptions(*configuration) + "\n"
                       : "";
}

/// Returns the files of what --emit asks for. Finds what could keep one from
/// being written before anything is tuned.
static Result<std::vector<std::filesystem::path>>
planEmitted(const std::string &kernel, const CommandLine &commandLine) {
  std::vector<std::filesystem::path> files;
  for (Emission emission : commandLine.emit)
    files.push_back(
        TONNO_TRY(chooseEmissionFile(commandLine.output, kernel, emission)));
  return files;
}

static Result<void> writeOutcome(const OpenClOutcome &outcome, Output &output,
                                 const CommandLine &commandLine,
                                 llvm::ArrayRef<std::filesystem::path> files,
                                 std::vector<WrittenFile> &written) {
  TONNO_TRY(output.write(tunedSource(
      outcome.source, outcome.kernel.decision.values, comment(outcome))));
  output.appendTo(written, "source",
                  describeTuned("source", {&outcome.kernel, 1}));
  for (auto [emission, file] : llvm::zip_equal(commandLine.emit, files)) {
    TONNO_TRY(writeFileAtomically(file, emitted(outcome, emission)));
    written.push_back(describeEmitted(file, emission));
  }
  return {};
}

int tonno::tuneOpenClFile(const CommandLine &commandLine,
                          const Messages &messages) {
  auto request = commandLine.options.request();
  if (!request)
    return messages.fail(request.error().message);
  auto options = resolveOptions(commandLine, *request);
  if (!options)
    return messages.fail(options.error().message);
  auto file = readOpenCl(getOpenClRequest(commandLine, *request));
  if (!file)
    return messages.fail(file.error());
  auto output = Output::open(commandLine.output);
  if (!output)
    return messages.fail(output.error().message);
  auto report = ReportFile::open(commandLine.report, commandLine.output);
  if (!report)
    return messages.fail(report.error().message);
  auto files = planEmitted(file->kernel.name, commandLine);
  if (!files)
    return messages.fail(files.error().message);
  InterruptScope interrupts;
  options->interrupted = [] { return InterruptScope::received() != 0; };
  std::unique_ptr<TuneObserver> progress =
      messages.createProgress(commandLine.verbose);
  auto outcome = tuneOpenCl(std::move(*file), *options,
                            !commandLine.emit.empty(), *progress);
  progress->finish();
  int signal = InterruptScope::received();
  if (!outcome) {
    messages.fail(outcome.error());
    return signal ? 128 + signal : 1;
  }
  std::vector<WrittenFile> written;
  if (auto wrote =
          writeOutcome(*outcome, *output, commandLine, *files, written);
      !wrote) {
    messages.reportWritten(written);
    return messages.fail(wrote.error().message);
  }
  int exitStatus = signal ? 128 + signal : outcome->kernel.isCutShort ? 1 : 0;
  auto reported = report->write({std::span(&outcome->kernel, 1), {}, {}},
                                exitStatus, written);
  messages.reportWritten(written);
  return reported ? exitStatus : messages.fail(reported.error().message);
}

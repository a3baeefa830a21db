//===- Candidates of default spaces ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints, for each kernel and each GPU, the number of points in its default
// space, the number of refused ones in a random sample, and the resources of
// the default configuration. For the host, prints compile times: of the median
// candidate, the 95th percentile, and the slowest.
//
//   tonno-benchmark-candidates [TRIALS [SEED [FILE...]]]       GPUs
//   tonno-benchmark-candidates host TRIALS SEED FILE...
//
// benchmarks/host/run.py --build=<build> --kernels=<folder> writes files for
// the host.

#include "HostCandidates.h"

#include "tonno/Backend/Backend.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/SurveyModule.h"
#include "tonno/Tuner/TuneRequest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>
#include <cstdlib>

using namespace tonno;

static constexpr double mostRefused = 0.05;

static bool isRefused(const Trial &trial) { return trial.status != Status::ok; }

static bool isSpilling(const Trial &trial) {
  return !isRefused(trial) && trial.usage.spillBytes.value_or(0) != 0;
}

static uint64_t countLegal(const SearchSpace &space) {
  uint64_t count = 0;
  LegalPoints points(space);
  while (points.next())
    ++count;
  return count;
}

/// Prints a row; whether few are refused and the default doesn't spill.
static bool report(const SurveyOutcome &outcome) {
  const auto &trials = outcome.trials;
  if (trials.empty())
    return false;
  auto refused = llvm::count_if(trials, isRefused);
  // The default is tried first.
  const Trial &standard = trials.front();
  bool pass = double(refused) <= mostRefused * double(trials.size()) &&
              !isRefused(standard) && standard.usage.spillBytes == 0;
  std::printf("%-8s %-24s %7llu %5zu %7zd %6zd   %5lld %4lld %s%s\n",
              outcome.chip.c_str(), outcome.kernel.c_str(),
              static_cast<unsigned long long>(countLegal(outcome.space)),
              trials.size(), refused, llvm::count_if(trials, isSpilling),
              static_cast<long long>(standard.usage.registers.value_or(-1)),
              static_cast<long long>(standard.usage.spillBytes.value_or(-1)),
              outcome.space.values(standard.configuration).dump().c_str(),
              pass ? "" : "  FAIL");
  std::fflush(stdout);
  return pass;
}

/// Reads the file's kernels for a chip; null after an error.
static mlir::OwningOpRef<mlir::ModuleOp>
readKernels(const std::string &file, const TunerOptions &options,
            mlir::MLIRContext &context) {
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(file, &context);
  if (!module || failed(prepareModule(*module, options)))
    return {};
  return module;
}

static bool runFile(const std::string &file, TuneRequest request,
                    const std::string &chip) {
  bool isHost = chip == "native";
  request.chip = chip;
  request.target = isHost                    ? "host"
                   : chip.starts_with("gfx") ? "amdgpu"
                                             : "nvptx";
  Result<TunerOptions> options = request.resolve();
  if (!options) {
    std::fprintf(stderr, "error: %s\n", options.error().message.c_str());
    return false;
  }
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = readKernels(file, *options, context);
  if (!module)
    return false;
  if (isHost)
    return reportHost(llvm::sys::path::stem(file).str(), *module,
                      {options->effort.budget.trials, options->seed});
  TuneObserver silent;
  auto outcomes = surveyModule(*module, *options, silent);
  if (failed(outcomes))
    return false;
  bool pass = true;
  for (const SurveyOutcome &outcome : *outcomes)
    pass &= report(outcome);
  return pass;
}

static bool runHost(const TuneRequest &request,
                    const std::vector<std::string> &files) {
  printHostHeading({*request.budgetTrials, request.seed});
  bool pass = true;
  for (const std::string &file : files)
    pass &= runFile(file, request, "native");
  std::printf("\nA row passes where all compile, none in over 2 s; those over "
              "0.5 s are listed.\n");
  return pass;
}

int main(int argc, char **argv) {
  bool isHost = argc > 1 && llvm::StringRef(argv[1]) == "host";
  if (isHost)
    --argc, ++argv;
  TuneRequest request;
  request.compileOnly = true;
  request.strategy = "random";
  request.cache = "off";
  request.budgetSeconds = 36000;
  request.budgetTrials = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  request.seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  std::vector<std::string> files(argv + std::min(argc, 3), argv + argc);
  if (isHost)
    return runHost(request, files) ? 0 : 1;
  if (files.empty())
    files = {TONNO_CANDIDATES_FOLDER "/matmuls.mlir",
             TONNO_CANDIDATES_FOLDER "/others.mlir"};
  std::printf("                                   points      of them         "
              "default's\nchip     kernel                     "
              "legal tried refused spills   regs. spills, values\n");
  bool pass = true;
  for (const std::string &file : files)
    for (const char *chip :
         {"sm_80", "sm_90", "sm_100", "sm_120", "gfx942", "gfx950", "gfx1100"})
      pass &= runFile(file, request, chip);
  std::printf(
      "\nA row passes where %.0f %% at most are refused and the default "
      "spills nothing.\n",
      100 * mostRefused);
  return pass ? 0 : 1;
}

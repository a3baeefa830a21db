//===- Quality of default configurations ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tunes kernels without knobs and compares their default configuration with
// random points of the same space, and with the best of these. Each point is
// timed in turn with the default, so only ratios are reported.

#include "tonno/Backend/Backend.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/TuneRequest.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace tonno;

/// The default must be as fast as half of the random points, within what one
/// trial is measured to, and have this share of the winner's speed.
static constexpr double trialTolerance = 0.02;
static constexpr double leastOfWinner = 0.6;

namespace {

struct Row {
  size_t tried = 0;  ///< legal points besides the default
  size_t failed = 0; ///< of them, without a time
  double overMedian = 0;
  double overWinner = 0;
  Interval overWinnerInterval;

  bool passes() const {
    return overMedian >= 1 - trialTolerance && overWinner >= leastOfWinner;
  }
};

} // namespace

/// Compares speeds: the default's speed over a point's is the point's time over
/// the default's.
static Row judge(const KernelOutcome &outcome) {
  Row row;
  std::vector<double> ratios;
  Configuration standard = outcome.space.defaultConfiguration();
  for (const Trial &trial : outcome.trials) {
    if (trial.configuration == standard)
      continue;
    ++row.tried;
    if (trial.measurement)
      ratios.push_back(trial.measurement->ratio);
    else
      ++row.failed;
  }
  row.overMedian = ratios.empty() ? 1 : median(ratios);
  const Comparison &test = outcome.decision.comparison;
  row.overWinner = 1 / test.speedup;
  row.overWinnerInterval = {1 / test.speedupInterval.high,
                            1 / test.speedupInterval.low};
  return row;
}

static void print(const std::string &kernel, const SearchSpace &space,
                  const Row &row) {
  std::printf("%-18s %9llu %5zu %6zu %8.2f %8.2f [%.2f, %.2f]  %s\n",
              kernel.c_str(), static_cast<unsigned long long>(space.size()),
              row.tried, row.failed, row.overMedian, row.overWinner,
              row.overWinnerInterval.low, row.overWinnerInterval.high,
              row.passes() ? "pass" : "FAIL");
  std::fflush(stdout);
}

/// Returns true if the file's kernels were tuned and their defaults pass.
static bool runFile(const std::filesystem::path &file,
                    const TunerOptions &options) {
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(file.string(), &context);
  if (!module || failed(prepareModule(*module, options)))
    return false;
  TuneObserver silent;
  auto tuned = tuneModule(*module, options, silent);
  if (failed(tuned))
    return false;
  bool pass = tuned->isWhole;
  for (const KernelOutcome &outcome : tuned->tuned) {
    Row row = judge(outcome);
    print(outcome.kernel, outcome.space, row);
    pass &= row.passes();
  }
  return pass;
}

static std::vector<std::filesystem::path> findKernels(const char *folder) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".mlir")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

int main(int argc, char **argv) {
  TuneRequest request;
  request.strategy = "random";
  request.budgetTrials = 41;
  request.budgetSeconds = 120;
  request.seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  request.cache = "off";
  Result<TunerOptions> options = request.resolve();
  if (!options) {
    std::fprintf(stderr, "error: %s\n", options.error().message.c_str());
    return 1;
  }
  std::vector<std::filesystem::path> files(argv + std::min(argc, 2),
                                           argv + argc);
  if (files.empty())
    files = findKernels(TONNO_DEFAULT_KERNELS);
  std::printf(
      "                              random points  default's speed over\n"
      "kernel                points tried failed   median   winner\n");
  bool pass = true;
  for (const std::filesystem::path &file : files)
    pass &= runFile(file, *options);
  std::printf(
      "\nA kernel passes whose default is at least as fast as the median "
      "of %llu random\nlegal points (to %.0f %%), and has %.1f of the "
      "winner's speed. Again with:\n  %s %llu\n",
      static_cast<unsigned long long>(*request.budgetTrials - 1),
      100 * trialTolerance, leastOfWinner, argv[0],
      static_cast<unsigned long long>(request.seed));
  return pass ? 0 : 1;
}

//===- CompileCost.cpp - Candidates in a worker and in a process chain ----===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Compiles the default configuration of an f32 matrix product again and again,
// in turn by a warm worker, from linalg on, and by stock tools in a chain of
// processes (chain.sh), which start from the launches that tonno has made: once
// without optimising LLVM IR, which tonno does, and once with it. Run it on one
// core: taskset -c 0.

#include "tonno/Backend/Backend.h"
#include "tonno/Core/Frame.h"
#include "tonno/Core/Statistics.h"
#include "tonno/Tuner/KernelProblem.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/TuneRequest.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace tonno;

static constexpr const char *folder = TONNO_COMPILE_FOLDER;
static constexpr const char *kernelFile = TONNO_COMPILE_FOLDER "/matmul.mlir";
static constexpr const char *ptxas = "/usr/local/cuda/bin/ptxas";

template <typename Work> static double secondsOf(Work work) {
  auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

static bool runShell(const std::string &command) {
  // NOLINTNEXTLINE(bugprone-command-processor): the command is our own
  return std::system(command.c_str()) == 0;
}

/// The launches of the default configuration, which the chain begins with.
static bool writeLaunches(const TuneOptions &options, const std::string &file) {
  std::string tool = std::string(TONNO_BINARY_FOLDER) + "/tonno-opt ";
  return runShell(tool + kernelFile + " --tonno-annotate='target=" +
                  options.target + " chip=" + options.chip + "' | " + tool +
                  "--tonno-apply --tonno-strip | " + tool + "--tonno-lower-" +
                  options.target + "=chip=" + options.chip +
                  " --mlir-print-ir-after=tonno-record-launches -o /dev/null "
                  "2>&1 | sed '/^\\/\\/ -----/d' > " +
                  file);
}

namespace {

/// What a chain takes, in turn with the worker.
class Column {
public:
  void add(double seconds, double workerSeconds) {
    chain.push_back(seconds);
    ratios.push_back(seconds / workerSeconds);
  }
  void print() const {
    Interval interval = medianInterval(ratios, 1.96);
    std::printf("  %9.1f %6.2f [%.2f, %.2f]", 1e3 * median(chain),
                median(ratios), interval.low, interval.high);
  }

private:
  std::vector<double> chain, ratios;
};

} // namespace

/// Prints a row of the table; false where something does not compile.
static bool compare(const std::string &target, const std::string &chip,
                    unsigned rounds) {
  TuneRequest request;
  request.target = target;
  request.chip = chip;
  request.compileOnly = true;
  request.jobs = 1;
  request.cache = "off";
  Result<TuneOptions> options = request.resolve();
  if (!options) {
    std::fprintf(stderr, "error: %s\n", options.error().message.c_str());
    return false;
  }
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(kernelFile, &context);
  if (!module || failed(prepareModule(*module, *options)))
    return false;
  WorkerPool compiler = createWorkers(*options);
  auto problem =
      readProblem(*module->getOps<mlir::func::FuncOp>().begin(),
                  SelectedKnobs::vary, {target, chip}, compiler, {}, {}, {});
  std::string base =
      std::string(TONNO_BINARY_FOLDER) + "/../benchmarks/compile/" + chip;
  if (failed(problem) || !writeLaunches(*options, base + ".mlir"))
    return false;
  Json values = problem->space.values(problem->space.defaultConfiguration());
  std::string chain = std::string(folder) + "/chain.sh " + chip + " " + base +
                      ".mlir " + base + " " TONNO_LLVM_TOOLS " " + ptxas;
  std::vector<double> worker;
  Column plain, optimizing;
  for (unsigned round = 0; round <= rounds; ++round) {
    bool compiled = true;
    double own = secondsOf([&] {
      compiler.submit(values);
      compiled &= compiler.next().status == Status::ok;
    });
    double shorter = secondsOf([&] { compiled &= runShell(chain); });
    double longer = secondsOf([&] { compiled &= runShell(chain + " opt"); });
    if (!compiled)
      return false;
    if (round == 0)
      continue; // files are read for the first time
    worker.push_back(own);
    plain.add(shorter, own);
    optimizing.add(longer, own);
  }
  std::printf("%-8s %10.1f", chip.c_str(), 1e3 * median(worker));
  plain.print();
  optimizing.print();
  std::printf("\n");
  std::fflush(stdout);
  return true;
}

int main(int argc, char **argv) {
  unsigned rounds =
      argc > 1 ? unsigned(std::strtoul(argv[1], nullptr, 10)) : 40;
  std::printf(
      "chip      worker ms   chain ms  ratio, 95 %%     with opt ms  ratio\n");
  bool done =
      compare("nvptx", "sm_90", rounds) && compare("amdgpu", "gfx942", rounds);
  if (!done)
    std::fprintf(stderr, "error: a candidate did not compile\n");
  return done ? 0 : 1;
}

//===- Candidates in a worker and in a process chain ----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles the default configuration of an f32 matrix product again and again,
// in turn by a warm worker, from linalg on, and by stock tools in a chain of
// processes (chain.sh), which start from what tonno has made, launches or loops
// of vectors: once without optimising LLVM IR, which tonno does, and once with
// it. On the host both kernels are then timed beside each other. Run it on one
// core: taskset -c 0.

#include "tonno/Backend/Backend.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Statistics.h"
#include "tonno/Process/Frame.h"
#include "tonno/Runtime/HostDevice.h"
#include "tonno/Tuner/PrepareModule.h"
#include "tonno/Tuner/Processes.h"
#include "tonno/Tuner/TuneRequest.h"
#include "tonno/Tuner/TuningProblem.h"
#include "Oracle/InputData.h"
#include "Sampling/DeviceSampler.h"

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

/// Writes the chain's input: the launches of the default configuration, or for
/// the host its loops of vectors.
static bool writeLaunches(const TunerOptions &options,
                          const std::string &file) {
  std::string tool = std::string(TONNO_BINARY_FOLDER) + "/tonno-opt ";
  bool isHost = options.target == "host";
  std::string lowering =
      isHost ? "--tonno-lower-host --mlir-print-ir-after=tonno-lower-vectors"
             : "--tonno-lower-" + options.target + "=chip=" + options.chip +
                   " --mlir-print-ir-after=tonno-record-launches";
  return runShell(tool + kernelFile + " --tonno-annotate='target=" +
                  options.target + " chip=" + options.chip + "' | " + tool +
                  "--tonno-apply --tonno-strip | " + tool + lowering +
                  " -o /dev/null 2>&1 | sed '/^\\/\\/ -----/d' > " + file);
}

/// Prints how much faster the worker's kernel is than the chain's.
static Result<void, Failure> compareKernels(const Artifact &ours,
                                            const std::string &library) {
  auto bytes = readFile(library);
  if (!bytes)
    return Failure{Status::load_error, bytes.error().message};
  Artifact theirs = ours;
  theirs.binary.assign(bytes->begin(), bytes->end());
  auto device = HostDevice::create();
  if (!device)
    return Failure{Status::lost, device.error().message};
  ProtocolOptions options;
  std::mt19937_64 generator(0);
  Signature signature = ours.plan.signature();
  Values values = drawReals(signature, Values(signature.size()), generator);
  auto rotation = TONNO_TRY(BufferRotation::create(
      **device, signature, encodeAll(signature, values), options, 0));
  auto sampler =
      DeviceSampler::create(**device, rotation, {&theirs, &ours}, options);
  if (!sampler)
    return sampler.error();
  auto found = TONNO_TRY(compareWithBaseline(*sampler, options, 0));
  std::printf(
      "         speed of the worker's kernel over the chain's with opt: "
      "%.3f [%.3f, %.3f]\n",
      found.speedup, found.speedupInterval.low, found.speedupInterval.high);
  return {};
}

namespace {

/// Times of a chain, measured in turn with the worker.
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
  Result<TunerOptions> options = request.resolve();
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
  TuneObserver nobody;
  WorkerPool compiler = createWorkers(*options, nobody);
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
  Artifact compiled;
  for (unsigned round = 0; round <= rounds; ++round) {
    bool isDone = true;
    double own = secondsOf([&] {
      compiler.submit(values);
      Compilation compilation = compiler.next();
      isDone &= compilation.status == Status::ok;
      if (compilation.artifact)
        compiled = std::move(*compilation.artifact);
    });
    double shorter = secondsOf([&] { isDone &= runShell(chain); });
    double longer = secondsOf([&] { isDone &= runShell(chain + " opt"); });
    if (!isDone)
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
  if (target == "host")
    if (auto shown = compareKernels(compiled, base + ".so"); !shown) {
      std::fprintf(stderr, "error: %s\n", shown.error().message.c_str());
      return false;
    }
  std::fflush(stdout);
  return true;
}

int main(int argc, char **argv) {
  unsigned rounds =
      argc > 1 ? unsigned(std::strtoul(argv[1], nullptr, 10)) : 40;
  std::string only = argc > 2 ? argv[2] : "";
  std::printf(
      "chip      worker ms   chain ms  ratio, 95 %%     with opt ms  ratio\n");
  bool done = true;
  for (auto [target, chip] :
       {std::pair("nvptx", "sm_90"), {"amdgpu", "gfx942"}, {"host", "native"}})
    if (only.empty() || only == target)
      done &= compare(target, chip, rounds);
  if (!done)
    std::fprintf(stderr, "error: a candidate did not compile\n");
  return done ? 0 : 1;
}

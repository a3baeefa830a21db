//===- Time of a reference run --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles each kernel of kernels.mlir as references are, and as plain loops in
// the same order, and runs them in turn: the plain loops in one thread, the
// reference in one and in one for each core. GFLOP/s are of the operations that
// the kernel's attribute counts.

#include "tonno/Backend/Compile.h"
#include "tonno/Backend/Pipelines.h"
#include "tonno/Core/Statistics.h"
#include "tonno/Runtime/HostDevice.h"
#include "Sampling/BufferSet.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace tonno;

template <typename Work> static double secondsOf(Work work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

namespace {

/// The host backend with the reference's passes.
class ReferenceBackend : public Backend {
public:
  ReferenceBackend(std::unique_ptr<Backend> host, bool isPlain)
      : host(std::move(host)) {
    if (isPlain)
      blocking.leastWork = INT64_MAX;
  }
  llvm::StringRef name() const override { return host->name(); }
  const Target &target() const override { return host->target(); }
  std::string fingerprint() const override { return host->fingerprint(); }
  mlir::LogicalResult check(mlir::func::FuncOp kernel) const override {
    return host->check(kernel);
  }
  void buildPipeline(mlir::OpPassManager &pm,
                     llvm::StringRef kernel) const override {
    buildReferencePipeline(pm, kernel, blocking);
  }
  llvm::ArrayRef<Emission> forms() const override { return host->forms(); }
  mlir::FailureOr<Code> emit(mlir::ModuleOp lowered,
                             Emission form) const override {
    return host->emit(lowered, form);
  }

private:
  std::unique_ptr<Backend> host;
  BlockLoopsPassOptions blocking;
};

/// A kernel that is loaded on a device, with buffers of its own.
class LoadedKernel {
public:
  LoadedKernel(HostThreads threads, const Artifact &artifact)
      : device(std::move(*HostDevice::create(threads))),
        executable(std::move(*device->load(artifact))),
        block(std::move(*DeviceBlock::allocate(
            *device, BufferSet::bytesFor(artifact.plan.buffers)))) {
    std::mt19937_64 layout(0);
    set.emplace(std::move(*BufferSet::place(*device, artifact.plan.buffers,
                                            block.start(), layout)));
  }
  double seconds() {
    return secondsOf(
        [&] { (void)device->launch(*executable, set->pointers()); });
  }

private:
  std::unique_ptr<Device> device;
  std::unique_ptr<Executable> executable;
  DeviceBlock block;
  std::optional<BufferSet> set;
};

/// Times of one way to run a kernel, measured in turn with the plain loops.
class Column {
public:
  void add(double seconds, double plainSeconds) {
    times.push_back(seconds);
    ratios.push_back(plainSeconds / seconds);
  }
  void print(double operations) const {
    double seconds = median(times);
    Interval interval = medianInterval(ratios, 1.96);
    std::printf("  %8.4f %6.1f %5.2f [%.2f, %.2f]", seconds,
                1e-9 * operations / seconds, median(ratios), interval.low,
                interval.high);
  }

private:
  std::vector<double> times, ratios;
};

} // namespace

static bool measure(mlir::func::FuncOp kernel, unsigned rounds) {
  std::string name = kernel.getName().str();
  auto operations =
      double(kernel->getAttrOfType<mlir::IntegerAttr>("operations").getInt());
  std::vector<Artifact> artifacts;
  std::vector<double> compiling;
  for (bool isPlain : {true, false}) {
    auto host = createBackend({"host", "native"});
    if (!host)
      return false;
    ReferenceBackend backend(std::move(*host), isPlain);
    auto module = mlir::OwningOpRef<mlir::ModuleOp>(
        mlir::ModuleOp::create(kernel.getLoc()));
    module->push_back(kernel.clone());
    mlir::FailureOr<Artifact> artifact = mlir::failure();
    compiling.push_back(secondsOf(
        [&] { artifact = compileCandidate(backend, *module, name); }));
    if (failed(artifact))
      return false;
    artifacts.push_back(std::move(*artifact));
  }
  LoadedKernel plain({}, artifacts[0]), single({}, artifacts[1]),
      shared(HostThreads::onAllowedCores(), artifacts[1]);
  Column plainLoops, one, all;
  for (unsigned round = 0; round <= rounds; ++round) {
    double reference = plain.seconds();
    double first = single.seconds(), second = shared.seconds();
    if (round == 0 && rounds > 1)
      continue; // the first touches the memory
    plainLoops.add(reference, reference);
    one.add(first, reference);
    all.add(second, reference);
  }
  std::printf("%-14s %5.0f %5.0f", name.c_str(), 1e3 * compiling[0],
              1e3 * compiling[1]);
  for (const Column *column : {&plainLoops, &one, &all})
    column->print(operations);
  std::printf("\n");
  std::fflush(stdout);
  return true;
}

int main(int argc, char **argv) {
  unsigned rounds = argc > 1 ? unsigned(std::strtoul(argv[1], nullptr, 10)) : 8;
  std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  mlir::MLIRContext context(registry);
  auto module =
      mlir::parseSourceFile<mlir::ModuleOp>(TONNO_REFERENCE_KERNELS, &context);
  if (!module)
    return 1;
  unsigned threads = HostThreads::onAllowedCores().size();
  std::printf("               compile ms  plain loops: s, GFLOP/s        one "
              "thread: s, GFLOP/s, ratio      %u threads\n",
              threads);
  for (auto kernel : module->getOps<mlir::func::FuncOp>())
    if (wanted.empty() || llvm::is_contained(wanted, kernel.getName()))
      if (!measure(kernel, rounds)) {
        std::fprintf(stderr, "error: %s does not compile\n",
                     kernel.getName().str().c_str());
        return 1;
      }
  return 0;
}

//===- References in loops that are cut -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Compile.h"
#include "tonno/Backend/Pipelines.h"
#include "tonno/Runtime/Elements.h"
#include "tonno/Runtime/HostDevice.h"
#include "Sampling/BufferSet.h"

#include "ReferenceKernels.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// The host backend with the reference's passes, which here cut every op.
class CuttingBackend : public Backend {
public:
  explicit CuttingBackend(const Backend &host) : host(host) {}
  llvm::StringRef name() const override { return host.name(); }
  const Target &target() const override { return host.target(); }
  std::string fingerprint() const override { return host.fingerprint(); }
  mlir::LogicalResult check(mlir::func::FuncOp kernel) const override {
    return host.check(kernel);
  }
  void buildPipeline(mlir::OpPassManager &pm,
                     llvm::StringRef kernel) const override {
    BlockLoopsPassOptions everything;
    everything.leastWork = 0;
    buildReferencePipeline(pm, kernel, everything);
  }
  llvm::ArrayRef<Emission> forms() const override { return host.forms(); }
  mlir::FailureOr<Code> emit(mlir::ModuleOp lowered,
                             Emission form) const override {
    return host.emit(lowered, form);
  }

private:
  const Backend &host;
};

class ReferenceLoopsTest : public ::testing::TestWithParam<TestedKernel> {
protected:
  ReferenceLoopsTest()
      : context(registry(), mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          message = diagnostic.str();
        }) {}

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    return registry;
  }

  Artifact compile(const Backend &backend) {
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(GetParam().text, &context);
    EXPECT_TRUE(module) << message;
    auto artifact = compileCandidate(backend, *module, "f");
    EXPECT_TRUE(succeeded(artifact)) << message;
    return succeeded(artifact) ? *artifact : Artifact();
  }

  mlir::MLIRContext context;
  std::string message;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace

/// Returns the artifact's results; redzones and gaps must stay intact.
static BufferContents resultsOf(const Artifact &artifact, HostThreads threads,
                                const BufferContents &inputs) {
  auto device = HostDevice::create(threads);
  auto executable = (*device)->load(artifact);
  EXPECT_TRUE(executable) << executable.error().message;
  const std::vector<BufferSpec> &buffers = artifact.plan.buffers;
  auto block = DeviceBlock::allocate(**device, BufferSet::bytesFor(buffers));
  std::mt19937_64 layout(0);
  auto set = BufferSet::place(**device, buffers, block->start(), layout);
  EXPECT_TRUE(set->fill(inputs));
  EXPECT_TRUE((*device)->launch(**executable, set->pointers()));
  EXPECT_TRUE(set->checkRedzones());
  BufferContents results = *set->download();
  results.resize(artifact.plan.signature().size());
  return results;
}

/// Draws small integers, or else numbers of either sign.
static BufferContents drawInputs(const Signature &signature, bool areIntegers,
                                 bool areIndices) {
  std::mt19937_64 generator(7);
  BufferContents contents;
  for (const BufferSpec &buffer : signature) {
    bool isFloat = isFloatingPoint(buffer.elementType);
    std::vector<double> values(buffer.elements());
    for (double &value : values) {
      double integer = double(generator() % 17) - 8;
      if (!isFloat && areIndices)
        integer = double(generator() % 4);
      value = isFloat && !areIntegers ? integer / 7 + integer * integer / 13
                                      : integer;
    }
    contents.push_back(encode(buffer.elementType, values));
  }
  return contents;
}

/// Checks that results are equal but for the order of sums: within 1e-12 of the
/// summed magnitudes.
static void expectNear(const Signature &signature, const BufferContents &found,
                       const BufferContents &expected) {
  for (size_t i = 0; i < signature.size(); ++i) {
    if (!isFloatingPoint(signature[i].elementType)) {
      EXPECT_EQ(found[i], expected[i]) << signature[i].name;
      continue;
    }
    std::vector<double> ours = decode(signature[i].elementType, found[i]);
    std::vector<double> theirs = decode(signature[i].elementType, expected[i]);
    double largest = 1;
    for (double value : theirs)
      largest = std::max(largest, std::fabs(value));
    for (size_t e = 0; e < ours.size(); ++e)
      ASSERT_NEAR(ours[e], theirs[e], 1e-12 * largest)
          << signature[i].name << " " << e;
  }
}

// The host's own lowering shares no pass that makes loops with the reference's.
TEST_P(ReferenceLoopsTest, ComputeTheSameByAnyNumberOfThreads) {
  auto host = createBackend({"host", "native"});
  ASSERT_TRUE(host);
  Artifact other = compile(**host);
  Artifact reference = compile(CuttingBackend(**host));
  ASSERT_FALSE(HasFatalFailure() || HasNonfatalFailure());
  Signature signature = other.plan.signature();
  ASSERT_EQ(reference.plan.signature(), signature);
  uint64_t workgroups = 0;
  for (const Launch &launch : reference.plan.launches)
    workgroups = std::max<uint64_t>(workgroups, launch.geometry.grid[0]);
  EXPECT_EQ(workgroups > 1, GetParam().isShared);

  for (bool areIntegers : {true, false}) {
    BufferContents inputs =
        drawInputs(signature, areIntegers, GetParam().takesIndices);
    BufferContents expected = resultsOf(other, {}, inputs);
    BufferContents alone = resultsOf(reference, {}, inputs);
    if (areIntegers && GetParam().isExact)
      EXPECT_EQ(alone, expected);
    else
      expectNear(signature, alone, expected);
    for (unsigned threads : {2, 3, 7})
      EXPECT_EQ(
          resultsOf(reference, HostThreads::onAllowedCores(threads), inputs),
          alone)
          << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, ReferenceLoopsTest, ::testing::ValuesIn(testedKernels()),
    [](const ::testing::TestParamInfo<TestedKernel> &info) {
      return info.param.name;
    });

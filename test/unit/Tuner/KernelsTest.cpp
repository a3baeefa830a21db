//===- Real kernels, compiled and verified --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Compile.h"
#include "tonno/Runtime/HostDevice.h"
#include "Oracle/Oracle.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <filesystem>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// Returns the kernels of test/Backend/Inputs/kernels, each named as its file.
std::vector<std::string> kernelNames() {
  std::vector<std::string> names;
  for (const auto &file : std::filesystem::directory_iterator(KERNELS))
    names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

class KernelsTest : public ::testing::TestWithParam<std::string> {
protected:
  KernelsTest()
      : context(registry(), mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &diagnostic) {
          message = diagnostic.str();
        }) {}

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerBackendDialects(registry);
    return registry;
  }

  mlir::MLIRContext context;
  std::string message;
  mlir::ScopedDiagnosticHandler handler;
};

TEST_P(KernelsTest, ComputesWhatItsReferenceDoes) {
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(
      KERNELS "/" + GetParam() + ".mlir", &context);
  ASSERT_TRUE(module) << message;
  auto problem = compileReference(*module, GetParam());
  ASSERT_TRUE(succeeded(problem)) << message;
  auto backend = createBackend({"host", "native"});
  ASSERT_TRUE(backend);
  auto artifact = compileCandidate(**backend, *module, GetParam());
  ASSERT_TRUE(succeeded(artifact)) << message;

  auto host = HostDevice::create();
  ASSERT_TRUE(host) << host.error().message;
  auto oracle = Oracle::create(*problem, artifact->plan.signature(), 1, **host);
  ASSERT_TRUE(oracle) << oracle.error().message;
  auto executable = (*host)->load(*artifact);
  ASSERT_TRUE(executable) << executable.error().message;
  auto verified = oracle->verify(**host, **executable, artifact->plan);
  EXPECT_TRUE(verified) << verified.error().message;
}

INSTANTIATE_TEST_SUITE_P(Kernels, KernelsTest,
                         ::testing::ValuesIn(kernelNames()),
                         [](const ::testing::TestParamInfo<std::string> &info) {
                           return info.param;
                         });

} // namespace

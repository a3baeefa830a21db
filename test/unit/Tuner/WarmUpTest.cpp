//===- Tests for the warm-up of compilers ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerServer.h"

#include "gtest/gtest.h"

using namespace tonno;

namespace {

class WarmUpTest : public testing::TestWithParam<BackendRequest> {};

} // namespace

/// A failure of the warm-up would otherwise show in times only.
TEST_P(WarmUpTest, ItsKernelCompilesForEachTarget) {
  mlir::DialectRegistry registry;
  registerBackendDialects(registry);
  mlir::MLIRContext context(registry);
  auto backend = createBackend(GetParam());
  ASSERT_TRUE(backend.ok()) << backend.error().message;
  CandidateCompiler compiler(**backend, context, "kernel");
  EXPECT_TRUE(succeeded(warmUp(compiler, **backend, context, "kernel")));
}

INSTANTIATE_TEST_SUITE_P(Targets, WarmUpTest,
                         testing::Values(BackendRequest{"host", "native"},
                                         BackendRequest{"nvptx", "sm_90"},
                                         BackendRequest{"amdgpu", "gfx942"},
                                         BackendRequest{"amdgpu", "gfx942",
                                                        /*isSimulated=*/true}));

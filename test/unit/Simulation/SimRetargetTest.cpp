//===- Tests for unsupported code in simulation ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulation.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

namespace {

class SimRetargetTest : public SimulationTest {
protected:
  std::string refusal(const std::string &text) {
    auto compiled = compile(text);
    EXPECT_FALSE(compiled.ok());
    return compiled ? "" : compiled.error().message;
  }

  std::string nvptxRefusal(const std::string &body) {
    return refusal(std::string(nvptxHeader) +
                   "define ptx_kernel void @k(ptr %out) {\n" + body +
                   "\nret void\n}");
  }

  std::string amdgpuRefusal(const std::string &body) {
    return refusal(std::string(amdgpuHeader) +
                   "define amdgpu_kernel void @k(ptr %out) {\n" + body +
                   "\nret void\n}");
  }
};

} // namespace

TEST_F(SimRetargetTest, NamesAllIntrinsicsThatItDoesNotKnow) {
  EXPECT_EQ(nvptxRefusal(R"(
      %a = call i32 @llvm.nvvm.read.ptx.sreg.clock()
      %b = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
      %c = call i32 @llvm.nvvm.activemask())"),
            "cannot be simulated: llvm.nvvm.activemask, "
            "llvm.nvvm.read.ptx.sreg.clock");
  EXPECT_THAT(amdgpuRefusal("%a = call i64 @llvm.amdgcn.s.memtime()"),
              HasSubstr("llvm.amdgcn.s.memtime"));
  EXPECT_THAT(amdgpuRefusal("call void @llvm.amdgcn.s.barrier.signal(i32 -3)"),
              HasSubstr("llvm.amdgcn.s.barrier.signal"));
  EXPECT_THAT(amdgpuRefusal("%a = call i32 @llvm.amdgcn.update.dpp.i32(i32 0, "
                            "i32 0, i32 304, i32 15, i32 15, i1 false)"),
              HasSubstr("llvm.amdgcn.update.dpp.i32"));
}

TEST_F(SimRetargetTest, BarriersOfSomeThreadsOrOfUnknownNumber) {
  EXPECT_THAT(nvptxRefusal("call void @llvm.nvvm.barrier.cta.sync.aligned."
                           "count(i32 0, i32 64)"),
              HasSubstr("llvm.nvvm.barrier.cta.sync.aligned.count"));
  EXPECT_THAT(nvptxRefusal("%n = load i32, ptr %out\ncall void "
                           "@llvm.nvvm.barrier.cta.sync.aligned.all(i32 %n)"),
              HasSubstr("llvm.nvvm.barrier.cta.sync.aligned.all"));
}

TEST_F(SimRetargetTest, Assembly) {
  EXPECT_THAT(nvptxRefusal("call void asm sideeffect \"trap;\", \"\"()"),
              HasSubstr("the assembly \"trap;\""));
}

TEST_F(SimRetargetTest, AddressSpacesBeyondTheUsualOnes) {
  EXPECT_THAT(nvptxRefusal("%p = addrspacecast ptr %out to ptr addrspace(7)\n"
                           "store i32 0, ptr addrspace(7) %p"),
              HasSubstr("address space 7"));
  EXPECT_THAT(refusal(std::string(amdgpuHeader) +
                      "@g = internal addrspace(2) global i32 0"),
              HasSubstr("address space 2"));
}

TEST_F(SimRetargetTest, WhatHasAnotherSizeOnTheHost) {
  EXPECT_THAT(amdgpuRefusal("%p = load ptr addrspace(3), ptr %out\n"
                            "store i32 0, ptr addrspace(3) %p"),
              HasSubstr("'ptr addrspace(3)' in memory"));
  EXPECT_THAT(amdgpuRefusal("%n = load i32, ptr %out\n%p = inttoptr i32 %n to "
                            "ptr addrspace(5)\n"
                            "store i32 0, ptr addrspace(5) %p"),
              HasSubstr("an integer as 'ptr addrspace(5)'"));
}

TEST_F(SimRetargetTest, ParametersOtherThanPointers) {
  EXPECT_THAT(refusal(std::string(nvptxHeader) +
                      "define ptx_kernel void @k(ptr %a, i64 %n) {\n"
                      "ret void\n}"),
              HasSubstr("parameter 1 of 'k'"));
  EXPECT_THAT(refusal(std::string(nvptxHeader) +
                      "define ptx_kernel void @k(ptr byval({i32, i32}) %a) {\n"
                      "ret void\n}"),
              HasSubstr("parameter 0 of 'k'"));
}

TEST_F(SimRetargetTest, SharedMemoryWithAValue) {
  EXPECT_THAT(
      refusal(std::string(nvptxHeader) +
              "@s = internal addrspace(3) global i32 5"),
      HasSubstr("shared memory with an initial value cannot be simulated: s"));
}

TEST_F(SimRetargetTest, FunctionsThatAreNowhere) {
  EXPECT_THAT(
      refusal(std::string(nvptxHeader) + R"(
      declare float @__nv_expf(float)
      define ptx_kernel void @k(ptr %out) {
        %x = call float @__nv_expf(float 1.0)
        store float %x, ptr %out
        ret void
      })"),
      HasSubstr(
          "calls functions that emitted binaries do not have: __nv_expf"));
}

TEST_F(SimRetargetTest, KernelsAreTheOnlySymbols) {
  auto executable = load(std::string(nvptxHeader) + R"(
    @table = addrspace(4) constant [2 x i32] [i32 5, i32 6]
    @state = addrspace(1) global i32 1
    define i32 @helper(i32 %n) noinline {
      %p = getelementptr [2 x i32], ptr addrspace(4) @table, i32 0, i32 %n
      %v = load i32, ptr addrspace(4) %p
      %s = load i32, ptr addrspace(1) @state
      %r = add i32 %v, %s
      ret i32 %r
    }
    define ptx_kernel void @one(ptr %out) {
      %v = call i32 @helper(i32 1)
      store i32 %v, ptr %out
      ret void
    }
    define ptx_kernel void @two(ptr %out) {
      ret void
    })",
                         "one", {{1, 1, 1}, {1, 1, 1}}, 1);
  ASSERT_TRUE(executable);
  int32_t result = 0;
  std::vector<DevicePointer> buffers = {{&result}};
  ASSERT_TRUE(device->launch(*executable, buffers).ok());
  EXPECT_EQ(result, 7);
}

TEST_F(SimRetargetTest, EqualModulesGiveEqualBinaries) {
  std::string text = std::string(amdgpuHeader) + R"(
    @a = internal addrspace(3) global [4 x float] undef
    @b = external addrspace(3) global [0 x float]
    define amdgpu_kernel void @k(ptr %out) {
      call void @llvm.amdgcn.s.barrier()
      %v = load float, ptr addrspace(3) @a
      %w = load float, ptr addrspace(3) @b
      %r = call float @llvm.amdgcn.readfirstlane.f32(float %v)
      %s = fadd float %r, %w
      store float %s, ptr %out
      ret void
    })";
  auto first = compile(text), second = compile(text);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
}

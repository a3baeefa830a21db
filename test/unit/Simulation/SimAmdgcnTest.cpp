//===- AMD's intrinsics simulated -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulation.h"

#include <bit>
#include <cmath>

using namespace tonno;

namespace {

class SimAmdgcnTest : public IntrinsicTest {
protected:
  SimAmdgcnTest()
      : IntrinsicTest(std::string(amdgpuHeader) + R"(
    define amdgpu_kernel void @k(ptr addrspace(1) inreg %out) #0 {
      %tid = call i32 @llvm.amdgcn.workitem.id.x()
    )",
                      {64}, R"(
    @counter = internal addrspace(3) global i32 undef
    attributes #0 = { "target-cpu"="gfx942" "target-features"="+wavefrontsize64" "amdgpu-flat-work-group-size"="1,256" })") {
  }

  /// Checks update.dpp of 100 + the lane, with the old value 7.
  void expectDpp(const std::string &control,
                 const std::function<uint32_t(uint32_t)> &value) {
    expect("%v = add i32 %tid, 100\n"
           "%r = call i32 @llvm.amdgcn.update.dpp.i32(i32 7, i32 %v, " +
               control + ")",
           64, value);
  }
};

} // namespace

TEST_F(SimAmdgcnTest, ProductsAndDifferencesAreRoundedEach) {
  expectTwoRoundings();
}

TEST_F(SimAmdgcnTest, WhereAThreadIs) {
  expect("%r = call i32 @llvm.amdgcn.workitem.id.y()", 64,
         [](uint32_t) { return 0; });
  expect("%r = call i32 @llvm.amdgcn.workgroup.id.x()", 64,
         [](uint32_t) { return 0; });
  expect("%r = call i32 @llvm.amdgcn.wavefrontsize()", 64,
         [](uint32_t) { return 64; });
  auto lane = R"(
      %l = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)
      %r = call i32 @llvm.amdgcn.mbcnt.hi(i32 -1, i32 %l))";
  expect(lane, 150, [](uint32_t thread) { return thread % 64; });
  options.subgroupSize = 32;
  expect(lane, 150, [](uint32_t thread) { return thread % 32; });
  expect("%r = call i32 @llvm.amdgcn.wavefrontsize()", 64,
         [](uint32_t) { return 32; });
  expect("%r = call i32 @llvm.amdgcn.mbcnt.lo(i32 240, i32 1000)", 32,
         [](uint32_t lane) {
           return 1000 + (lane < 4 ? 0 : std::min(lane - 4, 4u));
         });
}

TEST_F(SimAmdgcnTest, SizesFromTheLaunch) {
  expect(R"(
      %p = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
      %g = getelementptr i8, ptr addrspace(4) %p, i64 12
      %s = load i16, ptr addrspace(4) %g
      %d = call ptr addrspace(4) @llvm.amdgcn.dispatch.ptr()
      %h = getelementptr i8, ptr addrspace(4) %d, i64 4
      %t = load i16, ptr addrspace(4) %h
      %u = add i16 %s, %t
      %r = zext i16 %u to i32)",
         100, [](uint32_t) { return 200; });
}

TEST_F(SimAmdgcnTest, Permutations) {
  expect(R"(
      %x = xor i32 %tid, 33
      %i = shl i32 %x, 2
      %r = call i32 @llvm.amdgcn.ds.bpermute(i32 %i, i32 %tid))",
         64, [](uint32_t lane) { return lane ^ 33; });
  expect(R"(
      %f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %tid)
      %l = call i32 @llvm.amdgcn.readlane.i32(i32 %tid, i32 9)
      %s = mul i32 %f, 100
      %r = add i32 %s, %l)",
         128, [](uint32_t lane) { return lane < 64 ? 9 : 6400 + 73; });
  expect(R"(
      %w = sitofp i32 %tid to double
      %f = call double @llvm.amdgcn.readfirstlane.f64(double %w)
      %r = fptosi double %f to i32)",
         128, [](uint32_t lane) { return lane / 64 * 64; });
  expect(R"(
      %c = icmp ult i32 %tid, 40
      %b = call i64 @llvm.amdgcn.ballot.i64(i1 %c)
      %n = call i64 @llvm.ctpop.i64(i64 %b)
      %r = trunc i64 %n to i32)",
         64, [](uint32_t) { return 40; });
}

TEST_F(SimAmdgcnTest, Swizzles) {
  auto swizzle = [&](uint32_t pattern, auto value) {
    expect("%r = call i32 @llvm.amdgcn.ds.swizzle(i32 %tid, i32 " +
               std::to_string(pattern) + ")",
           64, value);
  };
  swizzle(0x1f | 16 << 10, [](uint32_t lane) { return lane ^ 16; });
  swizzle(0x1c | 2 << 5, [](uint32_t lane) { return (lane & ~3u) | 2; });
  swizzle(0x8000 | 0b00011011, [](uint32_t lane) { return lane ^ 3; });
}

TEST_F(SimAmdgcnTest, RowsChangePlaces) {
  for (uint32_t row : {16u, 32u}) {
    auto swapped = [&](int which) {
      return "%v = add i32 %tid, 100\n"
             "%s = call {i32, i32} @llvm.amdgcn.permlane" +
             std::to_string(row) +
             ".swap(i32 %tid, i32 %v, i1 false, i1 false)\n"
             "%r = extractvalue {i32, i32} %s, " +
             std::to_string(which);
    };
    expect(swapped(0), 64,
           [&](uint32_t lane) { return lane & row ? 100 + lane - row : lane; });
    expect(swapped(1), 64,
           [&](uint32_t lane) { return lane & row ? 100 + lane : lane + row; });
  }
}

TEST_F(SimAmdgcnTest, DppTakesFromWithinRows) {
  auto all = ", i32 15, i32 15, i1 false";
  auto with = [&](uint32_t control) {
    return "i32 " + std::to_string(control) + all;
  };
  expectDpp(with(0b10110001), // quad_perm:[1,0,3,2]
            [](uint32_t lane) { return 100 + (lane ^ 1); });
  expectDpp(with(0x101),
            [](uint32_t lane) { return lane % 16 == 15 ? 7 : 101 + lane; });
  expectDpp(with(0x114),
            [](uint32_t lane) { return lane % 16 < 4 ? 7 : 96 + lane; });
  expectDpp(with(0x124), [](uint32_t lane) {
    return 100 + lane / 16 * 16 + (lane + 12) % 16;
  });
  expectDpp(with(0x140), [](uint32_t lane) { return 100 + (lane ^ 15); });
  expectDpp(with(0x141), [](uint32_t lane) { return 100 + (lane ^ 7); });
  expectDpp(with(0x142), [](uint32_t lane) {
    return lane < 16 ? 7 : 100 + lane / 16 * 16 - 1;
  });
  expectDpp(with(0x143), [](uint32_t lane) { return lane < 32 ? 7 : 131; });
  expectDpp(with(0x153), [](uint32_t lane) { return 103 + lane / 16 * 16; });
  expectDpp(with(0x163), [](uint32_t lane) { return 100 + (lane ^ 3); });
}

TEST_F(SimAmdgcnTest, DppSelectsRowsAndBanks) {
  expectDpp("i32 320, i32 10, i32 15, i1 false", [](uint32_t lane) {
    return lane / 16 % 2 ? 100 + (lane ^ 15) : 7;
  });
  expectDpp("i32 320, i32 15, i32 3, i1 false", [](uint32_t lane) {
    return lane % 16 < 8 ? 100 + (lane ^ 15) : 7;
  });
  expectDpp("i32 276, i32 15, i32 15, i1 true",
            [](uint32_t lane) { return lane % 16 < 4 ? 0 : 96 + lane; });
}

TEST_F(SimAmdgcnTest, BarriersAndWhatIsNothing) {
  expect(R"(
      fence syncscope("workgroup") release
      call void @llvm.amdgcn.s.barrier()
      fence syncscope("workgroup") acquire
      call void @llvm.amdgcn.s.barrier.signal(i32 -1)
      call void @llvm.amdgcn.s.barrier.wait(i16 -1)
      call void @llvm.amdgcn.wave.barrier()
      call void @llvm.amdgcn.s.waitcnt(i32 0)
      call void @llvm.amdgcn.sched.barrier(i32 0)
      call void @llvm.amdgcn.s.setprio(i16 1)
      %r = add i32 %tid, 0)",
         128, [](uint32_t thread) { return thread; });
}

TEST_F(SimAmdgcnTest, PrivateMemory) {
  expect(R"(
      %a = alloca [8 x i32], align 4, addrspace(5)
      %i = and i32 %tid, 7
      %p = getelementptr [8 x i32], ptr addrspace(5) %a, i32 0, i32 %i
      store i32 %tid, ptr addrspace(5) %p
      call void @llvm.amdgcn.s.barrier()
      %g = addrspacecast ptr addrspace(5) %a to ptr
      %q = getelementptr i32, ptr %g, i32 %i
      %r = load i32, ptr %q)",
         128, [](uint32_t thread) { return thread; });
}

TEST_F(SimAmdgcnTest, Arithmetic) {
  auto unary = [&](const std::string &name, float value) {
    expectFloat("%f = call float @llvm.amdgcn." + name + ".f32(float %x)",
                value);
  };
  unary("rcp", 2);
  unary("rsq", std::sqrt(2.f));
  unary("sqrt", std::sqrt(.5f));
  unary("exp2", std::exp2(.5f));
  unary("log", -1);
  unary("cos", -1);
  expectFloat("%f = call float @llvm.amdgcn.fract.f32(float %y)", .25f);
  expectFloat("%f = call float @llvm.amdgcn.fmed3.f32(float %z, float %y, "
              "float %x)",
              .5f);
  expectFloat("%f = call float @llvm.exp.f32(float %x)", std::exp(.5f));
}

TEST_F(SimAmdgcnTest, Atomics) {
  expect(R"(
      store i32 0, ptr addrspace(3) @counter
      call void @llvm.amdgcn.s.barrier()
      %one = atomicrmw add ptr addrspace(3) @counter, i32 2 syncscope("workgroup") monotonic
      %two = atomicrmw fadd ptr addrspace(3) @counter, float 0.0 syncscope("agent") monotonic
      call void @llvm.amdgcn.s.barrier()
      %r = load i32, ptr addrspace(3) @counter)",
         64, [](uint32_t) { return 128; });
}

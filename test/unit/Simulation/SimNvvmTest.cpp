//===- NVIDIA's intrinsics simulated --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulation.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace tonno;

namespace {

class SimNvvmTest : public IntrinsicTest {
protected:
  SimNvvmTest()
      : IntrinsicTest(std::string(nvptxHeader) + R"(
    @s = internal addrspace(3) global [512 x i8] undef, align 16
    define ptx_kernel void @k(ptr addrspace(1) %out) {
      %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
    )",
                      {}) {}

  /// Checks %r of a shuffle of 100 + the lane.
  void expectShuffle(const std::string &mode, uint32_t by, uint32_t clamp,
                     const std::function<uint32_t(uint32_t)> &from) {
    std::string operands = "i32 %v, i32 " + std::to_string(by) + ", i32 " +
                           std::to_string(clamp) + ")\n";
    std::string value = "%v = add i32 %tid, 100\n";
    expect(value + "%r = call i32 @llvm.nvvm.shfl.sync." + mode +
               ".i32(i32 -1, " + operands,
           32, [&](uint32_t lane) { return 100 + from(lane); });
  }
};

} // namespace

TEST_F(SimNvvmTest, ProductsAndDifferencesAreRoundedEach) {
  expectTwoRoundings();
}

TEST_F(SimNvvmTest, SpecialRegisters) {
  auto reads = [&](const std::string &sreg, auto value) {
    expect("%r = call i32 @llvm.nvvm.read.ptx.sreg." + sreg + "()", 70, value);
  };
  auto constant = [](uint32_t value) {
    return [value](uint32_t) { return value; };
  };
  reads("tid.x", [](uint32_t thread) { return thread; });
  reads("tid.y", constant(0));
  reads("tid.z", constant(0));
  reads("ntid.x", constant(70));
  reads("ntid.y", constant(1));
  reads("ctaid.x", constant(0));
  reads("nctaid.z", constant(1));
  reads("warpsize", constant(32));
  reads("laneid", [](uint32_t thread) { return thread % 32; });
  reads("warpid", [](uint32_t thread) { return thread / 32; });
  reads("lanemask.eq", [](uint32_t thread) { return 1u << thread % 32; });
  reads("lanemask.lt", [](uint32_t thread) { return (1u << thread % 32) - 1; });
  reads("lanemask.le", [](uint32_t thread) { return (2u << thread % 32) - 1; });
  reads("lanemask.ge",
        [](uint32_t thread) { return ~((1u << thread % 32) - 1); });
  reads("lanemask.gt",
        [](uint32_t thread) { return ~((2u << thread % 32) - 1); });
}

TEST_F(SimNvvmTest, ShufflesTakeTheLanesThatPtxSays) {
  expectShuffle("bfly", 5, 31, [](uint32_t lane) { return lane ^ 5; });
  expectShuffle("up", 3, 0,
                [](uint32_t lane) { return lane < 3 ? lane : lane - 3; });
  expectShuffle("down", 3, 31,
                [](uint32_t lane) { return lane > 28 ? lane : lane + 3; });
  expectShuffle("idx", 7, 31, [](uint32_t) { return 7; });
  // Segments of 8: the mask is in the upper bits of the last operand.
  uint32_t segments = 24 << 8;
  expectShuffle("bfly", 3, segments | 31,
                [](uint32_t lane) { return lane ^ 3; });
  expectShuffle("up", 2, segments,
                [](uint32_t lane) { return lane % 8 < 2 ? lane : lane - 2; });
  expectShuffle("down", 2, segments | 31,
                [](uint32_t lane) { return lane % 8 > 5 ? lane : lane + 2; });
  expectShuffle("idx", 6, segments | 31,
                [](uint32_t lane) { return lane / 8 * 8 + 6; });
}

TEST_F(SimNvvmTest, ShufflesOfFloatsAndWithPredicates) {
  expect(R"(
      %v = sitofp i32 %tid to float
      %s = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %v, i32 1, i32 31)
      %r = fptosi float %s to i32)",
         64, [](uint32_t thread) { return thread ^ 1; });
  expect(R"(
      %p = call {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32 -1, i32 %tid, i32 4, i32 31)
      %s = extractvalue {i32, i1} %p, 0
      %i = extractvalue {i32, i1} %p, 1
      %r = select i1 %i, i32 %s, i32 77)",
         32, [](uint32_t lane) { return lane < 28 ? lane + 4 : 77; });
  expect(R"(
      %v = sitofp i32 %tid to float
      %p = call {float, i1} @llvm.nvvm.shfl.sync.up.f32p(i32 -1, float %v, i32 4, i32 0)
      %i = extractvalue {float, i1} %p, 1
      %r = zext i1 %i to i32)",
         32, [](uint32_t lane) { return lane >= 4; });
}

TEST_F(SimNvvmTest, AShuffleMayHaveHalfOfTheLanes) {
  expect(R"(
      %low = icmp ult i32 %tid, 16
      br i1 %low, label %yes, label %no
    yes:
      %s = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 65535, i32 %tid, i32 1, i32 31)
      br label %no
    no:
      %r = phi i32 [%s, %yes], [99, %0])",
         32, [](uint32_t lane) { return lane < 16 ? lane ^ 1 : 99; });
}

TEST_F(SimNvvmTest, Votes) {
  auto votes = [&](const std::string &mode, const std::string &condition,
                   uint32_t value) {
    bool isBallot = mode == "ballot";
    expect("%c = icmp " + condition + "\n%v = call " +
               (isBallot ? "i32" : "i1") + " @llvm.nvvm.vote." + mode +
               ".sync(i32 -1, i1 %c)\n" +
               (isBallot ? "%r = add i32 %v, 0" : "%r = zext i1 %v to i32"),
           32, [&](uint32_t) { return value; });
  };
  votes("ballot", "ult i32 %tid, 5", 31);
  votes("any", "eq i32 %tid, 5", 1);
  votes("any", "eq i32 %tid, 50", 0);
  votes("all", "ult i32 %tid, 32", 1);
  votes("all", "ult i32 %tid, 31", 0);
  votes("uni", "ult i32 %tid, 31", 0);
  votes("uni", "ult i32 %tid, 0", 1);
}

TEST_F(SimNvvmTest, Reductions) {
  auto reduces = [&](const std::string &op, uint32_t value) {
    expect("%v = sub i32 %tid, 3\n%r = call i32 @llvm.nvvm.redux.sync." + op +
               "(i32 %v, i32 -1)",
           32, [&](uint32_t) { return value; });
  };
  reduces("add", 31 * 16 - 96);
  reduces("min", uint32_t(-3));
  reduces("max", 28);
  reduces("umin", 0);
  reduces("umax", uint32_t(-1));
  reduces("and", 0);
  reduces("or", uint32_t(-1));
}

TEST_F(SimNvvmTest, BarriersThatReduce) {
  auto reduces = [&](const std::string &op, const std::string &condition,
                     uint32_t value) {
    bool counts = op == "popc";
    expect("%c = icmp " + condition + "\n%v = call " + (counts ? "i32" : "i1") +
               " @llvm.nvvm.barrier.cta.red." + op +
               ".aligned.all(i32 0, i1 %c)\n" +
               (counts ? "%r = add i32 %v, 0" : "%r = zext i1 %v to i32"),
           100, [&](uint32_t) { return value; });
  };
  reduces("popc", "ult i32 %tid, 40", 40);
  reduces("and", "ult i32 %tid, 100", 1);
  reduces("and", "ult i32 %tid, 99", 0);
  reduces("or", "ult i32 %tid, 1", 1);
  reduces("or", "ult i32 %tid, 0", 0);
}

/// Fills 512 bytes with the number of each 16-bit element; then %row is the
/// address of this lane's 16 bytes of them.
static const std::string fourMatrices = R"(
  br label %fill
fill:
  %i = phi i32 [ 0, %0 ], [ %next, %fill ]
  %at = mul i32 %i, 32
  %word = add i32 %at, %tid
  %slot.s = getelementptr i32, ptr addrspace(3) @s, i32 %word
  %low = mul i32 %word, 2
  %high = add i32 %low, 1
  %shifted = shl i32 %high, 16
  %pair = or i32 %shifted, %low
  store i32 %pair, ptr addrspace(3) %slot.s
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 4
  br i1 %more, label %fill, label %filled
filled:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %row = getelementptr [16 x i8], ptr addrspace(3) @s, i32 %tid
)";

/// PTX's document: row lane / 4, elements 2 * (lane % 4) and the next one;
/// transposed they are exchanged, as CuTe's SM75_U16x8_LDSM_T has it.
TEST_F(SimNvvmTest, LdmatrixGivesEachLaneAPair) {
  for (bool isTransposed : {false, true})
    for (uint32_t matrix : {0u, 3u}) {
      std::string transposed = isTransposed ? ".trans" : "";
      expect(fourMatrices +
                 "%all = call {i32, i32, i32, i32} "
                 "@llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4" +
                 transposed + ".b16.p3(ptr addrspace(3) %row)\n" +
                 "%r = extractvalue {i32, i32, i32, i32} %all, " +
                 std::to_string(matrix),
             32, [&](uint32_t lane) {
               auto number = [&](uint32_t element) {
                 uint32_t outer = lane / 4, inner = lane % 4 * 2 + element;
                 return matrix * 64 +
                        (isTransposed ? inner * 8 + outer : outer * 8 + inner);
               };
               return number(1) << 16 | number(0);
             });
    }
}

TEST_F(SimNvvmTest, AsyncCopiesReadAsManyBytesAsTheySay) {
  for (uint32_t read : {0u, 4u, 16u})
    expect(R"(
      %rows = getelementptr [16 x i8], ptr addrspace(3) @s, i32 %tid
      store <4 x i32> <i32 5, i32 6, i32 7, i32 8>, ptr addrspace(1) %out
      call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %rows, ptr addrspace(1) %out, i32 )" +
               std::to_string(read) + R"()
      call void @llvm.nvvm.cp.async.commit.group()
      call void @llvm.nvvm.cp.async.wait.group(i32 0)
      %copied = load <4 x i32>, ptr addrspace(3) %rows
      %sum = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %copied)
      call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
      %r = add i32 %sum, 0
    )",
           4, [&](uint32_t) { return read == 0   ? 0
                                     : read == 4 ? 5
                                                 : 26; });
}

TEST_F(SimNvvmTest, WhatOnlyOrdersMemoryIsNothing) {
  expect(R"(
      call void @llvm.nvvm.membar.cta()
      call void @llvm.nvvm.membar.gl()
      call void @llvm.nvvm.bar.warp.sync(i32 -1)
      call void @llvm.nvvm.barrier.cta.sync.all(i32 3)
      fence syncscope("block") acq_rel
      %r = add i32 %tid, 0)",
         64, [](uint32_t thread) { return thread; });
}

TEST_F(SimNvvmTest, Arithmetic) {
  auto unary = [&](const std::string &name, float value) {
    expectFloat("%f = call float @llvm.nvvm." + name + "(float %x)", value);
  };
  unary("ex2.approx.ftz.f32", std::exp2(.5f));
  unary("lg2.approx.f", -1);
  unary("sqrt.rn.f", std::sqrt(.5f));
  unary("sqrt.approx.ftz.f", std::sqrt(.5f));
  unary("rsqrt.approx.f", std::sqrt(2.f));
  unary("rcp.rn.f", 2);
  unary("rcp.approx.ftz.f", 2);
  unary("sin.approx.f", std::sin(.5f));
  unary("cos.approx.ftz.f", std::cos(.5f));
  unary("round.f", 0);
  unary("ceil.f", 1);
  unary("saturate.f", .5f);
  expectFloat("%f = call float @llvm.nvvm.fabs.f32(float %y)", 1.75f);
  expectFloat("%f = call float @llvm.nvvm.floor.ftz.f(float %y)", -2);
  expectFloat("%f = call float @llvm.nvvm.trunc.f(float %y)", -1);
  expectFloat("%f = call float @llvm.nvvm.saturate.f(float %y)", 0);
  expectFloat("%f = call float @llvm.nvvm.saturate.f(float %z)", 1);
  expectFloat("%n = fdiv float %t, %t\n"
              "%f = call float @llvm.nvvm.saturate.f(float %n)",
              0);
  auto binary = [&](const std::string &name, float value) {
    expectFloat("%f = call float @llvm.nvvm." + name + "(float %x, float %y)",
                value);
  };
  binary("add.rn.f", -1.25f);
  binary("mul.rn.ftz.f", -.875f);
  binary("div.approx.f", .5f / -1.75f);
  binary("fmin.f", -1.75f);
  binary("fmax.ftz.nan.f", .5f);
  expectFloat("%f = call float @llvm.nvvm.fma.rn.f(float %x, float %y, "
              "float %z)",
              2.125f);
}

TEST_F(SimNvvmTest, FmaxOfNaN) {
  std::string nan = "%n = fdiv float %t, %t\n";
  expectFloat(nan + "%f = call float @llvm.nvvm.fmax.f(float %x, float %n)",
              .5f);
  expectFloat(nan + "%m = call float @llvm.nvvm.fmax.nan.f(float %x, "
                    "float %n)\n%c = fcmp uno float %m, %m\n"
                    "%f = select i1 %c, float 1.0, float 0.0",
              1);
}

TEST_F(SimNvvmTest, RoundingToOneSide) {
  // 3 + 2^-30 and its like, whose nearest float is 3.
  auto sum = [&](const std::string &op, float value) {
    std::string tiny = "%s = fmul float %x, 0x3E20000000000000\n";
    std::string negative = "%m = fneg float %z\n%ms = fneg float %s\n";
    std::string operands =
        value > 0 ? "(float %z, float %s)" : "(float %m, float %ms)";
    expectFloat(tiny + negative + "%f = call float @llvm.nvvm.add." + op +
                    ".f" + operands,
                value);
  };
  float above = std::nextafter(3.f, 4.f);
  sum("rn", 3);
  sum("rp", above);
  sum("rm", 3);
  sum("rz", 3);
  sum("rn", -3);
  sum("rp", -3);
  sum("rm", -above);
  sum("rz", -3);
  expectFloat("%f = call float @llvm.nvvm.fma.rm.ftz.f(float %z, "
              "float 0x3FD3333340000000, float 12582912.0)",
              12582912.f);
}

TEST_F(SimNvvmTest, Conversions) {
  auto integer = [&](const std::string &name, uint32_t value) {
    expect("%y = fsub float 0.0, 1.75\n"
           "%r = call i32 @llvm.nvvm." +
               name + "(float %y)",
           1, [&](uint32_t) { return value; });
  };
  integer("f2i.rm", uint32_t(-2));
  integer("f2i.rn.ftz", uint32_t(-2));
  integer("f2i.rz", uint32_t(-1));
  integer("f2ui.rp", 0);
  expect("%d = sitofp i32 %tid to double\n"
         "%h = call i32 @llvm.nvvm.d2i.hi(double %d)\n"
         "%l = call i32 @llvm.nvvm.d2i.lo(double %d)\n"
         "%b = call double @llvm.nvvm.lohi.i2d(i32 %l, i32 %h)\n"
         "%r = call i32 @llvm.nvvm.d2i.rn(double %b)",
         32, [](uint32_t thread) { return thread; });
  expect("%w = mul i32 %tid, 100000000\n"
         "%r = call i32 @llvm.nvvm.mulhi.ui(i32 %w, i32 %w)",
         40, [](uint32_t thread) {
           uint64_t wide = uint32_t(thread * 100000000u);
           return uint32_t(wide * wide >> 32);
         });
}

TEST_F(SimNvvmTest, AssemblyOfOneInstruction) {
  expectFloat("%f = call float asm \"rcp.approx.ftz.f32 $0,$1;\", "
              "\"=f,f\"(float %x)",
              2);
  expectFloat("%f = call float asm \"sub.rn.f32 $0, $1, $2;\", "
              "\"=f,f,f\"(float %x, float %y)",
              2.25f);
}

TEST_F(SimNvvmTest, AssemblyOfWideSums) {
  expect("%a = mul i32 %tid, 123456789\n"
         "%s = call {i32, i32} asm \"{\\0A\\09mad.lo.cc.u32   $0, $2, $3, "
         "$4;\\0A\\09madc.hi.u32     $1, $2, $3,  0;\\0A\\09}\", "
         "\"=r,=r,r,r,r\"(i32 %a, i32 %a, i32 -1)\n"
         "%l = extractvalue {i32, i32} %s, 0\n"
         "%h = extractvalue {i32, i32} %s, 1\n"
         "%r = xor i32 %l, %h",
         32, [](uint32_t thread) {
           uint64_t a = uint32_t(thread * 123456789u);
           uint64_t sum = a * a + 0xffffffff;
           return uint32_t(sum) ^ uint32_t(sum >> 32);
         });
}

TEST_F(SimNvvmTest, SmallFloats) {
  std::string floats = "%a = sitofp i32 %tid to float\n"
                       "%b = fmul float %a, 2.0\n";
  auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  expect(floats + "%p = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float %a, "
                  "float %b)\n%r = bitcast <2 x bfloat> %p to i32",
         32, [&](uint32_t thread) {
           return bits(float(thread)) | bits(2 * float(thread)) >> 16;
         });
  expect(floats + "%p = call <2 x half> @llvm.nvvm.ff2f16x2.rn(float %a, "
                  "float %b)\n%h = extractelement <2 x half> %p, i32 0\n"
                  "%r = fptosi half %h to i32",
         32, [](uint32_t thread) { return 2 * thread; });
  expect(floats + "%p = call bfloat @llvm.nvvm.f2bf16.rn(float %b)\n"
                  "%m = call bfloat @llvm.nvvm.fma.rn.bf16(bfloat %p, bfloat "
                  "%p, bfloat 1.0)\n%r = fptosi bfloat %m to i32",
         8, [](uint32_t thread) { return 4 * thread * thread + 1; });
}

TEST_F(SimNvvmTest, BFloatWithoutInstructionsForIt) {
#ifdef __x86_64__
  chip = "x86-64-v3";
#endif
  expect("%s = sitofp i32 %tid to float\n"
         "%m = fmul float %s, 1.00390625\n"
         "%b = fptrunc float %m to bfloat\n"
         "%w = fadd bfloat %b, 1.0\n"
         "%e = fpext bfloat %w to float\n"
         "%r = fptosi float %e to i32",
         64, [](uint32_t thread) { return thread + 1; });
}

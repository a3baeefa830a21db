//===- bf16 is moved as integers ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Host/NarrowFloats.h"
#include "LLVMEmission.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using testing::HasSubstr;
using testing::Not;

namespace {

class Bf16MovesTest : public testing::Test {
protected:
  static void SetUpTestSuite() {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  }

  static std::unique_ptr<TargetMachine> machine(StringRef chip) {
    Triple triple("x86_64-linux-gnu");
    std::string error;
    const Target *target = TargetRegistry::lookupTarget(triple, error);
    EXPECT_TRUE(target) << error;
    return std::unique_ptr<TargetMachine>(
        target->createTargetMachine(triple, chip, "", {}, Reloc::PIC_));
  }

  std::unique_ptr<Module> parse(StringRef text, TargetMachine &machine) {
    SMDiagnostic error;
    std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    tonno::setTarget(*module, machine);
    return module;
  }

  /// Runs the pass, and returns the module's text, which must be valid.
  std::string moved(StringRef text) {
    auto haswell = machine("haswell");
    std::unique_ptr<Module> module = parse(text, *haswell);
    tonno::moveBf16AsIntegers(*module, *haswell);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    return tonno::printLLVM(*module);
  }

  LLVMContext context;
};

} // namespace

TEST_F(Bf16MovesTest, LoopsCarryIntegers) {
  std::string text = moved(R"(
define void @f(ptr %p, i64 %n, i1 %c) {
entry:
  br label %loop
loop:
  %v = phi <8 x bfloat> [ splat (bfloat 0xR7FC0), %entry ], [ %s, %loop ]
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %bits = bitcast <8 x bfloat> %v to <8 x i16>
  %more = add <8 x i16> %bits, %bits
  %number = bitcast <8 x i16> %more to <8 x bfloat>
  %l = load <8 x bfloat>, ptr %p, align 16
  %s = select nnan i1 %c, <8 x bfloat> %number, <8 x bfloat> %l
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  %t = shufflevector <8 x bfloat> %s, <8 x bfloat> poison, <2 x i32> <i32 1, i32 3>
  %e = extractelement <2 x bfloat> %t, i64 0
  store bfloat %e, ptr %p
  ret void
})");
  EXPECT_THAT(text, Not(HasSubstr("bfloat")));
  EXPECT_THAT(text, HasSubstr("phi <8 x i16> [ splat (i16 32704), %entry ]"));
}

/// Accumulators of several rows have this form.
TEST_F(Bf16MovesTest, ArraysOfVectorsAreSplit) {
  std::string text = moved(R"(
define void @f(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %v = phi [2 x <8 x bfloat>] [ [<8 x bfloat> splat (bfloat 0xR7FC0), <8 x bfloat> zeroinitializer], %entry ], [ %swapped, %loop ]
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = extractvalue [2 x <8 x bfloat>] %v, 0
  %b = extractvalue [2 x <8 x bfloat>] %v, 1
  %first = insertvalue [2 x <8 x bfloat>] poison, <8 x bfloat> %b, 0
  %swapped = insertvalue [2 x <8 x bfloat>] %first, <8 x bfloat> %a, 1
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %end, label %loop
end:
  store <8 x bfloat> %b, ptr %p
  ret void
})");
  EXPECT_THAT(text, Not(HasSubstr("bfloat")));
  EXPECT_THAT(text, HasSubstr("phi <8 x i16> [ splat (i16 32704), %entry ]"));
}

TEST_F(Bf16MovesTest, MaskedMovesAreOfIntegers) {
  std::string text = moved(R"(
define void @f(ptr %p, <8 x i1> %m) {
  %l = call <8 x bfloat> @llvm.masked.load.v8bf16.p0(ptr align 2 %p, <8 x i1> %m, <8 x bfloat> zeroinitializer)
  call void @llvm.masked.store.v8bf16.p0(<8 x bfloat> %l, ptr align 2 %p, <8 x i1> %m)
  ret void
})");
  EXPECT_THAT(text, HasSubstr("call <8 x i16> @llvm.masked.load.v8i16.p0"));
  EXPECT_THAT(text, HasSubstr("call void @llvm.masked.store.v8i16.p0"));
}

TEST_F(Bf16MovesTest, ConversionsAreOfNumbers) {
  EXPECT_THAT(moved(R"(
define void @f(ptr %p) {
  %l = load <8 x bfloat>, ptr %p
  %w = fpext <8 x bfloat> %l to <8 x float>
  %n = fptrunc <8 x float> %w to <8 x bfloat>
  store <8 x bfloat> %n, ptr %p
  ret void
})"),
              HasSubstr("= fpext <8 x bfloat> %"));
}

TEST_F(Bf16MovesTest, NarrowedIntrinsicsAreInIntegersOrF32) {
  std::string text = moved(R"(
define void @f(ptr %p) {
  %l = load <33 x bfloat>, ptr %p
  %a = call <33 x bfloat> @llvm.fabs.v33bf16(<33 x bfloat> %l)
  store <33 x bfloat> %a, ptr %p
  %c = call <33 x bfloat> @llvm.ceil.v33bf16(<33 x bfloat> %l)
  store <33 x bfloat> %c, ptr %p
  ret void
})");
  EXPECT_THAT(text, HasSubstr("and <33 x i16> %l, splat (i16 32767)"));
  EXPECT_THAT(text, HasSubstr("call <33 x float> @llvm.ceil.v33f32("));
  EXPECT_THAT(text, Not(HasSubstr("call <33 x bfloat>")));
}

TEST_F(Bf16MovesTest, ArithmeticIsInF32) {
  std::string text = moved(R"(
define <8 x i1> @f(ptr %p) {
  %l = load <8 x bfloat>, ptr %p
  %s = fadd nsz <8 x bfloat> %l, splat (bfloat 0xR3F80)
  store <8 x bfloat> %s, ptr %p
  %c = fcmp ole <8 x bfloat> %l, zeroinitializer
  ret <8 x i1> %c
})");
  EXPECT_THAT(text, HasSubstr("fadd nsz <8 x float> %2, splat (float 1.0"));
  EXPECT_THAT(text, HasSubstr("fcmp ole <8 x float> %"));
}

/// A switch has such edges if several cases go to one block.
TEST_F(Bf16MovesTest, EdgesOfOneBlockHaveOneValue) {
  EXPECT_THAT(moved(R"(
define void @f(ptr %p, i32 %i, bfloat %x) {
entry:
  switch i32 %i, label %end [ i32 1, label %end
                              i32 2, label %end ]
end:
  %v = phi bfloat [ %x, %entry ], [ %x, %entry ], [ %x, %entry ]
  store bfloat %v, ptr %p
  ret void
})"),
              HasSubstr("phi i16"));
}

/// LLVM ends the process for a copy or a sum of such vectors of numbers.
TEST_F(Bf16MovesTest, OddVectorsCompile) {
  for (StringRef chip : {"cooperlake", "sapphirerapids", "znver5"}) {
    auto target = machine(chip);
    std::unique_ptr<Module> module = parse(R"(
define void @f(ptr %p, ptr %q) {
  %a = load <65 x bfloat>, ptr %q
  store <65 x bfloat> %a, ptr %p
  %b = fadd <65 x bfloat> %a, %a
  store <65 x bfloat> %b, ptr %q
  ret void
})",
                                           *target);
    auto code = tonno::emitCode(*module, *target, CodeGenFileType::ObjectFile);
    EXPECT_TRUE(bool(code)) << chip.str();
  }
}

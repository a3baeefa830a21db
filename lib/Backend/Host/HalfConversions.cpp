//===- Conversions that a CPU lacks ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HalfConversions.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

/// From f64 it is by an f32 rounded to odd, which loses nothing that counts.
static constexpr char oddRounding[] = R"(
define internal float @__tonno_round_to_odd(double %d) {
  %nearest = fptrunc double %d to float
  %back = fpext float %nearest to double
  %bits = bitcast float %nearest to i32
  %last = and i32 %bits, 1
  %isEven = icmp eq i32 %last, 0
  %isInexact = fcmp one double %back, %d
  %moves = and i1 %isEven, %isInexact
  %doubleBits = bitcast double %d to i64
  %backBits = bitcast double %back to i64
  %magnitude = and i64 %doubleBits, 9223372036854775807
  %backMagnitude = and i64 %backBits, 9223372036854775807
  %isBeyond = icmp ugt i64 %backMagnitude, %magnitude
  %step = select i1 %isBeyond, i32 -1, i32 1
  %moved = add i32 %bits, %step
  %oddBits = select i1 %moves, i32 %moved, i32 %bits
  %odd = bitcast i32 %oddBits to float
  ret float %odd
}
)";

/// An exponent is moved by multiplying with 2^112, which sets that of
/// subnormals, too. Into f16 subnormals are rounded by adding what has their
/// last bit in its own; others by half of it, less one where they are even.
static constexpr char halfFunctions[] = R"(
define internal float @__extendhfsf2(half %h) {
  %bits = bitcast half %h to i16
  %wide = zext i16 %bits to i32
  %magnitude = and i32 %wide, 32767
  %shifted = shl i32 %magnitude, 13
  %small = bitcast i32 %shifted to float
  %scaled = fmul float %small, 0x46F0000000000000
  %scaledBits = bitcast float %scaled to i32
  %isFinite = icmp ult i32 %magnitude, 31744
  %exponent = select i1 %isFinite, i32 0, i32 2139095040
  %signless = or i32 %scaledBits, %exponent
  %signBit = and i32 %wide, 32768
  %sign = shl i32 %signBit, 16
  %resultBits = or i32 %signless, %sign
  %result = bitcast i32 %resultBits to float
  ret float %result
}

define internal half @__truncsfhf2(float %f) {
  %bits = bitcast float %f to i32
  %magnitude = and i32 %bits, 2147483647
  %isNan = icmp ugt i32 %magnitude, 2139095040
  %large = select i1 %isNan, i32 32256, i32 31744
  %value = bitcast i32 %magnitude to float
  %raised = fadd float %value, 5.000000e-01
  %raisedBits = bitcast float %raised to i32
  %subnormal = sub i32 %raisedBits, 1056964608
  %down = lshr i32 %magnitude, 13
  %odd = and i32 %down, 1
  %moved = sub i32 %magnitude, 939520001
  %rounded = add i32 %moved, %odd
  %normal = lshr i32 %rounded, 13
  %isLarge = icmp uge i32 %magnitude, 1199570944
  %isSmall = icmp ult i32 %magnitude, 947912704
  %finite = select i1 %isSmall, i32 %subnormal, i32 %normal
  %signless = select i1 %isLarge, i32 %large, i32 %finite
  %signBit = lshr i32 %bits, 16
  %sign = and i32 %signBit, 32768
  %wide = or i32 %signless, %sign
  %resultBits = trunc i32 %wide to i16
  %result = bitcast i16 %resultBits to half
  ret half %result
}
)";

static constexpr char doubleToHalf[] = R"(
define internal half @__truncdfhf2(double %d) {
  %odd = call float @__tonno_round_to_odd(double %d)
  %result = fptrunc float %odd to half
  ret half %result
}
)";

/// The upper half of an f32, rounded as its last bit says. A NaN stays one.
static constexpr char bf16Functions[] = R"(
define internal bfloat @__truncdfbf2(double %d) {
  %odd = call float @__tonno_round_to_odd(double %d)
  %bits = bitcast float %odd to i32
  %isNan = fcmp uno float %odd, 0.000000e+00
  %quiet = or i32 %bits, 4194304
  %down = lshr i32 %bits, 16
  %last = and i32 %down, 1
  %half = add i32 %last, 32767
  %rounded = add i32 %bits, %half
  %wide = select i1 %isNan, i32 %quiet, i32 %rounded
  %upper = lshr i32 %wide, 16
  %resultBits = trunc i32 %upper to i16
  %result = bitcast i16 %resultBits to bfloat
  ret bfloat %result
}
)";

static bool hasHalf(Module &module) {
  auto isHalf = [](const Value *value) {
    return value->getType()->getScalarType()->isHalfTy();
  };
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isHalf(&instruction) || any_of(instruction.operand_values(), isHalf))
        return true;
  return false;
}

static bool roundsDoubles(Module &module, Type *to) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isa<FPTruncInst>(instruction) &&
          instruction.getType()->getScalarType() == to &&
          instruction.getOperand(0)->getType()->getScalarType()->isDoubleTy())
        return true;
  return false;
}

/// LLVM fuses them in f64.
static bool fusesHalves(Module &module) {
  return any_of(module, [](const Function &function) {
    auto id = function.getIntrinsicID();
    return (id == Intrinsic::fma || id == Intrinsic::fmuladd) &&
           function.getReturnType()->getScalarType()->isHalfTy();
  });
}

static void addFunctions(Module &module, StringRef text) {
  SMDiagnostic error;
  if (parseAssemblyInto(MemoryBufferRef(text, "conversions"), &module,
                        /*Index=*/nullptr, error))
    report_fatal_error(error.getMessage());
}

void tonno::addHalfConversions(Module &module, const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return;
  auto has = [&](StringRef feature) {
    return machine.getMCSubtargetInfo()->checkFeatures(feature);
  };
  LLVMContext &context = module.getContext();
  bool needsHalf = !has("+f16c") && hasHalf(module);
  bool needsDoubleToHalf =
      needsHalf || (!has("+avx512fp16") &&
                    (roundsDoubles(module, Type::getHalfTy(context)) ||
                     fusesHalves(module)));
  // No CPU of x86 has an instruction for it.
  bool needsBf16 = roundsDoubles(module, Type::getBFloatTy(context));
  if (needsDoubleToHalf || needsBf16)
    addFunctions(module, oddRounding);
  if (needsDoubleToHalf)
    addFunctions(module, doubleToHalf);
  if (needsHalf)
    addFunctions(module, halfFunctions);
  if (needsBf16)
    addFunctions(module, bf16Functions);
}

//===- HalfConversions.cpp - f16 where a CPU has none ---------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HalfConversions.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

/// An exponent is moved by multiplying with 2^112, which sets that of
/// subnormals, too. Into f16 subnormals are rounded by adding what has their
/// last bit in its own; others by half of it, less one where they are even.
/// From f64 it is by an f32 rounded to odd, which loses nothing that counts.
static constexpr char functions[] = R"(
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

define internal half @__truncdfhf2(double %d) {
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
  %result = call half @__truncsfhf2(float %odd)
  ret half %result
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

void tonno::addHalfConversions(Module &module, const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86() ||
      machine.getMCSubtargetInfo()->checkFeatures("+f16c") || !hasHalf(module))
    return;
  SMDiagnostic error;
  if (parseAssemblyInto(MemoryBufferRef(functions, "conversions"), &module,
                        /*Index=*/nullptr, error))
    report_fatal_error(error.getMessage());
}

//===- NVIDIA's arithmetic on the host ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimCall.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

#include <optional>

using namespace llvm;
using namespace tonno;

namespace {

/// The parts of an instruction's name, without the type, which the operands
/// have, and without "ftz": the host keeps subnormals.
struct Mnemonic {
  StringRef op;
  StringRef rounding;             ///< "rn", "rz", "rm", "rp", "approx", "full"
  SmallVector<StringRef, 4> rest; ///< "sat", "nan", "lo"

  explicit Mnemonic(StringRef name) {
    SmallVector<StringRef, 6> parts;
    name.split(parts, '.');
    op = parts.front();
    for (StringRef part : drop_begin(parts)) {
      if (is_contained({"rn", "rz", "rm", "rp", "approx", "full"}, part))
        rounding = part;
      else if (!is_contained({"ftz", "f", "d", "f16", "f16x2", "bf16", "bf16x2",
                              "f32", "f64", "v2f16"},
                             part))
        rest.push_back(part);
    }
  }

  bool has(StringRef part) const { return is_contained(rest, part); }
  bool rounds() const { return is_contained({"rz", "rm", "rp"}, rounding); }
};

} // namespace

/// Returns true for floating-point types; NVIDIA's packed numbers are integers
/// in LLVM.
static bool isFloat(Type *type) { return type->isFPOrFPVectorTy(); }

static Value *reciprocal(SimCall &call, Value *value) {
  return call.ir.CreateFDiv(ConstantFP::get(value->getType(), 1), value);
}

/// Creates the operation, rounding to nearest; null for an unknown name.
static Value *compute(SimCall &call, const Mnemonic &name,
                      ArrayRef<Value *> operands) {
  IRBuilder<> &ir = call.ir;
  auto unary = StringSwitch<Intrinsic::ID>(name.op)
                   .Case("fabs", Intrinsic::fabs)
                   .Case("floor", Intrinsic::floor)
                   .Case("ceil", Intrinsic::ceil)
                   .Case("trunc", Intrinsic::trunc)
                   .Case("round", Intrinsic::roundeven)
                   .Cases({"sqrt", "rsqrt"}, Intrinsic::sqrt)
                   .Case("ex2", Intrinsic::exp2)
                   .Case("lg2", Intrinsic::log2)
                   .Case("sin", Intrinsic::sin)
                   .Case("cos", Intrinsic::cos)
                   .Case("tanh", Intrinsic::tanh)
                   .Default(Intrinsic::not_intrinsic);
  if (unary != Intrinsic::not_intrinsic) {
    Value *value = ir.CreateUnaryIntrinsic(unary, operands[0]);
    return name.op == "rsqrt" ? reciprocal(call, value) : value;
  }
  bool nan = name.has("nan");
  auto binary = StringSwitch<Intrinsic::ID>(name.op)
                    .Case("fmin", nan ? Intrinsic::minimum : Intrinsic::minnum)
                    .Case("fmax", nan ? Intrinsic::maximum : Intrinsic::maxnum)
                    .Default(Intrinsic::not_intrinsic);
  if (binary != Intrinsic::not_intrinsic)
    return ir.CreateBinaryIntrinsic(binary, operands[0], operands[1]);
  if (name.op == "rcp")
    return reciprocal(call, operands[0]);
  if (name.op == "add")
    return ir.CreateFAdd(operands[0], operands[1]);
  if (name.op == "sub")
    return ir.CreateFSub(operands[0], operands[1]);
  if (name.op == "mul")
    return ir.CreateFMul(operands[0], operands[1]);
  if (name.op == "div")
    return ir.CreateFDiv(operands[0], operands[1]);
  if (name.op == "fma")
    return ir.CreateIntrinsic(Intrinsic::fma, {operands[0]->getType()},
                              {operands[0], operands[1], operands[2]});
  return nullptr;
}

/// Rounds a double to float, down ("rm"), up ("rp") or towards zero ("rz"):
/// chooses between the nearest float and its neighbour on that side.
static Value *roundTo(SimCall &call, StringRef rounding, Value *exact) {
  IRBuilder<> &ir = call.ir;
  Value *nearest = ir.CreateFPTrunc(exact, ir.getFloatTy());
  Value *back = ir.CreateFPExt(nearest, ir.getDoubleTy());
  Value *above = ir.CreateFCmpOGT(back, exact);
  Value *below = ir.CreateFCmpOLT(back, exact);
  Value *negative =
      ir.CreateFCmpOLT(exact, ConstantFP::get(ir.getDoubleTy(), 0));
  Value *wrong = rounding == "rm"   ? above
                 : rounding == "rp" ? below
                                    : ir.CreateSelect(negative, below, above);
  // The neighbour away from zero has the next bits, towards it those before.
  Value *outward = rounding == "rm"   ? negative
                   : rounding == "rp" ? ir.CreateNot(negative)
                                      : ir.getFalse();
  Value *bits = ir.CreateBitCast(nearest, ir.getInt32Ty());
  Value *neighbour = ir.CreateAdd(
      bits, ir.CreateSelect(outward, ir.getInt32(1), ir.getInt32(~0u)));
  return ir.CreateBitCast(ir.CreateSelect(wrong, neighbour, bits),
                          ir.getFloatTy());
}

/// Clamps to [0, 1]; NaN becomes 0.
static Value *saturate(SimCall &call, Value *value) {
  Type *type = value->getType();
  value = call.ir.CreateMaxNum(value, ConstantFP::get(type, 0));
  return call.ir.CreateMinNum(value, ConstantFP::get(type, 1));
}

static bool replaceFloat(SimCall &call, const Mnemonic &name) {
  IRBuilder<> &ir = call.ir;
  SmallVector<Value *> operands;
  for (unsigned index = 0; index < call.operandCount(); ++index)
    operands.push_back(call.operand(index));
  bool known = all_of(
      name.rest, [](StringRef part) { return part == "sat" || part == "nan"; });
  if (!known || !isFloat(call.type()) ||
      any_of(operands, [](Value *one) { return !isFloat(one->getType()); }))
    return false;
  if (name.op == "saturate")
    return call.replace(saturate(call, operands[0]));
  if (name.rounds()) {
    // In double all that float has is exact or nearly so.
    if (!call.type()->isFloatTy())
      return false;
    for (Value *&operand : operands)
      operand = ir.CreateFPExt(operand, ir.getDoubleTy());
  }
  Value *value = compute(call, name, operands);
  if (!value)
    return false;
  if (name.rounds())
    value = roundTo(call, name.rounding, value);
  return call.replace(name.has("sat") ? saturate(call, value) : value);
}

/// Replaces <f or d>2<i, ui, ll or ull>.<rounding>.
static bool replaceToInteger(SimCall &call, const Mnemonic &name) {
  auto rounding = StringSwitch<Intrinsic::ID>(name.rounding)
                      .Case("rn", Intrinsic::roundeven)
                      .Case("rz", Intrinsic::trunc)
                      .Case("rm", Intrinsic::floor)
                      .Case("rp", Intrinsic::ceil)
                      .Default(Intrinsic::not_intrinsic);
  if (rounding == Intrinsic::not_intrinsic)
    return false;
  IRBuilder<> &ir = call.ir;
  Value *whole = ir.CreateUnaryIntrinsic(rounding, call.operand(0));
  bool isUnsigned = name.op.split('2').second.starts_with("u");
  return call.replace(ir.CreateIntrinsic(
      isUnsigned ? Intrinsic::fptoui_sat : Intrinsic::fptosi_sat,
      {call.type(), whole->getType()}, {whole}));
}

/// Replaces <i, ui, ll or ull>2<f or d>.rn.
static bool replaceFromInteger(SimCall &call, const Mnemonic &name) {
  if (name.rounding != "rn")
    return false;
  return call.replace(name.op.starts_with("u")
                          ? call.ir.CreateUIToFP(call.operand(0), call.type())
                          : call.ir.CreateSIToFP(call.operand(0), call.type()));
}

/// Replaces joining and splitting the 32-bit halves of a double.
static bool replaceHalves(SimCall &call, const Mnemonic &name) {
  IRBuilder<> &ir = call.ir;
  if (name.op == "lohi") {
    Value *low = ir.CreateZExt(call.operand(0), ir.getInt64Ty());
    Value *high = ir.CreateZExt(call.operand(1), ir.getInt64Ty());
    Value *bits = ir.CreateOr(ir.CreateShl(high, 32), low);
    return call.replace(ir.CreateBitCast(bits, ir.getDoubleTy()));
  }
  Value *bits = ir.CreateBitCast(call.operand(0), ir.getInt64Ty());
  if (name.has("hi"))
    bits = ir.CreateLShr(bits, 32);
  return call.replace(ir.CreateTrunc(bits, ir.getInt32Ty()));
}

/// Replaces mulhi.<i, ui, ll, ull>: the upper half of the product.
static bool replaceUpperHalf(SimCall &call, const Mnemonic &name) {
  IRBuilder<> &ir = call.ir;
  unsigned bits = call.type()->getIntegerBitWidth();
  Type *wide = ir.getIntNTy(2 * bits);
  bool isUnsigned = name.has("us") || name.has("ui") || name.has("ull");
  auto extend = [&](Value *value) {
    return isUnsigned ? ir.CreateZExt(value, wide) : ir.CreateSExt(value, wide);
  };
  Value *product =
      ir.CreateMul(extend(call.operand(0)), extend(call.operand(1)));
  return call.replace(
      ir.CreateTrunc(ir.CreateLShr(product, bits), call.type()));
}

/// Replaces conversions of one or two floats to half or bfloat, the second
/// operand in the lower half.
static bool replaceToSmallFloat(SimCall &call, const Mnemonic &name) {
  if (name.rounding != "rn" || !name.rest.empty())
    return false;
  IRBuilder<> &ir = call.ir;
  bool isBFloat = name.op.contains("bf16");
  Type *narrow = isBFloat ? ir.getBFloatTy() : ir.getHalfTy();
  Value *first = ir.CreateFPTrunc(call.operand(0), narrow);
  if (!name.op.starts_with("ff"))
    return call.replace(ir.CreateBitCast(first, call.type()));
  Value *pair = PoisonValue::get(FixedVectorType::get(narrow, 2));
  Value *second = ir.CreateFPTrunc(call.operand(1), narrow);
  pair = ir.CreateInsertElement(pair, second, uint64_t(0));
  pair = ir.CreateInsertElement(pair, first, uint64_t(1));
  return call.replace(ir.CreateBitCast(pair, call.type()));
}

bool tonno::replacePtxArithmetic(SimCall &call, StringRef text) {
  Mnemonic name(text);
  if (name.op == "lohi" || (name.op == "d2i" && name.rounding.empty()))
    return replaceHalves(call, name);
  if (name.op == "mulhi")
    return replaceUpperHalf(call, name);
  if (is_contained({"f2h", "f2f16", "f2bf16", "ff2f16x2", "ff2bf16x2"},
                   name.op))
    return replaceToSmallFloat(call, name);
  if (name.op == "d2f" && name.rounding == "rn")
    return call.replace(
        call.ir.CreateFPTrunc(call.operand(0), call.ir.getFloatTy()));
  auto [from, to] = name.op.split('2');
  bool isFromFloat = from == "f" || from == "d";
  if (isFromFloat && is_contained({"i", "ui", "ll", "ull"}, to))
    return replaceToInteger(call, name);
  if ((to == "f" || to == "d") && !isFromFloat)
    return replaceFromInteger(call, name);
  return replaceFloat(call, name);
}

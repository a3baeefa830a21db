//===- Matrix instructions on the host ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimCall.h"

#include "tonno/Core/MatrixInstruction.h"

#include "llvm/ADT/StringSwitch.h"

#include <array>
#include <optional>

using namespace llvm;
using namespace tonno;

namespace {

/// The matrix product of an intrinsic, decoded from its name.
struct Product {
  MatrixFamily family;
  std::optional<ElementType> operand;
  ElementType sum;
  std::array<uint32_t, 3> extents; ///< m, n, k
};

} // namespace

/// Takes "32x32x8" or "m16n8k16" from the name's front.
static bool consumeExtents(StringRef &name, StringRef separators,
                           std::array<uint32_t, 3> &extents) {
  for (size_t i = 0; i < 3; ++i)
    if ((separators[i] != ' ' &&
         !name.consume_front(separators.substr(i, 1))) ||
        name.consumeInteger(10, extents[i]))
      return false;
  return true;
}

static std::optional<ElementType> operandType(StringRef name, bool hasFnuz) {
  return StringSwitch<std::optional<ElementType>>(name)
      .Cases({"fp8", "fp8.fp8"},
             hasFnuz ? ElementType::f8E4M3FNUZ : ElementType::f8E4M3FN)
      .Cases({"bf8", "bf8.bf8"},
             hasFnuz ? ElementType::f8E5M2FNUZ : ElementType::f8E5M2)
      .Case("f32.e4m3.e4m3.f32", ElementType::f8E4M3FN)
      .Case("f32.e5m2.e5m2.f32", ElementType::f8E5M2)
      .Cases({"f16", "f32.f32"}, ElementType::f16)
      .Cases({"bf16", "bf16.1k"}, ElementType::bf16)
      .Cases({"i8", "iu8", "s8"}, ElementType::i8)
      .Default(std::nullopt);
}

/// Parses "mfma.f32.32x32x8f16", "wmma.i32.16x16x16.iu8.v8i32.v4i32" or
/// "mma.m16n8k16.row.col.bf16".
static std::optional<Product> parseProduct(StringRef name, bool hasFnuz) {
  Product product = {};
  if (name.consume_front("mma.")) {
    product.family = MatrixFamily::mmaSync;
    if (!consumeExtents(name, "mnk", product.extents) ||
        !name.consume_front(".row.col."))
      return std::nullopt;
    product.operand = operandType(name, hasFnuz);
    product.sum = product.operand == ElementType::i8 ? ElementType::i32
                                                     : ElementType::f32;
    return product;
  }
  if (name.consume_front("mfma."))
    product.family = MatrixFamily::mfma;
  else if (name.consume_front("wmma."))
    product.family = MatrixFamily::wmma;
  else
    return std::nullopt;
  if (name.consume_front("f32."))
    product.sum = ElementType::f32;
  else if (name.consume_front("i32."))
    product.sum = ElementType::i32;
  else
    return std::nullopt;
  if (!consumeExtents(name, " xx", product.extents))
    return std::nullopt;
  name.consume_front(".");
  if (product.family == MatrixFamily::wmma)
    name = name.split('.').first;
  product.operand = operandType(name, hasFnuz);
  return product;
}

/// Appends the registers of a value, 32 bits each.
static void appendRegisters(SimCall &call, Value *value,
                            std::vector<Value *> &registers) {
  auto count =
      static_cast<unsigned>(value->getType()->getPrimitiveSizeInBits() / 32);
  Type *word = call.ir.getInt32Ty();
  if (count == 1)
    return registers.push_back(call.ir.CreateBitCast(value, word));
  Value *words =
      call.ir.CreateBitCast(value, FixedVectorType::get(word, count));
  for (unsigned i = 0; i < count; ++i)
    registers.push_back(call.ir.CreateExtractElement(words, i));
}

/// Makes the call's result of its registers.
static Value *fromRegisters(SimCall &call, ArrayRef<Value *> words) {
  IRBuilder<> &ir = call.ir;
  auto toType = [&](Value *word, Type *type) {
    return ir.CreateBitCast(ir.CreateTrunc(word, ir.getInt32Ty()), type);
  };
  Value *result = PoisonValue::get(call.type());
  for (auto [i, word] : enumerate(words))
    if (auto *fields = dyn_cast<StructType>(call.type()))
      result = ir.CreateInsertValue(
          result, toType(word, fields->getElementType(i)), unsigned(i));
    else
      result = ir.CreateInsertElement(
          result, toType(word, call.type()->getScalarType()), i);
  return result;
}

/// Returns the type of a scaled product's format, if all scales are 1.
static std::optional<ElementType> scaledType(SimCall &call) {
  auto number = [&](unsigned index) -> std::optional<uint64_t> {
    auto *constant = dyn_cast<ConstantInt>(call.operand(index));
    return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
  };
  constexpr uint64_t one = 127; // of f8E8M0FNU
  auto format = number(3);
  if (!format || *format > 1 || number(4) != format || number(5) != 0 ||
      number(6) != one || number(7) != 0 || number(8) != one)
    return std::nullopt;
  return *format == 0 ? ElementType::f8E4M3FN : ElementType::f8E5M2;
}

bool tonno::replaceMatrixCall(SimCall &call, StringRef name) {
  bool hasScales = name.contains(".f8f6f4.");
  if (hasScales)
    name = name.split(".v").first;
  std::string plain = name.str();
  if (hasScales) {
    StringRef rest = name;
    rest.consume_front("mfma.scale.");
    plain = ("mfma." + rest).str();
  }
  std::optional<Product> product = parseProduct(plain, call.hasFnuz());
  if (product && hasScales)
    product->operand = scaledType(call);
  if (!product || !product->operand)
    return false;
  bool isInteger = product->operand == ElementType::i8;
  auto isConstant = [&](unsigned index, bool value) {
    auto *constant = dyn_cast<ConstantInt>(call.operand(index));
    return constant && constant->isZero() != value;
  };
  // The operands between the factors' signs and the modifiers.
  std::vector<Value *> operands;
  unsigned count = call.operandCount();
  if (product->family == MatrixFamily::mfma) {
    if (!hasScales && (!isConstant(3, false) || !isConstant(4, false) ||
                       !isConstant(5, false)))
      return false;
    operands = {call.operand(0), call.operand(1), call.operand(2)};
  } else if (product->family == MatrixFamily::wmma && isInteger) {
    if (!isConstant(0, true) || !isConstant(2, true) || !isConstant(5, false))
      return false;
    operands = {call.operand(1), call.operand(3), call.operand(4)};
  } else {
    for (unsigned i = 0; i < count; ++i)
      operands.push_back(call.operand(i));
  }
  std::vector<Value *> registers;
  for (Value *operand : operands)
    appendRegisters(call, operand, registers);
  auto [m, n, k] = product->extents;
  unsigned sums = m * n / call.subgroupSize();
  // Registers that are not sums are the factors', half of them the left one's,
  // but for mma.sync, whose left one has twice as many rows.
  unsigned ofFactors = registers.size() - sums;
  unsigned ofLeft = product->family == MatrixFamily::mmaSync
                        ? ofFactors * m / (m + n)
                        : ofFactors / 2;
  // The simulated device knows the table's instructions alone.
  const MatrixInstruction *instruction = findMatrixInstruction(
      product->family, *product->operand, product->sum, m, n, k,
      ofLeft * 4 / uint32_t(getByteSize(*product->operand)));
  if (!instruction || instruction->sums.size() != sums)
    return false;
  SimProduct description = {.family = static_cast<uint8_t>(product->family),
                            .operand = static_cast<uint8_t>(*product->operand),
                            .sum = static_cast<uint8_t>(product->sum),
                            .m = static_cast<uint8_t>(m),
                            .n = static_cast<uint8_t>(n),
                            .k = static_cast<uint8_t>(k),
                            .leftRegisters = static_cast<uint8_t>(ofLeft),
                            .rightRegisters =
                                static_cast<uint8_t>(ofFactors - ofLeft)};
  registers.insert(registers.begin(),
                   call.ir.getInt64(std::bit_cast<uint64_t>(description)));
  return call.replace(fromRegisters(
      call, call.meet(call.getUniqueCallName(), SimCollective::multiply,
                      call.allLanes(), registers, sums)));
}

//===- Element types of buffers in MLIR -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/ElementTypes.h"

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/BuiltinTypes.h"

#include <string>

using namespace mlir;
using namespace tonno;

std::optional<ElementType> tonno::findElementType(Type type) {
  if (type.isF64())
    return ElementType::f64;
  if (type.isF32())
    return ElementType::f32;
  if (type.isF16())
    return ElementType::f16;
  if (type.isBF16())
    return ElementType::bf16;
  // MLIR's narrow floats have the names of ours.
  if (isa<FloatType>(type) && type.getIntOrFloatBitWidth() <= 8) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    return parseEnum<ElementType>(name);
  }
  if (type.isIndex())
    return ElementType::i64;
  if (!type.isSignlessInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 64:
    return ElementType::i64;
  case 32:
    return ElementType::i32;
  case 16:
    return ElementType::i16;
  case 8:
    return ElementType::i8;
  case 4:
    return ElementType::i4;
  case 2:
    return ElementType::i2;
  case 1:
    return ElementType::i1;
  default:
    return std::nullopt;
  }
}

//===- Element types of arrays --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ArrayTypes.h"
#include "Dlpack.h"

#include <algorithm>
#include <string>

using namespace tonno;
using namespace tonno::python;

/// The rows stand in the order of the enumeration.
static constexpr ArrayType arrayTypes[] = {
    {ElementType::f64, "float64", nullptr, false, "f", dlpack::floatingPoint},
    {ElementType::f32, "float32", nullptr, false, "f", dlpack::floatingPoint},
    {ElementType::f16, "float16", nullptr, false, "f", dlpack::floatingPoint},
    {ElementType::bf16, "bfloat16", nullptr, true, "", dlpack::bfloat},
    {ElementType::f8E4M3FN, "float8_e4m3fn", nullptr, true, "",
     dlpack::float8E4M3FN},
    {ElementType::f8E5M2, "float8_e5m2", nullptr, true, "", dlpack::float8E5M2},
    {ElementType::f8E4M3FNUZ, "float8_e4m3fnuz", nullptr, true, "",
     dlpack::float8E4M3FNUZ},
    {ElementType::f8E5M2FNUZ, "float8_e5m2fnuz", nullptr, true, "",
     dlpack::float8E5M2FNUZ},
    {ElementType::f8E8M0FNU, "float8_e8m0fnu", nullptr, true, "",
     dlpack::float8E8M0FNU},
    {ElementType::f6E2M3FN, "float6_e2m3fn", nullptr, true, "", -1},
    {ElementType::f6E3M2FN, "float6_e3m2fn", nullptr, true, "", -1},
    {ElementType::f4E2M1FN, "float4_e2m1fn", nullptr, true, "", -1},
    {ElementType::i64, "int64", "uint64", false, "iu", dlpack::signedInteger},
    {ElementType::i32, "int32", "uint32", false, "iu", dlpack::signedInteger},
    {ElementType::i16, "int16", "uint16", false, "iu", dlpack::signedInteger},
    {ElementType::i8, "int8", "uint8", false, "iu", dlpack::signedInteger},
    {ElementType::i4, "int4", "uint4", true, "", -1},
    {ElementType::i2, "int2", "uint2", true, "", -1},
    {ElementType::i1, "bool", nullptr, false, "b", dlpack::boolean},
};

const ArrayType &tonno::python::findArrayType(ElementType type) {
  return arrayTypes[static_cast<size_t>(type)];
}

bool tonno::python::isDlpackType(const ArrayType &type, uint8_t code,
                                 uint8_t bits) {
  bool hasCode =
      code == type.dlpackCode || (type.unsignedName && type.dlpackCode >= 0 &&
                                  code == dlpack::unsignedInteger);
  return hasCode && bits == 8 * getByteSize(type.type);
}

std::string tonno::python::nameDlpackType(uint8_t code, uint8_t bits) {
  for (const ArrayType &row : arrayTypes)
    if (code == row.dlpackCode && bits == 8 * getByteSize(row.type))
      return row.name;
  std::string width = std::to_string(bits);
  switch (code) {
  case dlpack::signedInteger:
    return "int" + width;
  case dlpack::unsignedInteger:
    return "uint" + width;
  case dlpack::floatingPoint:
    return "float" + width;
  case dlpack::complexNumber:
    return "complex" + width;
  default:
    return "DLPack's type " + std::to_string(code) + " of " + width + " bits";
  }
}

//===- Element types of arrays --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_ARRAYTYPES_H
#define PYTHON_SRC_ARRAYTYPES_H

#include "tonno/Core/LaunchPlan.h"

#include <cstdint>
#include <string>

namespace tonno::python {

/// How arrays state that their elements are of one of a kernel's types.
struct ArrayType {
  ElementType type;
  /// The dtype's name, in NumPy or ml_dtypes.
  const char *name;
  /// The dtype without a sign, which a kernel takes as well; or null.
  const char *unsignedName;
  /// True if the dtype is one of ml_dtypes.
  bool isExtension;
  /// NumPy's kinds: "f", "iu" or "b". Empty for a dtype of ml_dtypes.
  const char *kinds;
  /// DLPack's type code; negative if DLPack packs several elements in a byte.
  int dlpackCode;
};

/// Returns the row of the type.
const ArrayType &findArrayType(ElementType type);

/// Returns true if DLPack's type code and number of bits are those of the type,
/// with or without a sign.
bool isDlpackType(const ArrayType &type, uint8_t code, uint8_t bits);

/// Returns the name of DLPack's type, for messages: "float64".
std::string nameDlpackType(uint8_t code, uint8_t bits);

} // namespace tonno::python

#endif // PYTHON_SRC_ARRAYTYPES_H

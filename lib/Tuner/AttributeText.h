//===- Attributes that are given as text ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_ATTRIBUTETEXT_H
#define TONNO_LIB_TUNER_ATTRIBUTETEXT_H

#include "mlir/IR/Attributes.h"

#include <string>

namespace tonno {

/// The attribute of this text, or null; what is wrong with it goes to `why`.
mlir::Attribute parseQuietly(const std::string &text,
                             mlir::MLIRContext *context, std::string &why);

/// A string as attributes write it.
std::string inQuotes(llvm::StringRef text);

} // namespace tonno

#endif // TONNO_LIB_TUNER_ATTRIBUTETEXT_H

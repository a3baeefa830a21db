//===- Attributes that are given as text ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AttributeText.h"

#include "llvm/ADT/StringExtras.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

Attribute tonno::parseQuietly(const std::string &text, MLIRContext *context,
                              std::string &why) {
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &error) {
    if (why.empty())
      why = error.str();
    return success();
  });
  return parseAttribute(text, context);
}

std::string tonno::inQuotes(StringRef text) {
  std::string quoted;
  llvm::raw_string_ostream stream(quoted);
  stream << '"';
  llvm::printEscapedString(text, stream);
  stream << '"';
  return quoted;
}

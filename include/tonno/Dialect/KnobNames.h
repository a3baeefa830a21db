//===- Names of knobs -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_KNOBNAMES_H
#define TONNO_DIALECT_KNOBNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tonno {

/// Returns the reason why a knob cannot have the name; empty if it can. Names
/// are keys of JSON, `--knob=NAME=...` and `@NAME@` in pipelines: they are not
/// empty, are UTF-8, and have none of the characters that separate words there.
std::string refuseKnobName(llvm::StringRef name);

/// Returns the name with `_` for the characters that separate words.
std::string toKnobName(llvm::StringRef name);

} // namespace tonno

#endif // TONNO_DIALECT_KNOBNAMES_H

//===- The attributes of the tonno dialect --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_TONNOATTRS_H
#define TONNO_DIALECT_TONNOATTRS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tonno {

/// Prints an option as in a knob's list: i64 and f64 without their type.
std::string optionText(mlir::Attribute option);

/// Checks whether a knob is nested in the attribute, or is the attribute.
bool containsKnob(mlir::Attribute attribute);

} // namespace tonno

#include "tonno/Dialect/TonnoInterfaces.h.inc"

namespace tonno {

/// Returns all options, in order.
llvm::SmallVector<mlir::Attribute> getOptions(DomainAttrInterface domain);

/// Prints the options as in a knob, for messages.
std::string printOptions(DomainAttrInterface domain);

} // namespace tonno

#define GET_ATTRDEF_CLASSES
#include "tonno/Dialect/TonnoAttrs.h.inc"

#endif // TONNO_DIALECT_TONNOATTRS_H

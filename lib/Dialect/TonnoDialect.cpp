//===- TonnoDialect.cpp - The tonno dialect -------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"

#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace tonno;

#include "tonno/Dialect/TonnoDialect.cpp.inc"

void TonnoDialect::initialize() { registerAttributes(); }

LogicalResult TonnoDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  if (attribute.getName() == kLoweringConfig)
    return verifyLoweringConfig(op, attribute.getValue());
  if (attribute.getName() == kTuned &&
      !isa<DictionaryAttr>(attribute.getValue()))
    return op->emitOpError() << "'" << kTuned << "' must be a dictionary";
  return success();
}

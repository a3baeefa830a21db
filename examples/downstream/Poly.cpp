//===- A dialect of one op ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Poly.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

#include "PolyDialect.cpp.inc"

#define GET_OP_CLASSES
#include "PolyOps.cpp.inc"

void poly::PolyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "PolyOps.cpp.inc"
      >();
}

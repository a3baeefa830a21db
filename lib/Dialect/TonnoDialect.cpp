//===- The tonno dialect --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/TonnoAttrs.h"

using namespace mlir;
using namespace tonno;

#include "tonno/Dialect/TonnoDialect.cpp.inc"

void TonnoDialect::initialize() {
  registerAttributes();
  registerDomains();
}

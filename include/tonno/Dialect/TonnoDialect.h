//===- The tonno dialect --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_DIALECT_TONNODIALECT_H
#define TONNO_DIALECT_TONNODIALECT_H

#include "mlir/IR/Dialect.h"

#include "tonno/Dialect/TonnoDialect.h.inc"

#endif // TONNO_DIALECT_TONNODIALECT_H

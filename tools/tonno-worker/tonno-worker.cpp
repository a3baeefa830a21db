//===- tonno-worker.cpp - Compiles candidates -----------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Tuner/WorkerMain.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<tonno::TonnoDialect>();
  return tonno::workerMain(argc, argv, registry);
}

//===- Compiles candidates ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/ProgramStart.h"
#include "tonno/Tuner/WorkerMain.h"

#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  tonno::beginProgram();
  mlir::DialectRegistry registry;
  // Bounded, because memory of the context is never freed.
  constexpr uint32_t candidatesPerProcess = 200;
  return tonno::workerMain(argc, argv, registry, candidatesPerProcess);
}

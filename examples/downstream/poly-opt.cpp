//===- poly's opt tool, which is its own worker ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Poly.h"

#include "tonno/Backend/Backend.h"
#include "tonno/Tuner/Passes.h"
#include "tonno/Tuner/Plugins.h"
#include "tonno/Tuner/WorkerMain.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<poly::PolyDialect>();
  poly::registerPasses();
  if (argc > 1 && llvm::StringRef(argv[1]) == "--tonno-worker")
    return tonno::workerMain(argc - 1, argv + 1, registry);

  tonno::registerBackendDialects(registry);
  tonno::registerPipelinePasses();
  tonno::registerTonnoTunerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "poly-opt: a compiler\n", registry));
}

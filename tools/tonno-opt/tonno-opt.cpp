//===- mlir-opt with tonno ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Backend.h"
#include "tonno/Backend/Pipelines.h"
#include "tonno/Core/Version.h"
#include "tonno/Process/ProgramStart.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Tuner/Passes.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  tonno::beginProgram(tonno::BrokenPipe::ends);
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "tonno-opt " << tonno::version()
       << " (LLVM/MLIR " LLVM_VERSION_STRING ")\n";
  });
  mlir::DialectRegistry registry;
  mlir::registerAllPasses();
  tonno::registerBackendDialects(registry);
  tonno::registerTonnoTransformsPasses();
  tonno::registerHostPipelines();
  tonno::registerGpuPipelines();
  tonno::registerTonnoTunerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "tonno-opt: mlir-opt with the tonno dialect and passes\n",
      registry));
}

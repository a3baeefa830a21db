//===- Plugin for MLIR tools ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Tuner/Passes.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tonno", TONNO_VERSION,
          [](mlir::DialectRegistry *registry) {
            registry->insert<tonno::TonnoDialect>();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tonno", TONNO_VERSION, [] {
            tonno::registerTonnoTransformsPasses();
            tonno::registerTonnoTunerPasses();
          }};
}

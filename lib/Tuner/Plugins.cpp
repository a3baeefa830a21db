//===- Plugins for pipelines of kernels -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/Plugins.h"
#include "tonno/Backend/Pipelines.h"
#include "tonno/Transforms/Passes.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace tonno;

void tonno::registerPipelinePasses() {
  mlir::registerAllPasses();
  registerTonnoTransformsPasses();
  registerHostPipelines();
  registerGpuPipelines();
}

Result<void> tonno::loadPlugins(llvm::ArrayRef<std::string> dialects,
                                llvm::ArrayRef<std::string> passes,
                                mlir::DialectRegistry &registry) {
  for (const std::string &file : dialects) {
    auto plugin = mlir::DialectPlugin::load(file);
    if (!plugin)
      return Error{llvm::toString(plugin.takeError())};
    plugin->registerDialectRegistryCallbacks(registry);
  }
  for (const std::string &file : passes) {
    auto plugin = mlir::PassPlugin::load(file);
    if (!plugin)
      return Error{llvm::toString(plugin.takeError())};
    plugin->registerPassRegistryCallbacks();
  }
  return {};
}

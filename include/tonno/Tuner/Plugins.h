//===- Plugins for pipelines of kernels -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_PLUGINS_H
#define TONNO_TUNER_PLUGINS_H

#include "tonno/Core/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/DialectRegistry.h"

namespace tonno {

/// Registers upstream's passes and tonno's: a kernel's own pipeline may name
/// any of them.
void registerPipelinePasses();

/// Loads plugins: libraries with mlirGetDialectPluginInfo, whose dialects are
/// added to the registry, and with mlirGetPassPluginInfo.
Result<void> loadPlugins(llvm::ArrayRef<std::string> dialects,
                         llvm::ArrayRef<std::string> passes,
                         mlir::DialectRegistry &registry);

} // namespace tonno

#endif // TONNO_TUNER_PLUGINS_H

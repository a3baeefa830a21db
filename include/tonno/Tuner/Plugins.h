//===- What kernels' own pipelines may use --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_PLUGINS_H
#define TONNO_TUNER_PLUGINS_H

#include "tonno/Core/Result.h"

#include "mlir/IR/DialectRegistry.h"

#include <string>

namespace tonno {

/// Registers upstream's passes and tonno's: a kernel's own pipeline may name
/// any of them.
void registerPipelinePasses();

/// Adds the dialects of a plugin, a library with mlirGetDialectPluginInfo.
Result<void> loadDialectPlugin(const std::string &file,
                               mlir::DialectRegistry &registry);

/// Registers the passes of a plugin, a library with mlirGetPassPluginInfo.
Result<void> loadPassPlugin(const std::string &file);

} // namespace tonno

#endif // TONNO_TUNER_PLUGINS_H

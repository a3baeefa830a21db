//===- Plugins for dialects and passes ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_PLUGINOPTIONS_H
#define TONNO_TOOLS_PLUGINOPTIONS_H

#include "tonno/Core/Result.h"

#include "llvm/Support/CommandLine.h"
#include "mlir/IR/DialectRegistry.h"

#include <string>
#include <vector>

namespace tonno {

/// mlir-opt's options for plugins, of the tools that compile.
class PluginOptions {
public:
  explicit PluginOptions(
      llvm::cl::OptionCategory &category,
      llvm::cl::SubCommand &command = llvm::cl::SubCommand::getTopLevel());

  /// Registers every pass and dialect that a kernel's own pipeline may name:
  /// upstream's, tonno's and the plugins'.
  Result<void> load(mlir::DialectRegistry &registry) const;

  std::vector<std::string> dialects() const {
    return {dialectFiles.begin(), dialectFiles.end()};
  }
  std::vector<std::string> passes() const {
    return {passFiles.begin(), passFiles.end()};
  }

private:
  llvm::cl::list<std::string> dialectFiles;
  llvm::cl::list<std::string> passFiles;
};

} // namespace tonno

#endif // TONNO_TOOLS_PLUGINOPTIONS_H

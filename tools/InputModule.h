//===- A tool's input -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_INPUTMODULE_H
#define TONNO_TOOLS_INPUTMODULE_H

#include "Messages.h"

#include "tonno/Core/Result.h"
#include "tonno/Tuner/TuneRequest.h"

#include "llvm/Support/SourceMgr.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>

namespace tonno {

/// A module read from a file, or from standard input for "-", with what keeps
/// it: while this lives, diagnostics are reported.
class InputModule {
public:
  /// Reads the file with all dialects and passes of tonno and upstream, and of
  /// the plugins that the request names. Fails if a plugin or the file can't be
  /// read.
  static Result<std::unique_ptr<InputModule>> open(const std::string &path,
                                                   const TuneRequest &request,
                                                   const Messages &messages);

  /// Returns the module; null after a diagnostic if the file is no valid
  /// module.
  mlir::ModuleOp get() { return module.get(); }

private:
  InputModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
              const mlir::DialectRegistry &registry, const Messages &messages);

  std::shared_ptr<llvm::SourceMgr> sources;
  mlir::MLIRContext context;
  std::shared_ptr<void> diagnostics; ///< that reports them
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tonno

#endif // TONNO_TOOLS_INPUTMODULE_H

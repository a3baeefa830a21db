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

/// A module read from a text, with what keeps it: while this lives, diagnostics
/// are reported.
class InputModule {
public:
  /// Reads a file, or standard input for "-", with all dialects and passes of
  /// tonno and upstream, and of the plugins that the request names. Fails if a
  /// plugin or the file can't be read.
  static Result<std::unique_ptr<InputModule>> open(const std::string &path,
                                                   const TuneRequest &request,
                                                   const Messages &messages);

  /// Registers the dialects and passes that `open` knows.
  static Result<void> registerAll(const TuneRequest &request,
                                  mlir::DialectRegistry &registry);

  /// Makes diagnostics of a context be reported while the result lives.
  using Reporter = llvm::function_ref<std::shared_ptr<void>(
      llvm::SourceMgr &, mlir::MLIRContext &)>;

  /// Parses a text, with the name of its buffer in locations.
  InputModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
              const mlir::DialectRegistry &registry, Reporter reporter);

  /// Returns the module; null after a diagnostic if the file is no valid
  /// module.
  mlir::ModuleOp get() { return module.get(); }

private:
  std::shared_ptr<llvm::SourceMgr> sources;
  mlir::MLIRContext context;
  std::shared_ptr<void> diagnostics; ///< that reports them
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tonno

#endif // TONNO_TOOLS_INPUTMODULE_H

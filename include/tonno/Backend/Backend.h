//===- Backend.h - From a kernel to a binary --------------------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_BACKEND_BACKEND_H
#define TONNO_BACKEND_BACKEND_H

#include "tonno/Core/LaunchPlan.h"
#include "tonno/Core/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace mlir {
class Diagnostic;
class DialectRegistry;
class InFlightDiagnostic;
class OpPassManager;
} // namespace mlir

namespace tonno {

/// What machine code is made for.
struct Target {
  std::string triple;
  std::string chip;     ///< "znver4", "sm_90"
  std::string features; ///< as LLVM writes them: "+avx2,-avx512f"
};

/// What a backend makes of a lowered kernel.
enum class EmitKind {
  llvm,   ///< LLVM IR as text, optimised
  object, ///< a relocatable object
  shared, ///< what a device loads, and what is measured
};

/// Marks an error as one that has nothing to do with the kernel, and need not
/// come again: no memory or no file descriptor is left. By its diagnostic it is
/// told from a refusal, which is remembered.
void markAsFromOutside(mlir::InFlightDiagnostic &error);
bool isFromOutside(mlir::Diagnostic &error);

/// Lowers kernels for one target and emits them. Diagnostics are located and
/// go through MLIR's diagnostic engine. Stateless between calls: equal input
/// gives equal bytes.
class Backend {
public:
  virtual ~Backend();

  virtual llvm::StringRef name() const = 0; ///< "host"
  virtual const Target &target() const = 0;

  /// Everything outside the kernel and its configuration that decides the
  /// binary: the versions of tonno, LLVM and the schedule, the target, the
  /// linker.
  virtual std::string fingerprint() const = 0;

  /// Fails, with the reason, when no configuration could make this kernel
  /// compile: an unsupported type, a dynamic or zero-sized shape, no result. An
  /// op that can't be lowered is told by lowering.
  virtual mlir::LogicalResult check(mlir::func::FuncOp kernel) const = 0;

  /// Adds the passes that take a module holding `kernel`, its knobs resolved,
  /// to the LLVM dialect with the entry point `void <kernel>_entry(void **)`.
  virtual void buildPipeline(mlir::OpPassManager &pm,
                             llvm::StringRef kernel) const = 0;

  /// The bytes of what `buildPipeline` lowered. Linking a shared object resets
  /// the options of llvm::cl of this process: a tool reads its own before.
  virtual mlir::FailureOr<std::string> emit(mlir::ModuleOp lowered,
                                            EmitKind kind) const = 0;
};

/// The backend of a target ("host") for a chip: a CPU's name as LLVM has it, or
/// "native" for the machine at hand.
Result<std::unique_ptr<Backend>> createBackend(llvm::StringRef target,
                                               llvm::StringRef chip);

/// Adds the dialects, interfaces and translations that the backends' passes and
/// emission need.
void registerBackendDialects(mlir::DialectRegistry &registry);

/// The buffers and launches of a kernel, as its signature says: arguments, then
/// results. What it does to buffers and the data of arguments that index
/// something are found in its ops, unless attributes say. Fails, with the
/// reason, on types that have no buffer, and with a question where data can't
/// be found.
mlir::FailureOr<LaunchPlan> launchPlan(mlir::func::FuncOp kernel);

} // namespace tonno

#endif // TONNO_BACKEND_BACKEND_H

//===- LLVMEmission.h - LLVM dialect to LLVM IR and objects -----*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_LIB_BACKEND_LLVMEMISSION_H
#define TONNO_LIB_BACKEND_LLVMEMISSION_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tonno {

/// A module in the LLVM dialect as optimised LLVM IR, in text.
mlir::FailureOr<std::string> emitLLVM(mlir::ModuleOp module,
                                      llvm::TargetMachine &machine);

/// The same as a relocatable object.
mlir::FailureOr<std::string> emitObject(mlir::ModuleOp module,
                                        llvm::TargetMachine &machine);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_LLVMEMISSION_H

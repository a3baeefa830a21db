//===- LLVM dialect to LLVM IR and code -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_LLVMEMISSION_H
#define TONNO_LIB_BACKEND_LLVMEMISSION_H

#include "tonno/Core/Result.h"

#include "llvm/Support/CodeGen.h"
#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace tonno {

/// Translates a builtin.module or gpu.module in the LLVM dialect (with NVVM or
/// ROCDL) to LLVM IR, prepared for the machine but not optimised. Null, with an
/// error at the op, if an op of another dialect is left.
std::unique_ptr<llvm::Module> translateToLLVM(mlir::Operation *module,
                                              llvm::LLVMContext &context,
                                              llvm::TargetMachine &machine);

/// States the machine's triple, data layout, CPU and features in the module and
/// in each function that it defines.
void setTarget(llvm::Module &module, llvm::TargetMachine &machine);

/// Effort of LLVM with the loops of a module.
enum class Unrolling {
  full,
  none, ///< leaves loops as they are: less code, compiled in less time
};

/// Optimises at O2.
void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              Unrolling unrolling = Unrolling::full);

/// Generates the machine code of a module, as a relocatable object or assembly
/// (for NVPTX, PTX). Changes the module, which cannot be used afterwards. Fails
/// with LLVM's message if the target lacks a feature or inline assembly has
/// errors; drops warnings.
Result<std::string> emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                             llvm::CodeGenFileType type);

/// Prints LLVM IR.
std::string printLLVM(const llvm::Module &module);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_LLVMEMISSION_H

//===- LLVM modules of GPU kernels for tests ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_BACKEND_GPUMODULES_H
#define TONNO_TEST_UNIT_BACKEND_GPUMODULES_H

#include "GPU/GpuBackend.h"
#include "LLVMEmission.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

namespace tonno {

inline const GpuChip &chipNamed(const char *name) {
  return **findGpuChip(name);
}

/// A module of LLVM IR in text, for a chip.
struct GpuModule {
  GpuModule(const std::string &text, const GpuChip &chip)
      : machine(createTargetMachine(chip, chip.features)) {
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(text, error, context);
    if (!module)
      ADD_FAILURE() << error.getMessage().str() << " in\n" << text;
    else
      setTarget(*module, *machine);
  }

  Result<std::string> emit(llvm::CodeGenFileType type) {
    optimize(*module, *machine);
    return emitCode(*module, *machine, type);
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};

inline Result<std::string> emitPtx(const std::string &text,
                                   const GpuChip &chip) {
  return GpuModule(text, chip).emit(llvm::CodeGenFileType::AssemblyFile);
}

inline Result<std::string> emitAmdObject(const std::string &text,
                                         const GpuChip &chip) {
  return GpuModule(text, chip).emit(llvm::CodeGenFileType::ObjectFile);
}

/// Returns a module of a[i] = a[i] * b[i] + c through a kilobyte of shared
/// memory, on both vendors.
inline std::string axpy(const GpuChip &chip,
                        const std::string &attributes = "") {
  bool nvidia = chip.vendor == GpuVendor::nvidia;
  std::string id =
      nvidia ? "@llvm.nvvm.read.ptx.sreg.tid.x" : "@llvm.amdgcn.workitem.id.x";
  return "@shared = internal addrspace(3) global [256 x float] poison, align "
         "16\n"
         "declare i32 " +
         id +
         "()\n"
         "define " +
         (nvidia ? "ptx_kernel" : "amdgpu_kernel") +
         " void @axpy(ptr addrspace(1) %a, ptr addrspace(1) %b, float %c) " +
         attributes +
         " {\n"
         "  %t = call i32 " +
         id +
         "()\n"
         R"(
           %pa = getelementptr float, ptr addrspace(1) %a, i32 %t
           %pb = getelementptr float, ptr addrspace(1) %b, i32 %t
           %ps = getelementptr float, ptr addrspace(3) @shared, i32 %t
           %x = load float, ptr addrspace(1) %pa
           %y = load float, ptr addrspace(1) %pb
           %m = fmul float %x, %y
           %s = fadd float %m, %c
           store volatile float %s, ptr addrspace(3) %ps
           %r = load volatile float, ptr addrspace(3) %ps
           store float %r, ptr addrspace(1) %pa
           ret void
         })";
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_BACKEND_GPUMODULES_H

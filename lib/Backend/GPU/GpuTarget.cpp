//===- GPUs to compile for ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuTarget.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace llvm;
using namespace tonno;

static void initialize(GpuVendor vendor) {
  static std::once_flag nvidia, amd;
  if (vendor == GpuVendor::nvidia)
    std::call_once(nvidia, [] {
      LLVMInitializeNVPTXTargetInfo();
      LLVMInitializeNVPTXTarget();
      LLVMInitializeNVPTXTargetMC();
      LLVMInitializeNVPTXAsmPrinter();
    });
  else
    std::call_once(amd, [] {
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTarget();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUAsmPrinter();
      LLVMInitializeAMDGPUAsmParser(); // of inline assembly
      LLVMInitializeAMDGPUDisassembler();
    });
}

const llvm::Target *tonno::lookupGpuTarget(const GpuChip &chip) {
  initialize(chip.vendor);
  std::string error;
  return TargetRegistry::lookupTarget(Triple(StringRef(chip.triple)), error);
}

tonno::Target tonno::gpuTarget(const GpuChip &chip) {
  return {std::string(chip.triple), std::string(chip.name),
          std::string(chip.features)};
}

std::unique_ptr<TargetMachine> tonno::createTargetMachine(const GpuChip &chip) {
  const llvm::Target *target = lookupGpuTarget(chip);
  if (!target)
    return nullptr;
  TargetOptions options;
  // a * b + c may become one operation where both ops are marked so.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      Triple(StringRef(chip.triple)), chip.name, chip.features, options,
      Reloc::PIC_, std::nullopt, CodeGenOptLevel::Default));
}

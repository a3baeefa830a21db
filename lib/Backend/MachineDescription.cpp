//===- LLVM's description of a machine's code -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MachineDescription.h"

#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;
using namespace tonno;

MachineDescription::MachineDescription(const tonno::Target &target)
    : triple(target.triple) {
  static const bool initialized = [] {
    InitializeAllTargetInfos();
    InitializeAllTargetMCs();
    InitializeAllDisassemblers();
    return true;
  }();
  (void)initialized;
  std::string error;
  found = TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return;
  registers.reset(found->createMCRegInfo(triple));
  assembly.reset(found->createMCAsmInfo(*registers, triple, MCTargetOptions()));
  subtarget.reset(
      found->createMCSubtargetInfo(triple, target.chip, target.features));
  instructions.reset(found->createMCInstrInfo());
  analysis.reset(found->createMCInstrAnalysis(instructions.get()));
  context = std::make_unique<MCContext>(triple, assembly.get(), registers.get(),
                                        subtarget.get());
  disassembler.reset(found->createMCDisassembler(*subtarget, *context));
}

unsigned MachineDescription::getVectorBytes(const MCInst &instruction) const {
  unsigned bytes = 0;
  for (const MCOperand &operand : instruction) {
    if (!operand.isReg() || !operand.getReg())
      continue;
    StringRef name = registers->getName(operand.getReg());
    bytes = std::max(bytes, name.starts_with("ZMM")   ? 64U
                            : name.starts_with("YMM") ? 32U
                            : name.starts_with("XMM") ? 16U
                                                      : 0U);
  }
  return bytes;
}

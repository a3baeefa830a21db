//===- LLVM's description of a machine's code -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_MACHINEDESCRIPTION_H
#define TONNO_LIB_BACKEND_MACHINEDESCRIPTION_H

#include "tonno/Backend/Backend.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"

#include <memory>

namespace llvm {
class Target;
} // namespace llvm

namespace tonno {

/// LLVM's tables of a target and its disassembler.
struct MachineDescription {
  explicit MachineDescription(const Target &target);

  /// Returns true if LLVM can disassemble code of the target.
  bool isKnown() const { return disassembler && analysis; }

  /// Returns the bytes of the widest vector register of x86 among the operands;
  /// 0 if there is none.
  unsigned getVectorBytes(const llvm::MCInst &instruction) const;

  llvm::Triple triple;
  const llvm::Target *found = nullptr;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
};

} // namespace tonno

#endif // TONNO_LIB_BACKEND_MACHINEDESCRIPTION_H

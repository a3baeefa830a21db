//===- Machine code of GPUs, disassembled ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_GPU_MACHINEINSTRUCTIONS_H
#define TONNO_LIB_BACKEND_GPU_MACHINEINSTRUCTIONS_H

#include "tonno/Core/GpuChip.h"
#include "tonno/Core/MachineCode.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tonno {

/// Disassembles code for an AMD GPU; none if some bytes are no instruction.
std::optional<std::vector<MachineInstruction>>
disassembleAmd(llvm::ArrayRef<uint8_t> code, const GpuChip &chip);

/// Classes an AMD instruction by its mnemonic.
MachineInstruction classifyAmd(llvm::StringRef mnemonic, const GpuChip &chip);

/// Decodes SASS of sm_70 and later: instructions of 16 bytes, without the
/// padding at the end.
std::vector<MachineInstruction> decodeSass(llvm::ArrayRef<uint8_t> code,
                                           const GpuChip &chip);

/// Returns the mnemonic of a SASS instruction, such as "HMMA"; empty if the
/// table does not have it.
llvm::StringRef sassMnemonic(uint64_t low);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_GPU_MACHINEINSTRUCTIONS_H

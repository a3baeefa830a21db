//===- Throughput of a loop, by llvm-mca's library ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_LOOPTHROUGHPUT_H
#define TONNO_LIB_BACKEND_LOOPTHROUGHPUT_H

#include "tonno/Backend/HotLoop.h"

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class MCInst;
} // namespace llvm

namespace tonno {

struct MachineDescription;

/// Simulates iterations of a loop. The Error: LLVM has no scheduling model for
/// the CPU, or the model does not have an instruction.
Result<LoopThroughput> simulateLoop(llvm::ArrayRef<llvm::MCInst> loop,
                                    const MachineDescription &machine);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_LOOPTHROUGHPUT_H

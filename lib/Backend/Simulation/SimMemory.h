//===- Memory of the simulated device -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_SIMULATION_SIMMEMORY_H
#define TONNO_LIB_BACKEND_SIMULATION_SIMMEMORY_H

#include "tonno/Core/Result.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include <cstdint>

namespace llvm {
class Constant;
class DataLayout;
class GlobalVariable;
class Module;
} // namespace llvm

namespace tonno {

/// Returns the address of the byte at `offset` of `memory`.
llvm::Constant *addressIn(llvm::GlobalVariable &memory, uint64_t offset);

/// Inserts calls of SimRuntime::stray for accesses through a pointer argument
/// that are outside of its buffer; results of such loads must not be used.
/// `object` is the kernel's SimObject; pointers have the host's layout already.
void checkAccesses(llvm::Function &kernel, llvm::GlobalVariable &object);

/// Inserts calls of SimRuntime::wroteShared behind stores to shared memory.
void reportSharedStores(llvm::Module &module, llvm::GlobalVariable &object);

/// The storage of a module's shared memory.
struct SimStorage {
  llvm::GlobalVariable *areas; ///< an array of SimArea
  uint64_t areaCount;
  llvm::GlobalVariable *memory; ///< all of them, with redzones
  uint64_t dynamicOffset;
  uint64_t dynamicBytes; ///< 0: there is none
};

/// Checks that address spaces and types have the same meaning under the host's
/// data layout and the module's.
Result<void> checkMemory(const llvm::Module &module,
                         const llvm::DataLayout &host);

/// Gives globals in shared memory (address space 3) storage that is registered
/// with the device, and makes all other globals internal. Globals without a
/// size share one area of `dynamicBytes`.
Result<SimStorage> placeSharedMemory(llvm::Module &module,
                                     uint64_t dynamicBytes);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_SIMULATION_SIMMEMORY_H

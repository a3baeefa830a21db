//===- A call that host code replaces -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_SIMULATION_SIMCALL_H
#define TONNO_LIB_BACKEND_SIMULATION_SIMCALL_H

#include "tonno/Core/SimObject.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <optional>

namespace tonno {

/// A module that is being made for the `sim` device.
struct SimModule {
  llvm::Module &module;
  uint32_t subgroupSize;
  bool hasFnuz;                 ///< of SimOptions
  llvm::GlobalVariable *object; ///< its SimObject
  /// Names of where threads meet: a name is one address.
  llvm::StringMap<llvm::Constant *> places = {};
  unsigned sites = 0;
};

/// A call of what only the GPU has, and code for the host in its place.
class SimCall {
public:
  SimCall(llvm::CallInst &call, SimModule &module)
      : ir(&call), call(call), module(module) {}

  /// Returns the name of the called function; empty for inline assembly.
  llvm::StringRef name() const;
  unsigned operandCount() const { return call.arg_size(); }
  llvm::Value *operand(unsigned index) const {
    return call.getArgOperand(index);
  }
  llvm::Type *type() const { return call.getType(); }
  uint32_t subgroupSize() const { return module.subgroupSize; }
  bool hasFnuz() const { return module.hasFnuz; }

  /// Replaces the call by a value and erases it. Without a value, the call's
  /// result must be unused.
  bool replace(llvm::Value *value);
  bool drop();

  /// Fields of SimRuntime, by their offset.
  llvm::Value *number(size_t offset);
  llvm::Value *address(size_t offset);
  llvm::Value *lane() { return number(offsetof(SimRuntime, lane)); }
  /// Bits of the lanes before this one, i64.
  llvm::Value *lanesBefore();

  bool isMinusOne(unsigned index) const;

  /// Lets the threads meet. `where` must be the same for all that may.
  /// `lanes` and operands of at most 64 bits; results are i64.
  std::vector<llvm::Value *> meet(llvm::StringRef where, SimCollective kind,
                                  llvm::Value *lanes,
                                  llvm::ArrayRef<llvm::Value *> operands,
                                  unsigned results);
  /// Calls a function of SimRuntime, by its offset, for this thread.
  void callRuntime(size_t offset, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *allLanes() { return ir.getInt64(~uint64_t(0)); }
  /// Returns a name that is unique to the call, for GPUs on which lanes at
  /// different calls never meet.
  std::string getUniqueCallName() { return getUniqueCallName(name()); }
  std::string getUniqueCallName(llvm::StringRef what);

  /// Returns true if values of the type have at most 64 bits, as `toWord`
  /// requires.
  bool fitsWord(llvm::Type *type) const;
  llvm::Value *toWord(llvm::Value *value);
  llvm::Value *fromWord(llvm::Value *word, llvm::Type *type);

  /// Allocates in the entry block, so that stack is used once per call of the
  /// function.
  llvm::Value *allocate(llvm::Type *type);

  llvm::CallInst &instruction() { return call; }

  llvm::IRBuilder<> ir;

private:
  llvm::Value *runtime();
  llvm::Constant *place(llvm::StringRef name);

  llvm::CallInst &call;
  SimModule &module;
};

/// Returns true for "x", "y" and "z", the axes of three-dimensional fields of
/// SimRuntime.
inline bool isAxis(llvm::StringRef name) {
  return name == "x" || name == "y" || name == "z";
}
inline size_t axisOffset(llvm::StringRef axis) {
  return sizeof(uint32_t) * static_cast<size_t>(axis[0] - 'x');
}

/// Replace a call of a known intrinsic; return false for others.
bool replaceNvvmCall(SimCall &call);
/// A call of cp.async: copies `bytes` to shared memory, of which it reads the
/// first `read`; the others are zero.
struct AsyncCopy {
  llvm::Value *to, *from, *read;
  unsigned bytes;
};
std::optional<AsyncCopy> findAsyncCopy(llvm::Instruction &instruction);
/// Replaces ldmatrix and cp.async, by their names without "llvm.nvvm.".
bool replaceNvvmCopy(SimCall &call, llvm::StringRef name);
bool replacePtxAssembly(SimCall &call, llvm::StringRef assembly);
/// Replace what belongs to wgmma, by its name without "llvm.nvvm." or its
/// assembly.
bool replaceWarpgroupCall(SimCall &call, llvm::StringRef name);
bool replaceWarpgroupAssembly(SimCall &call, llvm::StringRef assembly);
/// Replace what belongs to tcgen05 and mbarrier.
bool replaceTensorCall(SimCall &call, llvm::StringRef name);
bool replaceBarrierAssembly(SimCall &call, llvm::StringRef assembly);
/// Returns true if matrix instructions of the module read shared memory.
bool multipliesShared(const llvm::Module &module);
bool replaceAmdgcnCall(SimCall &call);
/// Replaces matrix instructions, by their names without the vendor's prefix.
bool replaceMatrixCall(SimCall &call, llvm::StringRef name);
/// Replaces NVIDIA's arithmetic by its name in PTX, without "llvm.nvvm.":
/// "fma.rm.ftz.f".
bool replacePtxArithmetic(SimCall &call, llvm::StringRef name);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_SIMULATION_SIMCALL_H

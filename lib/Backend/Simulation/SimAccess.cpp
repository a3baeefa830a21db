//===- Accesses of a simulated kernel -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimAccess.h"

#include "tonno/Core/SimObject.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace tonno;

namespace {

struct Access {
  Instruction *instruction;
  Value *pointer;
  Argument *argument; ///< that the pointer comes from
  Type *type;
};

} // namespace

/// The address and type of what an instruction reads or writes.
static std::pair<Value *, Type *> addressOf(Instruction &instruction) {
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    return {update->getPointerOperand(), update->getType()};
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return {exchange->getPointerOperand(),
            exchange->getNewValOperand()->getType()};
  if (Value *pointer = getLoadStorePointerOperand(&instruction))
    return {pointer, getLoadStoreType(&instruction)};
  return {nullptr, nullptr};
}

static std::vector<Access> accessesOf(Function &kernel) {
  std::vector<Access> accesses;
  for (Instruction &instruction : instructions(kernel)) {
    auto [pointer, type] = addressOf(instruction);
    auto *argument =
        pointer
            ? dyn_cast<Argument>(getUnderlyingObject(pointer, /*MaxLookup=*/0))
            : nullptr;
    if (argument)
      accesses.push_back({&instruction, pointer, argument, type});
  }
  return accesses;
}

static void check(const Access &access, GlobalVariable &object) {
  IRBuilder<> ir(access.instruction);
  auto load = [&](IRBuilder<> &at, Type *type, Value *base, uint64_t offset) {
    return at.CreateLoad(
        type, at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), base, offset));
  };
  Type *pointer = ir.getPtrTy();
  Type *word = ir.getInt64Ty();
  const DataLayout &layout = access.instruction->getDataLayout();
  uint32_t number = access.argument->getArgNo();
  Value *size = ir.getInt64(layout.getTypeStoreSize(access.type));
  Value *runtime = load(ir, pointer, &object, offsetof(SimObject, runtime));
  Value *sizes = load(ir, pointer, runtime, offsetof(SimRuntime, bufferBytes));
  Value *bytes = load(ir, word, sizes, number * sizeof(uint64_t));
  Value *offset = ir.CreateSub(ir.CreatePtrToInt(access.pointer, word),
                               ir.CreatePtrToInt(access.argument, word));
  // In front of the buffer it is negative, and so more than any size.
  Value *isStray =
      ir.CreateOr(ir.CreateICmpUGT(offset, bytes),
                  ir.CreateICmpUGT(ir.CreateAdd(offset, size), bytes));
  IRBuilder<> then(SplitBlockAndInsertIfThen(
      isStray, access.instruction->getIterator(), /*Unreachable=*/false));
  auto *type = FunctionType::get(
      then.getVoidTy(),
      {pointer, then.getInt32Ty(), word, word, then.getInt32Ty()},
      /*isVarArg=*/false);
  Value *stray = load(then, pointer, runtime, offsetof(SimRuntime, stray));
  then.CreateCall(type, stray,
                  {runtime, then.getInt32(number), offset, size,
                   then.getInt32(access.instruction->mayWriteToMemory())});
}

void tonno::checkAccesses(Function &kernel, GlobalVariable &object) {
  for (const Access &access : accessesOf(kernel))
    check(access, object);
}

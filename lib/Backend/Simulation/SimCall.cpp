//===- A call that host code replaces -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimCall.h"

using namespace llvm;
using namespace tonno;

StringRef SimCall::name() const {
  Function *function = call.getCalledFunction();
  return function ? function->getName() : "";
}

bool SimCall::isMinusOne(unsigned index) const {
  auto *constant = dyn_cast<ConstantInt>(operand(index));
  return constant && constant->isMinusOne();
}

bool SimCall::replace(Value *value) {
  call.replaceAllUsesWith(value);
  call.eraseFromParent();
  return true;
}

bool SimCall::drop() {
  call.eraseFromParent();
  return true;
}

Value *SimCall::runtime() {
  Value *field = ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), module.object,
                                               offsetof(SimObject, runtime));
  return ir.CreateLoad(ir.getPtrTy(), field);
}

Value *SimCall::address(size_t offset) {
  return ir.CreateConstInBoundsGEP1_64(ir.getInt8Ty(), runtime(), offset);
}

Value *SimCall::number(size_t offset) {
  return ir.CreateLoad(ir.getInt32Ty(), address(offset));
}

Value *SimCall::lanesBefore() {
  Value *index = ir.CreateZExt(this->lane(), ir.getInt64Ty());
  return ir.CreateSub(ir.CreateShl(ir.getInt64(1), index), ir.getInt64(1));
}

Constant *SimCall::place(StringRef name) {
  Constant *&text = module.places[name];
  if (!text)
    text = ir.CreateGlobalString(name, "place", 0, &module.module);
  return text;
}

std::string SimCall::getUniqueCallName(StringRef what) {
  return (what + " (call " + Twine(++module.sites) + ")").str();
}

Value *SimCall::allocate(Type *type) {
  IRBuilder<> entry(&*call.getFunction()->getEntryBlock().begin());
  return entry.CreateAlloca(type);
}

std::vector<Value *> SimCall::meet(StringRef where, SimCollective kind,
                                   Value *lanes, ArrayRef<Value *> operands,
                                   unsigned results) {
  auto allocateWords = [&](size_t count) {
    return allocate(
        ArrayType::get(ir.getInt64Ty(), std::max<size_t>(count, 1)));
  };
  Value *given = allocateWords(operands.size());
  Value *taken = allocateWords(results);
  auto slot = [&](Value *words, size_t index) {
    return ir.CreateConstInBoundsGEP1_64(ir.getInt64Ty(), words, index);
  };
  for (const auto &[index, operand] : enumerate(operands))
    ir.CreateStore(toWord(operand), slot(given, index));
  Value *function =
      ir.CreateLoad(ir.getPtrTy(), address(offsetof(SimRuntime, meet)));
  Type *pointer = ir.getPtrTy();
  auto *type = FunctionType::get(
      ir.getVoidTy(),
      {pointer, pointer, ir.getInt32Ty(), ir.getInt64Ty(), pointer, pointer},
      /*isVarArg=*/false);
  CallInst *meeting = ir.CreateCall(type, function,
                                    {runtime(), place(where),
                                     ir.getInt32(static_cast<uint32_t>(kind)),
                                     toWord(lanes), given, taken});
  // Forbid moves across branches, which would change the participating lanes.
  meeting->setConvergent();
  std::vector<Value *> values;
  for (unsigned index = 0; index < results; ++index)
    values.push_back(ir.CreateLoad(ir.getInt64Ty(), slot(taken, index)));
  return values;
}

void SimCall::callRuntime(size_t offset, ArrayRef<Value *> operands) {
  SmallVector<Value *> all = {runtime()};
  all.append(operands.begin(), operands.end());
  auto types =
      map_to_vector(all, [](Value *value) { return value->getType(); });
  auto *type = FunctionType::get(ir.getVoidTy(), types, /*isVarArg=*/false);
  ir.CreateCall(type, ir.CreateLoad(ir.getPtrTy(), address(offset)), all);
}

bool SimCall::fitsWord(Type *type) const {
  return type->isPointerTy() ||
         (type->isSingleValueType() && type->getPrimitiveSizeInBits() <= 64);
}

Value *SimCall::toWord(Value *value) {
  Type *type = value->getType();
  if (type->isPointerTy())
    return ir.CreatePtrToInt(value, ir.getInt64Ty());
  auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  return ir.CreateZExt(ir.CreateBitCast(value, ir.getIntNTy(bits)),
                       ir.getInt64Ty());
}

Value *SimCall::fromWord(Value *word, Type *type) {
  if (type->isPointerTy())
    return ir.CreateIntToPtr(word, type);
  auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  return ir.CreateBitCast(ir.CreateTrunc(word, ir.getIntNTy(bits)), type);
}

//===- NVIDIA's copies by a subgroup and beside it ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimCall.h"

using namespace llvm;
using namespace tonno;

/// Replaces sync.aligned.m8n8.x<count>[.trans].b16: lane 8 * i + r gives the
/// address of row r of the i-th 8 x 8 matrix; lane l gets elements 2 * (l % 4)
/// and the next one of row l / 4, or, transposed, of column l / 4.
static bool replaceLoadMatrix(SimCall &call, StringRef name) {
  unsigned count = 0;
  if (!name.consume_front("sync.aligned.m8n8.x") ||
      name.consumeInteger(10, count))
    return false;
  bool isTransposed = name.consume_front(".trans");
  if (!name.starts_with(".b16"))
    return false;
  IRBuilder<> &ir = call.ir;
  Type *half = ir.getInt16Ty(), *word = ir.getInt32Ty();
  Value *lane = call.lane();
  Value *outer = ir.CreateLShr(lane, 2);
  Value *inner = ir.CreateShl(ir.CreateAnd(lane, 3), 1);
  std::string where = call.getUniqueCallName();
  Value *result = PoisonValue::get(call.type());
  for (unsigned i = 0; i < count; ++i) {
    Value *pair = ir.getInt32(0);
    for (unsigned element : {0u, 1u}) {
      Value *second = ir.CreateAdd(inner, ir.getInt32(element));
      Value *row = isTransposed ? second : outer;
      Value *column = isTransposed ? outer : second;
      Value *address =
          call.meet(where, SimCollective::exchange, call.allLanes(),
                    {call.operand(0), ir.CreateAdd(row, ir.getInt32(8 * i)),
                     ir.getInt64(~0ull)},
                    1)[0];
      Value *from = ir.CreateGEP(
          half, ir.CreateIntToPtr(address, call.operand(0)->getType()), column);
      Value *bits =
          ir.CreateZExt(ir.CreateAlignedLoad(half, from, Align(1)), word);
      pair = ir.CreateOr(pair, ir.CreateShl(bits, 16 * element));
    }
    result = count == 1 ? pair : ir.CreateInsertValue(result, pair, i);
  }
  return call.replace(result);
}

/// Matches llvm.nvvm.cp.async.c[ag].shared.global.<bytes>[.s](to, from[,
/// read]).
std::optional<AsyncCopy> tonno::findAsyncCopy(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  Function *function = call ? call->getCalledFunction() : nullptr;
  StringRef name = function ? function->getName() : "";
  AsyncCopy copy = {};
  if (!name.consume_front("llvm.nvvm.cp.async.c") ||
      !(name.consume_front("a") || name.consume_front("g")) ||
      !name.consume_front(".shared.global.") ||
      name.consumeInteger(10, copy.bytes))
    return std::nullopt;
  copy.to = call->getArgOperand(0);
  copy.from = call->getArgOperand(1);
  copy.read =
      name == ".s"
          ? call->getArgOperand(2)
          : ConstantInt::get(Type::getInt32Ty(call->getContext()), copy.bytes);
  return copy;
}

static bool replaceAsyncCopy(SimCall &call, const AsyncCopy &copy) {
  IRBuilder<> &ir = call.ir;
  auto plain = [&](Value *pointer) {
    return ir.CreateAddrSpaceCast(pointer, ir.getPtrTy());
  };
  call.callRuntime(
      offsetof(SimRuntime, copyAsync),
      {plain(copy.to), plain(copy.from), ir.getInt32(copy.bytes), copy.read});
  return call.drop();
}

bool tonno::replaceNvvmCopy(SimCall &call, StringRef name) {
  if (name.consume_front("ldmatrix."))
    return replaceLoadMatrix(call, name);
  if (auto copy = findAsyncCopy(call.instruction()))
    return replaceAsyncCopy(call, *copy);
  if (!name.consume_front("cp.async."))
    return false;
  if (name == "commit.group") {
    call.callRuntime(offsetof(SimRuntime, commitCopies), {});
    return call.drop();
  }
  if (name != "wait.group" && name != "wait.all")
    return false;
  if (name == "wait.all") // of those without a group, too
    call.callRuntime(offsetof(SimRuntime, commitCopies), {});
  call.callRuntime(
      offsetof(SimRuntime, awaitCopies),
      {name == "wait.all" ? call.ir.getInt32(0) : call.operand(0)});
  return call.drop();
}

//===- NVIDIA's tensor memory and barriers --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimCall.h"

using namespace llvm;
using namespace tonno;

/// Returns a pointer to shared memory as one of the host.
static Value *toPlain(SimCall &call, unsigned index) {
  return call.ir.CreateAddrSpaceCast(call.operand(index), call.ir.getPtrTy());
}

/// Returns an address in tensor memory, which is a number.
static Value *toNumber(SimCall &call, unsigned index) {
  return call.ir.CreatePtrToInt(call.operand(index), call.ir.getInt32Ty());
}

/// Replaces ld.32x32b.x<count>(address, false).
static bool replaceLoad(SimCall &call) {
  auto *unpacked = dyn_cast<ConstantInt>(call.operand(1));
  auto *type = dyn_cast<FixedVectorType>(call.type());
  if (!unpacked || !unpacked->isZero() || !type)
    return false;
  IRBuilder<> &ir = call.ir;
  unsigned count = type->getNumElements();
  Value *registers = call.allocate(ArrayType::get(ir.getInt32Ty(), count));
  call.callRuntime(offsetof(SimRuntime, loadTensor),
                   {toNumber(call, 0), registers, ir.getInt32(count)});
  return call.replace(ir.CreateAlignedLoad(type, registers, Align(4)));
}

bool tonno::replaceTensorCall(SimCall &call, StringRef name) {
  IRBuilder<> &ir = call.ir;
  Type *half = ir.getInt32Ty();
  auto run = [&](size_t offset, ArrayRef<Value *> operands) {
    call.callRuntime(offset, operands);
    return call.drop();
  };
  auto isConstant = [&](unsigned index, uint64_t value) {
    auto *constant = dyn_cast<ConstantInt>(call.operand(index));
    return constant && constant->getZExtValue() == value;
  };
  if (name == "mbarrier.init.shared")
    return run(offsetof(SimRuntime, initializeBarrier),
               {toPlain(call, 0), call.operand(1)});
  if (name == "fence.mbarrier_init.release.cluster")
    return run(offsetof(SimRuntime, fenceBarriers), {});
  if (!name.consume_front("tcgen05."))
    return false;
  // All lanes of a subgroup execute these together.
  if (name.starts_with("alloc.") || name.starts_with("dealloc.") ||
      name.starts_with("ld.") || name == "wait.ld")
    call.meet(call.getUniqueCallName(), SimCollective::sync, call.allLanes(),
              {}, 0);
  if (name == "alloc.shared.cg1")
    return run(offsetof(SimRuntime, allocateTensor),
               {toPlain(call, 0), call.operand(1)});
  if (name == "dealloc.cg1")
    return run(offsetof(SimRuntime, releaseTensor),
               {toNumber(call, 0), call.operand(1)});
  if (name == "relinq.alloc.permit.cg1")
    return call.drop();
  if (name == "mma.shared" && isConstant(6, 1)) // one workgroup
    return run(offsetof(SimRuntime, multiplyTensor),
               {toNumber(call, 0), call.operand(1), call.operand(2),
                call.operand(3), ir.CreateZExt(call.operand(4), half),
                call.operand(5)});
  if (name == "commit.shared.cg1")
    return run(offsetof(SimRuntime, commitTensor), {toPlain(call, 0)});
  if (name == "fence.after.thread.sync" || name == "fence.before.thread.sync")
    return run(offsetof(SimRuntime, fenceTensor),
               {ir.getInt32(name == "fence.after.thread.sync")});
  if (name == "wait.ld")
    return run(offsetof(SimRuntime, awaitLoads), {});
  return name.starts_with("ld.32x32b.x") && replaceLoad(call);
}

bool tonno::replaceBarrierAssembly(SimCall &call, StringRef assembly) {
  // As NVVM::MBarrierTryWaitParityOp writes it.
  std::string given;
  for (char c : assembly)
    if (!isSpace(c))
      given += c;
  if (given != "{.reg.predP1;LAB_WAIT:mbarrier.try_wait.parity.shared.b64P1,[$0"
               "],$1,$2;@P1bra.uniDONE;bra.uniLAB_WAIT;DONE:}")
    return false;
  call.callRuntime(offsetof(SimRuntime, awaitBarrier),
                   {toPlain(call, 0), call.operand(1)});
  return call.drop();
}

//===- Memory of the simulated device -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimMemory.h"
#include "tonno/Core/SimObject.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "SimCall.h"
#include <vector>

using namespace llvm;
using namespace tonno;

/// Address spaces.
static constexpr unsigned sharedSpace = 3, tensorSpace = 6;

namespace {

struct MemoryAccess {
  Instruction *instruction;
  Value *pointer;
  Argument *argument; ///< that the pointer comes from
  Value *bytes;
  bool isWrite;
};

} // namespace

/// Returns what an instruction reads or writes, if it is known.
static MemoryAccess getMemoryAccess(Instruction &instruction) {
  MemoryAccess access = {&instruction, nullptr, nullptr, nullptr,
                         instruction.mayWriteToMemory()};
  Type *word = Type::getInt64Ty(instruction.getContext());
  auto set = [&](Value *pointer, Type *type) {
    access.pointer = pointer;
    access.bytes = ConstantInt::get(
        word, instruction.getDataLayout().getTypeStoreSize(type));
  };
  if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
    set(update->getPointerOperand(), update->getType());
  else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    set(exchange->getPointerOperand(), exchange->getNewValOperand()->getType());
  else if (Value *pointer = getLoadStorePointerOperand(&instruction))
    set(pointer, getLoadStoreType(&instruction));
  else if (auto copy = findAsyncCopy(instruction))
    return {&instruction, copy->from, nullptr, copy->read, /*isWrite=*/false};
  return access;
}

static std::vector<MemoryAccess> collectArgumentAccesses(Function &kernel) {
  std::vector<MemoryAccess> accesses;
  for (Instruction &instruction : instructions(kernel)) {
    MemoryAccess access = getMemoryAccess(instruction);
    if (!access.pointer)
      continue;
    access.argument = dyn_cast<Argument>(
        getUnderlyingObject(access.pointer, /*MaxLookup=*/0));
    if (access.argument)
      accesses.push_back(access);
  }
  return accesses;
}

static void check(const MemoryAccess &access, GlobalVariable &object) {
  IRBuilder<> ir(access.instruction);
  auto load = [&](IRBuilder<> &at, Type *type, Value *base, uint64_t offset) {
    return at.CreateLoad(
        type, at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), base, offset));
  };
  Type *pointer = ir.getPtrTy();
  Type *word = ir.getInt64Ty();
  uint32_t number = access.argument->getArgNo();
  Value *size = ir.CreateZExtOrTrunc(access.bytes, word);
  Value *runtime = load(ir, pointer, &object, offsetof(SimObject, runtime));
  Value *sizes = load(ir, pointer, runtime, offsetof(SimRuntime, bufferBytes));
  Value *bytes = load(ir, word, sizes, number * sizeof(uint64_t));
  Value *offset = ir.CreateSub(ir.CreatePtrToInt(access.pointer, word),
                               ir.CreatePtrToInt(access.argument, word));
  // An offset in front of the buffer is negative, and as an unsigned number
  // above any size. Accesses to zero bytes may be anywhere.
  Value *isStray = ir.CreateAnd(
      ir.CreateICmpNE(size, ir.getInt64(0)),
      ir.CreateOr(ir.CreateICmpUGT(offset, bytes),
                  ir.CreateICmpUGT(ir.CreateAdd(offset, size), bytes)));
  IRBuilder<> then(SplitBlockAndInsertIfThen(
      isStray, access.instruction->getIterator(), /*Unreachable=*/false));
  auto *type = FunctionType::get(
      then.getVoidTy(),
      {pointer, then.getInt32Ty(), word, word, then.getInt32Ty()},
      /*isVarArg=*/false);
  Value *stray = load(then, pointer, runtime, offsetof(SimRuntime, stray));
  then.CreateCall(type, stray,
                  {runtime, then.getInt32(number), offset, size,
                   then.getInt32(access.isWrite)});
}

Constant *tonno::addressIn(GlobalVariable &memory, uint64_t offset) {
  LLVMContext &context = memory.getContext();
  return ConstantExpr::getInBoundsGetElementPtr(
      Type::getInt8Ty(context), &memory,
      ConstantInt::get(Type::getInt64Ty(context), offset));
}

void tonno::checkAccesses(Function &kernel, GlobalVariable &object) {
  for (const MemoryAccess &access : collectArgumentAccesses(kernel))
    check(access, object);
}

void tonno::reportSharedStores(Module &module, GlobalVariable &object) {
  std::vector<StoreInst *> stores;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *store = dyn_cast<StoreInst>(&instruction))
        if (store->getPointerAddressSpace() == sharedSpace)
          stores.push_back(store);
  for (StoreInst *store : stores) {
    IRBuilder<> ir(store->getNextNode());
    auto load = [&](Value *base, uint64_t offset) {
      return ir.CreateLoad(ir.getPtrTy(), ir.CreateConstInBoundsGEP1_64(
                                              ir.getInt8Ty(), base, offset));
    };
    Value *runtime = load(&object, offsetof(SimObject, runtime));
    uint64_t bytes = store->getDataLayout().getTypeStoreSize(
        store->getValueOperand()->getType());
    auto *type = FunctionType::get(
        ir.getVoidTy(), {ir.getPtrTy(), ir.getPtrTy(), ir.getInt64Ty()},
        /*isVarArg=*/false);
    ir.CreateCall(
        type, load(runtime, offsetof(SimRuntime, wroteShared)),
        {runtime,
         ir.CreateAddrSpaceCast(store->getPointerOperand(), ir.getPtrTy()),
         ir.getInt64(bytes)});
  }
}

static std::string print(const Type *type) {
  std::string text;
  raw_string_ostream(text) << *type;
  return text;
}

namespace {

/// Compares the two layouts.
class LayoutCheck {
public:
  LayoutCheck(const DataLayout &gpu, const DataLayout &host)
      : gpu(gpu), host(host) {}

  /// Checks that a pointer is to global, shared, constant, private or tensor
  /// memory, or generic.
  Result<void> checkSpace(const Type *type) const {
    auto *pointer = dyn_cast<PointerType>(type->getScalarType());
    if (!pointer || is_contained({0u, 1u, sharedSpace, 4u, 5u, tensorSpace},
                                 pointer->getAddressSpace()))
      return {};
    return tonno::Error{"address space " +
                        std::to_string(pointer->getAddressSpace()) +
                        " cannot be simulated"};
  }

  /// Checks that a type in memory has the same size on the host as on the GPU.
  Result<void> checkInMemory(Type *type) const {
    if (!type->isSized() ||
        gpu.getTypeAllocSize(type) == host.getTypeAllocSize(type))
      return {};
    return tonno::Error{
        "'" + print(type) +
        "' in memory cannot be simulated: its size differs on the host"};
  }

  Result<void> check(Instruction &instruction) const {
    for (const Use &operand : instruction.operands())
      TONNO_TRY(checkSpace(operand->getType()));
    TONNO_TRY(checkSpace(instruction.getType()));
    if (auto *slot = dyn_cast<AllocaInst>(&instruction))
      return checkInMemory(slot->getAllocatedType());
    if (auto *gep = dyn_cast<GEPOperator>(&instruction))
      return checkInMemory(gep->getSourceElementType());
    if (isa<LoadInst, StoreInst>(instruction))
      return checkInMemory(getLoadStoreType(&instruction));
    if (isa<IntToPtrInst>(instruction) &&
        !is_contained({sharedSpace, tensorSpace},
                      instruction.getType()->getPointerAddressSpace()) &&
        gpu.getPointerTypeSize(instruction.getType()) !=
            host.getPointerTypeSize(instruction.getType()))
      return tonno::Error{
          "an integer as '" + print(instruction.getType()) +
          "' cannot be simulated: the type is too narrow for the host"};
    return {};
  }

private:
  const DataLayout &gpu;
  const DataLayout &host;
};

} // namespace

Result<void> tonno::checkMemory(const Module &module, const DataLayout &host) {
  LayoutCheck layouts(module.getDataLayout(), host);
  for (const GlobalVariable &global : module.globals()) {
    TONNO_TRY(layouts.checkSpace(global.getType()));
    TONNO_TRY(layouts.checkInMemory(global.getValueType()));
  }
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      TONNO_TRY(layouts.check(const_cast<Instruction &>(instruction)));
  return {};
}

namespace {
/// A global of shared memory and where it goes.
struct Placement {
  GlobalVariable *global;
  uint64_t offset;
  uint64_t bytes; ///< 0: as many as a launch asks for
};
} // namespace

/// Returns the offset of a global: aligned, with a redzone before it.
static uint64_t place(uint64_t end, const GlobalVariable &global) {
  uint64_t alignment =
      std::max<uint64_t>(global.getAlign().valueOrOne().value(), 128);
  return alignTo(end + simRedzoneBytes, alignment);
}

static std::vector<GlobalVariable *> sharedGlobals(Module &module) {
  std::vector<GlobalVariable *> globals;
  for (GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == sharedSpace)
      globals.push_back(&global);
    else if (!global.isDeclaration() && !global.getName().starts_with("llvm."))
      global.setLinkage(GlobalValue::InternalLinkage);
  return globals;
}

/// Places globals with a size in order, then those without a size, at one
/// offset.
static std::vector<Placement>
assignOffsets(ArrayRef<GlobalVariable *> globals) {
  std::vector<Placement> placements;
  std::vector<GlobalVariable *> dynamic;
  uint64_t end = 0, dynamicOffset = 0;
  for (GlobalVariable *global : globals) {
    const DataLayout &layout = global->getDataLayout();
    uint64_t bytes = layout.getTypeAllocSize(global->getValueType());
    if (!bytes || global->isDeclaration()) {
      dynamic.push_back(global);
      continue;
    }
    placements.push_back({global, place(end, *global), bytes});
    end = placements.back().offset + bytes;
  }
  for (const GlobalVariable *global : dynamic)
    dynamicOffset = std::max(dynamicOffset, place(end, *global));
  for (GlobalVariable *global : dynamic)
    placements.push_back({global, dynamicOffset, 0});
  return placements;
}

/// Creates the array of SimArea.
static GlobalVariable *describeAreas(Module &module, GlobalVariable *memory,
                                     ArrayRef<Placement> placements,
                                     uint64_t &count) {
  LLVMContext &context = module.getContext();
  auto *word = Type::getInt64Ty(context);
  auto *area = StructType::get(PointerType::get(context, 0), word);
  std::vector<Constant *> areas;
  for (const Placement &placement : placements)
    if (placement.bytes)
      areas.push_back(
          ConstantStruct::get(area, {addressIn(*memory, placement.offset),
                                     ConstantInt::get(word, placement.bytes)}));
  count = areas.size();
  auto *type = ArrayType::get(area, areas.size());
  return new GlobalVariable(module, type, /*isConstant=*/true,
                            GlobalValue::InternalLinkage,
                            ConstantArray::get(type, areas), "areas");
}

/// Returns true if an integer becomes a pointer to shared memory in it.
static bool hasSharedAddress(Constant *constant) {
  auto *expression = dyn_cast<ConstantExpr>(constant);
  if (!expression)
    return false;
  if (expression->getOpcode() == Instruction::IntToPtr &&
      expression->getType()->getPointerAddressSpace() == sharedSpace)
    return true;
  return any_of(expression->operands(), [](const Use &operand) {
    return hasSharedAddress(cast<Constant>(operand));
  });
}

/// Makes instructions of constants in which integers become pointers to shared
/// memory.
static void expandSharedAddresses(Function &function) {
  std::vector<Instruction *> pending;
  for (Instruction &instruction : instructions(function))
    pending.push_back(&instruction);
  while (!pending.empty()) {
    Instruction *user = pending.back();
    pending.pop_back();
    for (Use &operand : user->operands()) {
      auto *constant = dyn_cast<Constant>(operand);
      if (!constant || !hasSharedAddress(constant))
        continue;
      auto *phi = dyn_cast<PHINode>(user);
      Instruction *place =
          phi ? phi->getIncomingBlock(operand)->getTerminator() : user;
      Instruction *expanded = cast<ConstantExpr>(constant)->getAsInstruction();
      expanded->insertBefore(place->getIterator());
      operand.set(expanded);
      pending.push_back(expanded);
    }
  }
}

/// Addresses in shared memory have 32 bits on GPUs. Returns the host's pointer
/// with those, which lies in `memory`.
static void widenSharedAddresses(Module &module, GlobalVariable &memory) {
  for (Function &function : module) {
    expandSharedAddresses(function);
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *cast = dyn_cast<IntToPtrInst>(&instruction);
      if (!cast || cast->getAddressSpace() != sharedSpace)
        continue;
      IRBuilder<> ir(cast);
      Type *half = ir.getInt32Ty();
      Value *offset = ir.CreateSub(
          ir.CreateZExtOrTrunc(cast->getOperand(0), half),
          ir.CreateTrunc(ir.CreatePtrToInt(&memory, ir.getInt64Ty()), half));
      Value *pointer = ir.CreateGEP(ir.getInt8Ty(), &memory,
                                    ir.CreateZExt(offset, ir.getInt64Ty()));
      cast->replaceAllUsesWith(
          ir.CreateAddrSpaceCast(pointer, cast->getType()));
      cast->eraseFromParent();
    }
  }
}

Result<SimStorage> tonno::placeSharedMemory(Module &module,
                                            uint64_t dynamicBytes) {
  std::vector<GlobalVariable *> globals = sharedGlobals(module);
  for (const GlobalVariable *global : globals)
    if (global->hasInitializer() && !isa<UndefValue>(global->getInitializer()))
      return tonno::Error{
          "shared memory with an initial value cannot be simulated: " +
          global->getName().str()};
  std::vector<Placement> placements = assignOffsets(globals);
  SimStorage storage = {};
  uint64_t total = 0;
  for (const Placement &placement : placements) {
    if (!placement.bytes) {
      storage.dynamicOffset = placement.offset;
      storage.dynamicBytes = dynamicBytes;
    }
    total = placement.offset +
            (placement.bytes ? placement.bytes : dynamicBytes) +
            simRedzoneBytes;
  }
  auto *type = ArrayType::get(Type::getInt8Ty(module.getContext()), total);
  storage.memory = new GlobalVariable(
      module, type, /*isConstant=*/false, GlobalValue::InternalLinkage,
      ConstantAggregateZero::get(type), "shared_memory");
  storage.memory->setAlignment(Align(1024));
  storage.areas =
      describeAreas(module, storage.memory, placements, storage.areaCount);
  for (const Placement &placement : placements) {
    Constant *start = addressIn(*storage.memory, placement.offset);
    placement.global->replaceAllUsesWith(
        ConstantExpr::getAddrSpaceCast(start, placement.global->getType()));
    placement.global->eraseFromParent();
  }
  widenSharedAddresses(module, *storage.memory);
  return storage;
}

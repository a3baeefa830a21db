//===- GPU code for the simulated device ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimRetarget.h"

#include "LLVMEmission.h"
#include "SimCall.h"
#include "SimMemory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Target/TargetMachine.h"

#include <set>

using namespace llvm;
using namespace tonno;

static bool isKernel(const Function &function) {
  return function.getCallingConv() == CallingConv::PTX_Kernel ||
         function.getCallingConv() == CallingConv::AMDGPU_KERNEL;
}

static Result<void> checkParameters(const Function &function) {
  for (const Argument &argument : function.args()) {
    bool isPlain = !argument.hasByValAttr() && !argument.hasByRefAttr();
    if (!isPlain || (isKernel(function) && !argument.getType()->isPointerTy()))
      return tonno::Error{"parameter " + std::to_string(argument.getArgNo()) +
                          " of '" + function.getName().str() +
                          "' cannot be simulated: not a plain pointer"};
  }
  return {};
}

/// Removes attributes that are specific to the GPU, and guarantees that another
/// thread may break while this one waits.
static void clearAttributes(Function &function) {
  function.setAttributes({});
  function.addFnAttr(Attribute::NoUnwind);
  // Steps over no guard below a stack, however large the frame.
  function.addFnAttr("probe-stack", "inline-asm");
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || isa<IntrinsicInst>(call))
      continue;
    bool convergent = call->isConvergent();
    call->setAttributes({});
    if (convergent)
      call->setConvergent();
  }
}

/// Declares the object that the device reads. Protected: the module's code
/// accesses it without the loader.
static GlobalVariable *declareObject(Module &module) {
  LLVMContext &context = module.getContext();
  auto *half = Type::getInt32Ty(context);
  auto *word = Type::getInt64Ty(context);
  auto *pointer = PointerType::get(context, 0);
  auto *type = StructType::get(
      context, {half, half, half, half, pointer, pointer, word, pointer, word});
  auto *object = new GlobalVariable(module, type, /*isConstant=*/false,
                                    GlobalValue::ExternalLinkage, nullptr,
                                    simObjectSymbol);
  object->setVisibility(GlobalValue::ProtectedVisibility);
  object->setDSOLocal(true);
  return object;
}

static void defineObject(GlobalVariable &object, uint32_t subgroupSize,
                         bool readsAsync, const SimStorage &storage) {
  auto *type = cast<StructType>(object.getValueType());
  auto number = [&](unsigned field, uint64_t value) -> Constant * {
    return ConstantInt::get(type->getElementType(field), value);
  };
  Constant *null = Constant::getNullValue(type->getElementType(4));
  Constant *dynamic = null;
  if (storage.dynamicBytes)
    dynamic = addressIn(*storage.memory, storage.dynamicOffset);
  object.setInitializer(
      ConstantStruct::get(type, {number(0, simVersion), number(1, subgroupSize),
                                 number(2, readsAsync), number(3, 0), null,
                                 storage.areas, number(6, storage.areaCount),
                                 dynamic, number(8, storage.dynamicBytes)}));
}

static bool replaceCall(CallInst &call, SimModule &module) {
  SimCall replaceable(call, module);
  if (auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand()))
    return replacePtxAssembly(replaceable, assembly->getAsmString());
  return replaceNvvmCall(replaceable) || replaceAmdgcnCall(replaceable);
}

static bool isForeign(const CallInst &call) {
  const Function *function = call.getCalledFunction();
  return call.isInlineAsm() ||
         (function && (function->getName().starts_with("llvm.nvvm.") ||
                       function->getName().starts_with("llvm.amdgcn.") ||
                       function->getName().starts_with("llvm.r600.")));
}

static std::string describe(const CallInst &call) {
  if (const Function *function = call.getCalledFunction())
    return function->getName().str();
  auto *assembly = cast<InlineAsm>(call.getCalledOperand());
  return "the assembly \"" + assembly->getAsmString().str() + "\"";
}

static Result<void> replaceCalls(SimModule &module) {
  std::set<std::string> unknown;
  for (Function &function : module.module)
    for (Instruction &instruction :
         make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (call && isForeign(*call) && !replaceCall(*call, module))
        unknown.insert(describe(*call));
    }
  if (unknown.empty())
    return {};
  return tonno::Error{"cannot be simulated: " + llvm::join(unknown, ", ")};
}

/// Creates `void symbol(void **pointers)`, which calls a kernel.
static void makeEntry(Function &kernel) {
  std::string name = kernel.getName().str();
  kernel.setName(name + ".thread");
  kernel.setCallingConv(CallingConv::C);
  kernel.setLinkage(GlobalValue::InternalLinkage);
  kernel.setVisibility(GlobalValue::DefaultVisibility);
  IRBuilder<> ir(kernel.getContext());
  auto *type = FunctionType::get(ir.getVoidTy(), {ir.getPtrTy()}, false);
  auto *entry = Function::Create(type, GlobalValue::ExternalLinkage, name,
                                 kernel.getParent());
  ir.SetInsertPoint(BasicBlock::Create(kernel.getContext(), "", entry));
  std::vector<Value *> arguments;
  for (const Argument &argument : kernel.args())
    arguments.push_back(ir.CreateLoad(
        argument.getType(),
        ir.CreateConstInBoundsGEP1_64(ir.getPtrTy(), entry->getArg(0),
                                      argument.getArgNo())));
  ir.CreateCall(&kernel, arguments);
  ir.CreateRetVoid();
  clearAttributes(*entry);
}

/// Returns the kernels behind the entries.
static std::vector<Function *> makeEntries(Module &module) {
  std::vector<Function *> kernels;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    clearAttributes(function);
    if (isKernel(function))
      kernels.push_back(&function);
    else
      function.setLinkage(GlobalValue::InternalLinkage);
  }
  for (Function *kernel : kernels)
    makeEntry(*kernel);
  return kernels;
}

static bool mentionsBFloat(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (instruction.getType()->getScalarType()->isBFloatTy())
        return true;
  return false;
}

/// Defines the function that converts float or double to bfloat, which hosts
/// without such instructions call, and which the C library may lack. Rounds to
/// the nearest even, by way of float: from double twice, unlike the hosts' own
/// function.
static void defineTruncation(Module &module, StringRef name, Type *from) {
  IRBuilder<> ir(module.getContext());
  if (module.getFunction(name))
    return;
  auto *function =
      Function::Create(FunctionType::get(ir.getBFloatTy(), {from}, false),
                       GlobalValue::ExternalLinkage, name, module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->addFnAttr(Attribute::NoUnwind);
  ir.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  Value *value = ir.CreateFPCast(function->getArg(0), ir.getFloatTy());
  Value *bits = ir.CreateBitCast(value, ir.getInt32Ty());
  Value *odd = ir.CreateAnd(ir.CreateLShr(bits, 16), 1);
  Value *rounded = ir.CreateAdd(bits, ir.CreateAdd(odd, ir.getInt32(0x7fff)));
  Value *quiet = ir.CreateOr(bits, 0x400000);
  Value *isNaN = ir.CreateFCmpUNO(value, value);
  Value *upper = ir.CreateLShr(ir.CreateSelect(isNaN, quiet, rounded), 16);
  Value *half = ir.CreateTrunc(upper, ir.getInt16Ty());
  ir.CreateRet(ir.CreateBitCast(half, ir.getBFloatTy()));
}

Result<void> tonno::retargetForSimulation(Module &module, TargetMachine &host,
                                          const SimOptions &options) {
  for (const Function &function : module)
    if (!function.isDeclaration())
      TONNO_TRY(checkParameters(function));
  TONNO_TRY(checkMemory(module, host.createDataLayout()));
  std::vector<Function *> kernels = makeEntries(module);
  auto storage =
      TONNO_TRY(placeSharedMemory(module, options.dynamicSharedBytes));
  module.setDataLayout(host.createDataLayout());
  GlobalVariable *object = declareObject(module);
  bool readsAsync = multipliesShared(module);
  defineObject(*object, options.subgroupSize, readsAsync, storage);
  for (Function *kernel : kernels)
    checkAccesses(*kernel, *object);
  if (readsAsync)
    reportSharedStores(module, *object);
  SimModule simulated = {module, options.subgroupSize, options.hasFnuz, object};
  TONNO_TRY(replaceCalls(simulated));
  if (mentionsBFloat(module)) {
    defineTruncation(module, "__truncsfbf2",
                     Type::getFloatTy(module.getContext()));
    defineTruncation(module, "__truncdfbf2",
                     Type::getDoubleTy(module.getContext()));
  }
  setTarget(module, host);
  return {};
}

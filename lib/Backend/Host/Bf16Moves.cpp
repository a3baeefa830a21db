//===- bf16 is moved as integers ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Bf16Moves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

static bool isBf16(const Value *value) {
  return value->getType()->getScalarType()->isBFloatTy();
}

/// As many integers of the same bits; other types are themselves.
static Type *integerType(Type *type) {
  return type->getScalarType()->isBFloatTy()
             ? type->getWithNewType(Type::getInt16Ty(type->getContext()))
             : type;
}

static bool holdsBf16(Type *type) {
  while (auto *array = dyn_cast<ArrayType>(type))
    type = array->getElementType();
  return type->getScalarType()->isBFloatTy();
}

static Value *extract(IRBuilder<> &builder, Value *array, unsigned index) {
  Value *inserted = FindInsertedValue(array, index);
  return inserted ? inserted : builder.CreateExtractValue(array, index);
}

/// Of a vector's rows, which come as an array, each has a phi of its own: no
/// cast takes an array of vectors. Appends those that are arrays themselves.
static void splitPhi(PHINode &phi, SmallVectorImpl<PHINode *> &arrays) {
  auto *type = cast<ArrayType>(phi.getType());
  IRBuilder<> after(phi.getParent(), phi.getParent()->getFirstInsertionPt());
  Value *whole = PoisonValue::get(type);
  for (unsigned row = 0; row < type->getNumElements(); ++row) {
    IRBuilder<> builder(&phi);
    PHINode *part =
        builder.CreatePHI(type->getElementType(), phi.getNumIncomingValues());
    for (auto [value, block] : zip(phi.incoming_values(), phi.blocks())) {
      // Edges of one block have one value.
      int known = part->getBasicBlockIndex(block);
      IRBuilder<> end(block->getTerminator());
      part->addIncoming(known < 0 ? extract(end, value, row)
                                  : part->getIncomingValue(known),
                        block);
    }
    if (part->getType()->isArrayTy())
      arrays.push_back(part);
    whole = after.CreateInsertValue(whole, part, row);
  }
  phi.replaceAllUsesWith(whole);
  phi.eraseFromParent();
}

static void splitPhis(Function &function) {
  SmallVector<PHINode *> arrays;
  for (Instruction &instruction : instructions(function))
    if (auto *phi = dyn_cast<PHINode>(&instruction))
      if (phi->getType()->isArrayTy() && holdsBf16(phi->getType()))
        arrays.push_back(phi);
  if (arrays.empty())
    return;
  while (!arrays.empty())
    splitPhi(*arrays.pop_back_val(), arrays);
  SmallVector<WeakTrackingVH> dead;
  for (Instruction &instruction : instructions(function))
    if (auto *get = dyn_cast<ExtractValueInst>(&instruction))
      if (Value *inserted = FindInsertedValue(get->getAggregateOperand(),
                                              get->getIndices())) {
        get->replaceAllUsesWith(inserted);
        dead.push_back(get);
      }
  for (Instruction &instruction : instructions(function))
    if (isa<InsertValueInst>(instruction) && instruction.use_empty())
      dead.push_back(&instruction);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
}

static bool isMove(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Load:
  case Instruction::Store:
  case Instruction::PHI:
  case Instruction::Select:
  case Instruction::Freeze:
  case Instruction::ShuffleVector:
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
    return true;
  default:
    break;
  }
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_store:
  case Intrinsic::masked_gather:
  case Intrinsic::masked_scatter:
  case Intrinsic::vector_extract:
  case Intrinsic::vector_insert:
    return true;
  default:
    return false;
  }
}

/// An intrinsic whose operands and result have new types.
static void renameIntrinsic(IntrinsicInst &call) {
  SmallVector<Type *> parameters;
  for (Value *argument : call.args())
    parameters.push_back(argument->getType());
  auto *type =
      FunctionType::get(call.getType(), parameters, /*isVarArg=*/false);
  SmallVector<Type *> overloads;
  [[maybe_unused]] bool matches =
      Intrinsic::getIntrinsicSignature(call.getIntrinsicID(), type, overloads);
  assert(matches && "the types of all operands went along");
  call.setCalledFunction(Intrinsic::getOrInsertDeclaration(
      call.getModule(), call.getIntrinsicID(), overloads));
}

/// Between integers and the numbers around a move stand casts, of which
/// `foldCasts` leaves what stands beside arithmetic.
static void moveIntegers(Instruction &move) {
  for (Use &operand : move.operands()) {
    if (!isBf16(operand))
      continue;
    auto *phi = dyn_cast<PHINode>(&move);
    BasicBlock *from = phi ? phi->getIncomingBlock(operand) : nullptr;
    IRBuilder<> builder(phi ? from->getTerminator() : &move);
    Value *bits =
        builder.CreateBitCast(operand, integerType(operand->getType()));
    if (phi)
      phi->setIncomingValueForBlock(from, bits);
    else
      operand.set(bits);
  }
  if (isBf16(&move)) {
    Type *type = move.getType();
    if (isa<FPMathOperator>(move))
      move.copyFastMathFlags(FastMathFlags());
    move.mutateType(integerType(type));
    IRBuilder<> builder(move.getParent(), *move.getInsertionPointAfterDef());
    Value *number = builder.Insert(new BitCastInst(&move, type));
    move.replaceUsesWithIf(number,
                           [&](Use &use) { return use.getUser() != number; });
  }
  if (auto *call = dyn_cast<IntrinsicInst>(&move))
    renameIntrinsic(*call);
}

static void foldCasts(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *cast = dyn_cast<BitCastInst>(&instruction)) {
      while (auto *before = dyn_cast<BitCastInst>(cast->getOperand(0)))
        cast->setOperand(0, before->getOperand(0));
      if (cast->getSrcTy() == cast->getDestTy())
        cast->replaceAllUsesWith(cast->getOperand(0));
    }
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (isa<BitCastInst>(instruction) && instruction.use_empty())
      instruction.eraseFromParent();
}

/// LLVM narrows it from f32 where it gives the same, for CPUs that widen it.
static void widenArithmetic(Instruction &narrow) {
  IRBuilder<> builder(&narrow);
  Instruction *wide = narrow.clone();
  for (Use &operand : wide->operands())
    operand.set(builder.CreateFPExt(
        operand, operand->getType()->getWithNewType(builder.getFloatTy())));
  Value *result = builder.Insert(wide);
  if (isBf16(&narrow)) {
    wide->mutateType(narrow.getType()->getWithNewType(builder.getFloatTy()));
    result = builder.CreateFPTrunc(wide, narrow.getType());
  }
  narrow.replaceAllUsesWith(result);
  narrow.eraseFromParent();
}

void tonno::moveBf16AsIntegers(Module &module, const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return;
  for (Function &function : module) {
    for (Instruction &instruction :
         make_early_inc_range(instructions(function)))
      if (isa<BinaryOperator, FCmpInst, UnaryOperator>(instruction) &&
          isBf16(instruction.getOperand(0)))
        widenArithmetic(instruction);
    splitPhis(function);
    SmallVector<Instruction *> moves;
    for (Instruction &instruction : instructions(function))
      if (isMove(instruction) && (isBf16(&instruction) ||
                                  any_of(instruction.operand_values(), isBf16)))
        moves.push_back(&instruction);
    if (moves.empty())
      continue;
    for (Instruction *move : moves)
      moveIntegers(*move);
    foldCasts(function);
  }
}

//===- 16-bit floats in LLVM IR for x86 -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NarrowFloats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

static bool isBf16(const Value *value) {
  return value->getType()->getScalarType()->isBFloatTy();
}

/// Returns the type with bf16 replaced by i16; other types are unchanged.
static Type *integerType(Type *type) {
  return type->getScalarType()->isBFloatTy()
             ? type->getWithNewType(Type::getInt16Ty(type->getContext()))
             : type;
}

static bool containsBf16(Type *type) {
  while (auto *array = dyn_cast<ArrayType>(type))
    type = array->getElementType();
  return type->getScalarType()->isBFloatTy();
}

static Value *extract(IRBuilder<> &builder, Value *array, unsigned index) {
  Value *inserted = FindInsertedValue(array, index);
  return inserted ? inserted : builder.CreateExtractValue(array, index);
}

/// Splits a phi of an array of vectors into one phi for each row, since no cast
/// takes an array of vectors:
///
///   %p = phi [2 x <8 x bfloat>] [%a, %then], [%b, %else]
///
/// becomes
///
///   %p0 = phi <8 x bfloat> [%a0, %then], [%b0, %else]
///   %p1 = phi <8 x bfloat> [%a1, %then], [%b1, %else]
///
/// Appends the new phis that are of arrays themselves to `arrays`.
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
      if (phi->getType()->isArrayTy() && containsBf16(phi->getType()))
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

/// Redeclares an intrinsic whose operands and result have new types.
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

/// Replaces a move of numbers by one of integers, with casts around it;
/// `foldCasts` keeps only those next to arithmetic.
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

/// Widens arithmetic to f32. LLVM narrows it again where results are equal, for
/// CPUs that widen it themselves.
static void widenArithmetic(Instruction &narrow) {
  IRBuilder<> builder(&narrow);
  Instruction *wide = narrow.clone();
  for (Use &operand : wide->operands())
    if (isBf16(operand)) // not the callee
      operand.set(builder.CreateFPExt(
          operand, operand->getType()->getWithNewType(builder.getFloatTy())));
  Value *result = builder.Insert(wide);
  if (isBf16(&narrow)) {
    wide->mutateType(narrow.getType()->getWithNewType(builder.getFloatTy()));
    result = builder.CreateFPTrunc(wide, narrow.getType());
  }
  if (auto *call = dyn_cast<IntrinsicInst>(wide))
    renameIntrinsic(*call);
  narrow.replaceAllUsesWith(result);
  narrow.eraseFromParent();
}

/// Clears the sign of a number.
static void clearSign(IntrinsicInst &fabs) {
  constexpr uint16_t magnitude = 0x7fff;
  IRBuilder<> builder(&fabs);
  Type *type = fabs.getType();
  Value *bits = builder.CreateBitCast(fabs.getArgOperand(0), integerType(type));
  fabs.replaceAllUsesWith(
      builder.CreateBitCast(builder.CreateAnd(bits, magnitude), type));
  fabs.eraseFromParent();
}

/// Replaces intrinsics that LLVM has narrowed, since their results are numbers
/// of the narrow type: the code generator cannot split vectors of odd lengths.
static void replaceIntrinsic(IntrinsicInst &narrow) {
  switch (narrow.getIntrinsicID()) {
  case Intrinsic::fabs:
    return clearSign(narrow);
  case Intrinsic::ceil:
  case Intrinsic::floor:
  case Intrinsic::nearbyint:
  case Intrinsic::rint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::trunc:
    return widenArithmetic(narrow);
  default:
    return;
  }
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
      else if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
               call && isBf16(call))
        replaceIntrinsic(*call);
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

/// Rounds f64 to odd in f32, so that a second rounding to a narrower type is
/// not a double rounding.
static constexpr char oddRounding[] = R"(
define internal float @__tonno_round_to_odd(double %d) {
  %nearest = fptrunc double %d to float
  %back = fpext float %nearest to double
  %bits = bitcast float %nearest to i32
  %last = and i32 %bits, 1
  %isEven = icmp eq i32 %last, 0
  %isInexact = fcmp one double %back, %d
  %moves = and i1 %isEven, %isInexact
  %doubleBits = bitcast double %d to i64
  %backBits = bitcast double %back to i64
  %magnitude = and i64 %doubleBits, 9223372036854775807
  %backMagnitude = and i64 %backBits, 9223372036854775807
  %isBeyond = icmp ugt i64 %backMagnitude, %magnitude
  %step = select i1 %isBeyond, i32 -1, i32 1
  %moved = add i32 %bits, %step
  %oddBits = select i1 %moves, i32 %moved, i32 %bits
  %odd = bitcast i32 %oddBits to float
  ret float %odd
}
)";

/// An exponent is moved by multiplying with 2^112, which sets that of
/// subnormals, too. Into f16 subnormals are rounded by adding what has their
/// last bit in its own; others by half of it, less one where they are even.
static constexpr char halfFunctions[] = R"(
define internal float @__extendhfsf2(half %h) {
  %bits = bitcast half %h to i16
  %wide = zext i16 %bits to i32
  %magnitude = and i32 %wide, 32767
  %shifted = shl i32 %magnitude, 13
  %small = bitcast i32 %shifted to float
  %scaled = fmul float %small, 0x46F0000000000000
  %scaledBits = bitcast float %scaled to i32
  %isFinite = icmp ult i32 %magnitude, 31744
  %exponent = select i1 %isFinite, i32 0, i32 2139095040
  %signless = or i32 %scaledBits, %exponent
  %signBit = and i32 %wide, 32768
  %sign = shl i32 %signBit, 16
  %resultBits = or i32 %signless, %sign
  %result = bitcast i32 %resultBits to float
  ret float %result
}

define internal half @__truncsfhf2(float %f) {
  %bits = bitcast float %f to i32
  %magnitude = and i32 %bits, 2147483647
  %isNan = icmp ugt i32 %magnitude, 2139095040
  %large = select i1 %isNan, i32 32256, i32 31744
  %value = bitcast i32 %magnitude to float
  %raised = fadd float %value, 5.000000e-01
  %raisedBits = bitcast float %raised to i32
  %subnormal = sub i32 %raisedBits, 1056964608
  %down = lshr i32 %magnitude, 13
  %odd = and i32 %down, 1
  %moved = sub i32 %magnitude, 939520001
  %rounded = add i32 %moved, %odd
  %normal = lshr i32 %rounded, 13
  %isLarge = icmp uge i32 %magnitude, 1199570944
  %isSmall = icmp ult i32 %magnitude, 947912704
  %finite = select i1 %isSmall, i32 %subnormal, i32 %normal
  %signless = select i1 %isLarge, i32 %large, i32 %finite
  %signBit = lshr i32 %bits, 16
  %sign = and i32 %signBit, 32768
  %wide = or i32 %signless, %sign
  %resultBits = trunc i32 %wide to i16
  %result = bitcast i16 %resultBits to half
  ret half %result
}
)";

static constexpr char doubleToHalf[] = R"(
define internal half @__truncdfhf2(double %d) {
  %odd = call float @__tonno_round_to_odd(double %d)
  %result = fptrunc float %odd to half
  ret half %result
}
)";

/// The upper half of an f32, rounded as its last bit says. A NaN stays one.
static constexpr char bf16Functions[] = R"(
define internal bfloat @__truncdfbf2(double %d) {
  %odd = call float @__tonno_round_to_odd(double %d)
  %bits = bitcast float %odd to i32
  %isNan = fcmp uno float %odd, 0.000000e+00
  %quiet = or i32 %bits, 4194304
  %down = lshr i32 %bits, 16
  %last = and i32 %down, 1
  %half = add i32 %last, 32767
  %rounded = add i32 %bits, %half
  %wide = select i1 %isNan, i32 %quiet, i32 %rounded
  %upper = lshr i32 %wide, 16
  %resultBits = trunc i32 %upper to i16
  %result = bitcast i16 %resultBits to bfloat
  ret bfloat %result
}
)";

static bool hasHalf(Module &module) {
  auto isHalf = [](const Value *value) {
    return value->getType()->getScalarType()->isHalfTy();
  };
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isHalf(&instruction) || any_of(instruction.operand_values(), isHalf))
        return true;
  return false;
}

static bool roundsDoubles(Module &module, Type *to) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isa<FPTruncInst>(instruction) &&
          instruction.getType()->getScalarType() == to &&
          instruction.getOperand(0)->getType()->getScalarType()->isDoubleTy())
        return true;
  return false;
}

/// Returns true if the module has half-precision fma, which LLVM computes in
/// f64.
static bool fusesHalves(Module &module) {
  return any_of(module, [](const Function &function) {
    auto id = function.getIntrinsicID();
    return (id == Intrinsic::fma || id == Intrinsic::fmuladd) &&
           function.getReturnType()->getScalarType()->isHalfTy();
  });
}

static void addFunctions(Module &module, StringRef text) {
  SMDiagnostic error;
  if (parseAssemblyInto(MemoryBufferRef(text, "conversions"), &module,
                        /*Index=*/nullptr, error))
    report_fatal_error(error.getMessage());
}

void tonno::addHalfConversions(Module &module, const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86())
    return;
  auto has = [&](StringRef feature) {
    return machine.getMCSubtargetInfo()->checkFeatures(feature);
  };
  LLVMContext &context = module.getContext();
  bool needsHalf = !has("+f16c") && hasHalf(module);
  bool needsDoubleToHalf =
      needsHalf || (!has("+avx512fp16") &&
                    (roundsDoubles(module, Type::getHalfTy(context)) ||
                     fusesHalves(module)));
  // No CPU of x86 has an instruction for it.
  bool needsBf16 = roundsDoubles(module, Type::getBFloatTy(context));
  if (needsDoubleToHalf || needsBf16)
    addFunctions(module, oddRounding);
  if (needsDoubleToHalf)
    addFunctions(module, doubleToHalf);
  if (needsHalf)
    addFunctions(module, halfFunctions);
  if (needsBf16)
    addFunctions(module, bf16Functions);
}

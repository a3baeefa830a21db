//===- Matrix instructions in MLIR ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/MatrixOps.h"

#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tonno;

/// Returns the factor before its extension; null if it is not extended.
template <typename ExtensionOp> static Value extended(Value value) {
  auto extension = value.getDefiningOp<ExtensionOp>();
  return extension ? extension.getIn() : Value();
}

/// Matches `sum + ext(a) * ext(b)`, in any order, with a and b the op's inputs.
template <typename AddOp, typename MultiplyOp, typename ExtensionOp>
static bool addsProducts(linalg::LinalgOp op) {
  auto add = dyn_cast_if_present<AddOp>(findCombiner(op));
  Value sum = op.getRegionOutputArgs().front();
  if (!add || add.getType() != sum.getType())
    return false;
  Value term = add.getLhs() == sum ? add.getRhs() : add.getLhs();
  auto product = term.getDefiningOp<MultiplyOp>();
  if (!product)
    return false;
  Value lhs = extended<ExtensionOp>(product.getLhs()),
        rhs = extended<ExtensionOp>(product.getRhs());
  auto inputs = op.getRegionInputArgs();
  return inputs.size() == 2 && ((lhs == inputs[0] && rhs == inputs[1]) ||
                                (lhs == inputs[1] && rhs == inputs[0]));
}

std::span<const MatrixInstruction>
tonno::findMatrixInstructions(linalg::LinalgOp op, const GpuChip &chip) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return {};
  auto elementOf = [](Value value) { return getElementTypeOrSelf(value); };
  Type factor = elementOf(op.getDpsInputs()[0]);
  Type sum = elementOf(op.getDpsInits()[0]);
  if (factor != elementOf(op.getDpsInputs()[1]))
    return {};
  // On tensors, before the sums are widened.
  if (sumsNarrowProducts(op))
    return factor == sum && (factor.isF16() || factor.isBF16())
               ? matrixInstructions(chip,
                                    factor.isF16() ? ElementType::f16
                                                   : ElementType::bf16,
                                    ElementType::f32)
               : std::span<const MatrixInstruction>();
  if (sum.isF32() && (factor.isF16() || factor.isBF16()) &&
      addsProducts<arith::AddFOp, arith::MulFOp, arith::ExtFOp>(op))
    return matrixInstructions(
        chip, factor.isF16() ? ElementType::f16 : ElementType::bf16,
        ElementType::f32);
  if (sum.isSignlessInteger(32) && factor.isSignlessInteger(8) &&
      addsProducts<arith::AddIOp, arith::MulIOp, arith::ExtSIOp>(op))
    return matrixInstructions(chip, ElementType::i8, ElementType::i32);
  return {};
}

/// Returns the registers of a fragment as mma.sync takes them: pairs of f16,
/// else 32 bits each.
static SmallVector<Value> registersOf(ThreadCode &code, Value fragment) {
  auto type = cast<VectorType>(fragment.getType());
  Type element = type.getElementType();
  if (!element.isF16() && bytesOf(element) < 4) {
    int64_t count = type.getNumElements() * bytesOf(element) / 4;
    fragment = vector::BitCastOp::create(
        code.b, VectorType::get(count, code.b.getI32Type()), fragment);
  }
  int64_t width = element.isF16() ? 2 : 1;
  SmallVector<Value> registers;
  for (int64_t i = 0; i < cast<VectorType>(fragment.getType()).getNumElements();
       i += width)
    registers.push_back(code.slice(fragment, i, width));
  return registers;
}

static Value emitMmaSync(ThreadCode &code, const MatrixInstruction &instruction,
                         Value a, Value b, Value sums) {
  std::optional<NVVM::MMATypes> types;
  std::optional<NVVM::MMAIntOverflow> overflow;
  switch (instruction.operand) {
  case ElementType::f16:
    types = NVVM::MMATypes::f16;
    break;
  case ElementType::bf16:
    types = NVVM::MMATypes::bf16;
    break;
  default:
    types = NVVM::MMATypes::s8;
    overflow = NVVM::MMAIntOverflow::wrapped;
  }
  SmallVector<Value> ofSums = registersOf(code, sums);
  auto result = LLVM::LLVMStructType::getLiteral(
      code.b.getContext(),
      SmallVector<Type>(ofSums.size(), getElementTypeOrSelf(sums.getType())));
  auto product = NVVM::MmaOp::create(
      code.b, result, registersOf(code, a), registersOf(code, b), ofSums,
      ArrayRef<int64_t>{instruction.m, instruction.n, instruction.k},
      /*b1Op=*/std::nullopt, overflow, std::array{*types, *types},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  SmallVector<Value> elements;
  for (size_t i = 0; i < ofSums.size(); ++i)
    elements.push_back(LLVM::ExtractValueOp::create(
        code.b, product, ArrayRef<int64_t>{int64_t(i)}));
  return code.concatenate(elements);
}

Value tonno::emitMatrixOp(ThreadCode &code,
                          const MatrixInstruction &instruction, Value a,
                          Value b, Value sums) {
  switch (instruction.family) {
  case MatrixFamily::mfma:
    return amdgpu::MFMAOp::create(code.b, sums.getType(), instruction.m,
                                  instruction.n, instruction.k, /*blocks=*/1, a,
                                  b, sums);
  case MatrixFamily::wmma:
    return amdgpu::WMMAOp::create(code.b, sums.getType(), instruction.m,
                                  instruction.n, instruction.k, a, b, sums);
  case MatrixFamily::mmaSync:
    return emitMmaSync(code, instruction, a, b, sums);
  }
  llvm_unreachable("unknown family of instructions");
}

//===- Matrix instructions in MLIR ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/MatrixOps.h"

#include "tonno/Dialect/ElementTypes.h"
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
  auto getScalarType = [](Value value) { return getElementTypeOrSelf(value); };
  Type factor = getScalarType(op.getDpsInputs()[0]);
  Type sum = getScalarType(op.getDpsInits()[0]);
  if (factor != getScalarType(op.getDpsInputs()[1]))
    return {};
  // On tensors, before the sums are widened.
  if (sumsNarrowProducts(op))
    return factor == sum && (factor.isF16() || factor.isBF16())
               ? matrixInstructions(chip,
                                    factor.isF16() ? ElementType::f16
                                                   : ElementType::bf16,
                                    ElementType::f32)
               : std::span<const MatrixInstruction>();
  if (auto operand = findElementType(factor);
      operand && sum.isF32() && isa<FloatType>(factor) &&
      addsProducts<arith::AddFOp, arith::MulFOp, arith::ExtFOp>(op))
    return matrixInstructions(chip, *operand, ElementType::f32);
  if (sum.isSignlessInteger(32) && factor.isSignlessInteger(8) &&
      addsProducts<arith::AddIOp, arith::MulIOp, arith::ExtSIOp>(op))
    return matrixInstructions(chip, ElementType::i8, ElementType::i32);
  return {};
}

/// Returns the registers of a fragment as mma.sync takes them: pairs of f16,
/// else 32 bits each.
static SmallVector<Value> splitIntoRegisters(ThreadCode &code, Value fragment) {
  auto type = cast<VectorType>(fragment.getType());
  Type element = type.getElementType();
  if (!element.isF16() && getElementBytes(element) < 4) {
    int64_t count = type.getNumElements() * getElementBytes(element) / 4;
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

/// Extracts the sums from a struct of registers.
static Value fromStruct(ThreadCode &code, Value registers, size_t count) {
  SmallVector<Value> elements;
  for (size_t i = 0; i < count; ++i)
    elements.push_back(LLVM::ExtractValueOp::create(
        code.b, registers, ArrayRef<int64_t>{int64_t(i)}));
  return code.concatenate(elements);
}

/// Returns the intrinsic's name for an operand type of mma.sync that
/// nvvm.mma.sync does not support; empty for all other types.
static StringRef intrinsicType(ElementType operand) {
  return operand == ElementType::f8E4M3FN ? "e4m3"
         : operand == ElementType::f8E5M2 ? "e5m2"
                                          : "";
}

static Value emitMmaSync(ThreadCode &code, const MatrixInstruction &instruction,
                         Value a, Value b, Value sums) {
  SmallVector<Value> ofSums = splitIntoRegisters(code, sums);
  auto result = LLVM::LLVMStructType::getLiteral(
      code.b.getContext(),
      SmallVector<Type>(ofSums.size(), getElementTypeOrSelf(sums.getType())));
  if (StringRef type = intrinsicType(instruction.operand); !type.empty()) {
    std::string name = ("llvm.nvvm.mma.m" + Twine(instruction.m) + "n" +
                        Twine(instruction.n) + "k" + Twine(instruction.k) +
                        ".row.col.f32." + type + "." + type + ".f32")
                           .str();
    SmallVector<Value> operands = splitIntoRegisters(code, a);
    llvm::append_range(operands, splitIntoRegisters(code, b));
    llvm::append_range(operands, ofSums);
    auto call = LLVM::CallIntrinsicOp::create(
        code.b, result, code.b.getStringAttr(name), operands);
    return fromStruct(code, call.getResult(0), ofSums.size());
  }
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
  auto product = NVVM::MmaOp::create(
      code.b, result, splitIntoRegisters(code, a), splitIntoRegisters(code, b),
      ofSums, ArrayRef<int64_t>{instruction.m, instruction.n, instruction.k},
      /*b1Op=*/std::nullopt, overflow, std::array{*types, *types},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  return fromStruct(code, product, ofSums.size());
}

/// Returns true if the instruction takes scales, which are set to 1.
static bool hasScales(const MatrixInstruction &instruction) {
  return instruction.lhs.depth.elements * getByteSize(instruction.operand) ==
         32;
}

static Value emitMfma(ThreadCode &code, const MatrixInstruction &instruction,
                      Value a, Value b, Value sums) {
  if (!hasScales(instruction))
    return amdgpu::MFMAOp::create(code.b, sums.getType(), instruction.m,
                                  instruction.n, instruction.k, /*blocks=*/1, a,
                                  b, sums);
  Value one = code.constant(
      code.b.getFloatAttr(code.b.getType<Float8E8M0FNUType>(), 1.0),
      code.b.getType<Float8E8M0FNUType>());
  auto number = [&](uint32_t value) {
    return code.b.getI32IntegerAttr(static_cast<int32_t>(value));
  };
  return amdgpu::ScaledMFMAOp::create(
      code.b, sums.getType(), number(instruction.m), number(instruction.n),
      number(instruction.k), a, b, sums, one, one, number(0), number(0));
}

/// Returns a * b + sums for one subgroup; each is a lane's fragment.
static Value emitMatrixOp(ThreadCode &code,
                          const MatrixInstruction &instruction, Value a,
                          Value b, Value sums) {
  switch (instruction.family) {
  case MatrixFamily::mfma:
    return emitMfma(code, instruction, a, b, sums);
  case MatrixFamily::wmma:
    return amdgpu::WMMAOp::create(code.b, sums.getType(), instruction.m,
                                  instruction.n, instruction.k, a, b, sums);
  case MatrixFamily::mmaSync:
    return emitMmaSync(code, instruction, a, b, sums);
  case MatrixFamily::wgmma:
  case MatrixFamily::tcgen05:
    break; // have no fragments of factors
  }
  llvm_unreachable("unknown family of instructions");
}

void OrientedInstruction::forRuns(
    function_ref<void(int64_t, int64_t, int64_t)> emit) const {
  const Fragment &sums = own.sums;
  int64_t first = 0;
  for (uint32_t depth = 0; depth < sums.depth.outer; ++depth)
    for (uint32_t side = 0; side < sums.side.outer; ++side) {
      auto getStart = [&](const FragmentDimension &dimension) {
        return int64_t(&dimension == &sums.side ? side : depth) *
               dimension.lanes * dimension.elements;
      };
      emit(first, getStart(rowsOfSums()), getStart(columnsOfSums()));
      first += columnsOfSums().elements;
    }
}

void OrientedInstruction::addProducts(ThreadCode &code, ArrayRef<Value> ofRows,
                                      ArrayRef<Value> ofColumns,
                                      MutableArrayRef<Value> sums) const {
  for (auto [r, x] : llvm::enumerate(ofRows))
    for (auto [c, y] : llvm::enumerate(ofColumns)) {
      Value &sum = sums[r * ofColumns.size() + c];
      sum = transposed ? emitMatrixOp(code, own, y, x, sum)
                       : emitMatrixOp(code, own, x, y, sum);
    }
}

bool tonno::hasShortSums(const MatrixInstruction &instruction) {
  // DeepSeek-V3 Technical Report, section 3.3.2: wgmma sums up f8 with about 14
  // bits.
  return instruction.family == MatrixFamily::wgmma &&
         instruction.sum == ElementType::f32 &&
         getByteSize(instruction.operand) == 1;
}

int64_t tonno::countStepsInFlight(const MatrixInstruction &instruction,
                                  int64_t stages) {
  return instruction.family == MatrixFamily::wgmma && stages >= 4 &&
                 !hasShortSums(instruction)
             ? 1
             : 0;
}

Value tonno::takeRegisters(ThreadCode &code, Value registers) {
  auto type = cast<LLVM::LLVMStructType>(registers.getType());
  size_t count = type.getBody().size();
  SmallVector<std::string> constraints(
      count, type.getBody().front().isF32() ? "=f" : "=r");
  SmallVector<Value> operands;
  for (size_t i = 0; i < count; ++i) {
    constraints.push_back(std::to_string(i));
    operands.push_back(LLVM::ExtractValueOp::create(
        code.b, registers, ArrayRef<int64_t>{int64_t(i)}));
  }
  return LLVM::InlineAsmOp::create(code.b, type, operands, /*asm_string=*/"",
                                   llvm::join(constraints, ","),
                                   /*has_side_effects=*/true,
                                   /*is_align_stack=*/false,
                                   LLVM::tailcallkind::TailCallKind::None,
                                   /*asm_dialect=*/nullptr,
                                   /*operand_attrs=*/nullptr)
      .getResult(0);
}

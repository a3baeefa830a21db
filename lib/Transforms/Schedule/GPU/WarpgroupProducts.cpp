//===- Products by warpgroups ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/DescribedProducts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tonno;

namespace {

class WarpgroupProducts : public DescribedProducts {
public:
  WarpgroupProducts(const MatrixInstruction &instruction,
                    const ProductTiles &tiles)
      : DescribedProducts(instruction, tiles, tiles.subgroupColumns) {}

  void prepare(KernelLaunch &kernel, const SubgroupPlace &own) override {
    code = &kernel.code;
    place = own;
  }

  SmallVector<Value> add(const OperandCopy &leftCopy,
                         const OperandCopy &rightCopy, Value, Value stage,
                         ValueRange sums,
                         function_ref<void()> moveNext) override {
    auto [leftDescriptor, rightDescriptor] = describe(
        *code, leftCopy, rightCopy, stage, place.rowStart, place.columnStart);
    bool isShort = hasShortSums(instruction);
    SmallVector<Value> registers =
        isShort ? SmallVector<Value>(sums.size() / tilesAtOnce,
                                     LLVM::PoisonOp::create(code->b, getType()))
                : toRegisters(sums);
    NVVM::WgmmaFenceAlignedOp::create(code->b);
    for (int64_t k = 0; k < tiles.depth; k += instruction.k) {
      auto *own = registers.begin();
      for (int64_t row = 0; row < tiles.subgroupRows; row += instruction.m) {
        Value a = left.advance(*code, leftDescriptor, row, k);
        for (int64_t column = 0; column < tiles.subgroupColumns;
             column += columnsAtOnce(), ++own)
          *own = multiply(a, right.advance(*code, rightDescriptor, column, k),
                          *own, /*isFirst=*/isShort && k == 0);
      }
    }
    NVVM::WgmmaGroupSyncAlignedOp::create(code->b);
    moveNext();
    if (!isShort) {
      NVVM::WgmmaWaitGroupSyncOp::create(code->b, tiles.staging.inFlight);
      return fromRegisters(registers);
    }
    SmallVector<Value> all;
    for (auto [before, step] :
         llvm::zip_equal(sums, fromRegisters(await(registers))))
      all.push_back(arith::AddFOp::create(code->b, before, step));
    return all;
  }

  void finish(OpFoldResult, ValueRange sums) override {
    if (hasShortSums(instruction))
      complete.assign(sums.begin(), sums.end());
    else
      complete = fromRegisters(await(toRegisters(sums)));
  }
  Value getSums(size_t tile) override { return complete[tile]; }

private:
  /// Returns the type of the registers of an instruction's sums.
  Type getType() const {
    bool isReal = instruction.sum == ElementType::f32;
    Type element = isReal ? Type(code->b.getF32Type()) : code->b.getI32Type();
    return LLVM::LLVMStructType::getLiteral(
        code->b.getContext(),
        SmallVector<Type>(tilesAtOnce * instruction.sums.size(), element));
  }

  SmallVector<Value> toRegisters(ValueRange sums) const {
    SmallVector<Value> all;
    int64_t ofTile = instruction.sums.size();
    for (int64_t first = 0; first < int64_t(sums.size());
         first += tilesAtOnce) {
      Value registers = LLVM::PoisonOp::create(code->b, getType());
      for (int64_t i = 0; i < tilesAtOnce * ofTile; ++i)
        registers = LLVM::InsertValueOp::create(
            code->b, registers,
            code->slice(sums[first + i / ofTile], i % ofTile, 1),
            ArrayRef<int64_t>{i});
      all.push_back(registers);
    }
    return all;
  }

  SmallVector<Value> fromRegisters(ArrayRef<Value> all) const {
    SmallVector<Value> sums;
    int64_t ofTile = instruction.sums.size();
    for (Value registers : all)
      for (int64_t tile = 0; tile < tilesAtOnce; ++tile) {
        SmallVector<Value> elements;
        for (int64_t i = 0; i < ofTile; ++i)
          elements.push_back(LLVM::ExtractValueOp::create(
              code->b, registers, ArrayRef<int64_t>{tile * ofTile + i}));
        sums.push_back(code->concatenate(elements));
      }
    return sums;
  }

  Value multiply(Value a, Value b, Value sums, bool isFirst) const;

  /// Waits for all instructions. Returns the registers as values that exist
  /// only then, so that nothing uses them before.
  SmallVector<Value> await(ArrayRef<Value> all) const {
    NVVM::WgmmaWaitGroupSyncOp::create(code->b, 0);
    return llvm::map_to_vector(
        all, [&](Value registers) { return takeRegisters(*code, registers); });
  }

  ThreadCode *code = nullptr;
  SubgroupPlace place = {};
  SmallVector<Value> complete;
};

} // namespace

static NVVM::WGMMATypes operandType(ElementType type) {
  switch (type) {
  case ElementType::f16:
    return NVVM::WGMMATypes::f16;
  case ElementType::bf16:
    return NVVM::WGMMATypes::bf16;
  case ElementType::f8E4M3FN:
    return NVVM::WGMMATypes::e4m3;
  case ElementType::f8E5M2:
    return NVVM::WGMMATypes::e5m2;
  default:
    return NVVM::WGMMATypes::s8;
  }
}

Value WarpgroupProducts::multiply(Value a, Value b, Value sums,
                                  bool isFirst) const {
  MLIRContext *context = code->b.getContext();
  NVVM::WGMMATypes type = operandType(instruction.operand);
  bool isReal = instruction.sum == ElementType::f32;
  auto one = NVVM::WGMMAScaleIn::one;
  NVVM::MMAIntOverflowAttr overflow;
  if (!isReal)
    overflow =
        NVVM::MMAIntOverflowAttr::get(context, NVVM::MMAIntOverflow::wrapped);
  // The usual layout of either factor has rows along k.
  auto layout = [](const DescribedTile &tile, bool isLeft) {
    return tile.tile().runsAlongSide() == isLeft ? NVVM::MMALayout::col
                                                 : NVVM::MMALayout::row;
  };
  return NVVM::WgmmaMmaAsyncOp::create(
      code->b, sums.getType(), sums, a, b,
      NVVM::MMAShapeAttr::get(context, int(instruction.m), int(columnsAtOnce()),
                              int(instruction.k)),
      type, type, isReal ? NVVM::WGMMATypes::f32 : NVVM::WGMMATypes::s32,
      isFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one, one, one,
      layout(left, /*isLeft=*/true), layout(right, /*isLeft=*/false), overflow);
}

std::unique_ptr<TileProducts>
tonno::createWarpgroupProducts(const MatrixInstruction &instruction,
                               const ProductTiles &tiles) {
  return std::make_unique<WarpgroupProducts>(instruction, tiles);
}

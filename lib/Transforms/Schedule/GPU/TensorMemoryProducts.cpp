//===- Products with sums in tensor memory --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/MatrixDescriptor.h"
#include "Schedule/GPU/DescribedProducts.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tonno;

/// Longest time that a thread sleeps at a barrier before it looks again, in
/// nanoseconds.
static constexpr int64_t longestSleep = 10'000'000;

/// Address spaces of pointers in LLVM.
static constexpr unsigned sharedSpace = 3, tensorSpace = 6;

namespace {

/// tcgen05, issued by the first thread for the whole workgroup:
///
///     initialize a barrier for each stage; allocate; barrier of the workgroup
///     for step:
///       [first thread: issue the products; they arrive at the stage's barrier]
///       wait for the products of the step before: its stage can be filled
///       move the next tiles
///     wait for the last products
///     load sums, 32 columns of a subgroup's 32 lanes at a time
///     barrier of the workgroup; free
class TensorMemoryProducts : public DescribedProducts {
public:
  TensorMemoryProducts(const MatrixInstruction &instruction,
                       const ProductTiles &tiles)
      : DescribedProducts(instruction, tiles, tiles.columns) {}

  int64_t getSharedBytes() const override {
    return DescribedProducts::getSharedBytes() +
           int64_t(llvm::alignTo(4 * numControlWords(), descriptorAlignment));
  }
  bool carriesSums() const override { return false; }

  void prepare(KernelLaunch &launch, const SubgroupPlace &own) override {
    code = &launch.code;
    thread = launch.thread;
    place = own;
    control = launch.addShared({numControlWords()}, code->b.getI32Type());
    // First, while all lanes are together.
    code->doIf(code->isBelow(thread, place.subgroupSize), [&] {
      NVVM::Tcgen05AllocOp::create(code->b,
                                   toPointer(code->index(2 * numStages())),
                                   number(numColumns()));
      NVVM::Tcgen05RelinquishAllocPermitOp::create(code->b);
    });
    code->doIf(code->isBelow(thread, 1), [&] {
      for (int64_t stage = 0; stage < numStages(); ++stage)
        NVVM::MBarrierInitOp::create(code->b, getBarrier(code->index(stage)),
                                     number(1), /*predicate=*/nullptr);
      NVVM::FenceMbarrierInitOp::create(code->b);
    });
    code->barrier();
    base = memref::LoadOp::create(code->b, control,
                                  ValueRange{code->index(2 * numStages())});
  }

  SmallVector<Value> add(const OperandCopy &leftCopy,
                         const OperandCopy &rightCopy, Value step, Value stage,
                         ValueRange, function_ref<void()> moveNext) override {
    Value isLater = arith::CmpIOp::create(code->b, arith::CmpIPredicate::ne,
                                          step, code->index(0));
    code->doIf(code->isBelow(thread, 1), [&] {
      multiply(leftCopy, rightCopy, stage, isLater);
      NVVM::Tcgen05CommitOp::create(code->b, getBarrier(stage),
                                    /*multicastMask=*/nullptr);
    });
    if (numStages() > 1)
      code->doIf(isLater, [&] { awaitBefore(step); });
    moveNext();
    if (numStages() == 1)
      awaitBefore(code->add(step, 1));
    return {};
  }

  void finish(OpFoldResult steps, ValueRange) override {
    auto known = getConstantIntValue(steps);
    if (!known || *known == 0)
      hasSteps = arith::CmpIOp::create(code->b, arith::CmpIPredicate::ne,
                                       code->index(steps), code->index(0));
    code->doIf(hasSteps, [&] { awaitBefore(code->index(steps)); });
    NVVM::Tcgen05FenceOp::create(code->b,
                                 NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
  }

  Value getSums(size_t tile) override {
    int64_t across = tiles.subgroupColumns / instruction.n,
            row = int64_t(tile) / across, column = int64_t(tile) % across;
    // Loads have up to 128 columns; with more than 32, registers get scarce.
    int64_t ofLoad = commonPowerOfTwo({across}, 32 / instruction.n);
    if (column % ofLoad == 0)
      loaded = load(row, column * instruction.n, ofLoad * instruction.n);
    Value sums =
        code->slice(loaded, column % ofLoad * instruction.n, instruction.n);
    if (!hasSteps)
      return sums;
    return arith::SelectOp::create(code->b, hasSteps, sums,
                                   code->zero(sums.getType()));
  }

  void release() override {
    NVVM::Tcgen05FenceOp::create(code->b,
                                 NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
    code->barrier();
    code->doIf(code->isBelow(thread, place.subgroupSize), [&] {
      NVVM::Tcgen05DeallocOp::create(code->b, toTensorPointer(base),
                                     number(numColumns()));
    });
  }

private:
  int64_t numStages() const { return tiles.staging.stages; }
  /// Returns the words of barriers, two each, and of the address of tensor
  /// memory.
  int64_t numControlWords() const { return 2 * numStages() + 1; }
  int64_t numColumns() const {
    return TensorMemory::countAllocated(tiles.rows, tiles.columns);
  }

  Value number(int64_t value) {
    return code->constant(code->b.getI32IntegerAttr(int32_t(value)),
                          code->b.getI32Type());
  }
  Value toNumber(Value index) {
    return arith::IndexCastOp::create(code->b, code->b.getI32Type(), index);
  }
  /// Returns the address of a control word.
  Value toPointer(Value word) {
    Value address = arith::AddIOp::create(
        code->b,
        toNumber(
            memref::ExtractAlignedPointerAsIndexOp::create(code->b, control)),
        toNumber(code->multiply(word, 4)));
    return LLVM::IntToPtrOp::create(
        code->b, LLVM::LLVMPointerType::get(code->b.getContext(), sharedSpace),
        address);
  }
  Value getBarrier(Value stage) { return toPointer(code->multiply(stage, 2)); }
  Value toTensorPointer(Value address) {
    return LLVM::IntToPtrOp::create(
        code->b, LLVM::LLVMPointerType::get(code->b.getContext(), tensorSpace),
        address);
  }

  /// Waits for the products of the step before, if that exists. Barriers change
  /// their parity each time, from 0 on.
  void awaitBefore(Value step) {
    // A round is added, so that nothing that is divided is negative:
    // ChooseIndexWidth would take 64 bits.
    Value next = code->add(step, numStages() - 1);
    Value stage = code->remainder(next, numStages()),
          round = code->divide(next, numStages());
    NVVM::MBarrierTryWaitParityOp::create(
        code->b, getBarrier(stage),
        toNumber(code->remainder(code->add(round, 1), 2)),
        number(longestSleep));
  }

  void multiply(const OperandCopy &leftCopy, const OperandCopy &rightCopy,
                Value stage, Value isLater) {
    Value zero = code->index(0);
    auto [leftDescriptor, rightDescriptor] =
        describe(*code, leftCopy, rightCopy, stage, zero, zero);
    InstructionDescriptor descriptor = {
        .operand = instruction.operand,
        .sum = instruction.sum,
        .rows = instruction.m,
        .columns = static_cast<uint32_t>(columnsAtOnce()),
        .leftAlongSide = left.tile().runsAlongSide(),
        .rightAlongSide = right.tile().runsAlongSide()};
    NVVM::Tcgen05MMAKind kind =
        instruction.operand == ElementType::i8  ? NVVM::Tcgen05MMAKind::I8
        : getByteSize(instruction.operand) == 1 ? NVVM::Tcgen05MMAKind::F8F6F4
                                                : NVVM::Tcgen05MMAKind::F16;
    Value always =
        code->constant(code->b.getBoolAttr(true), code->b.getI1Type());
    for (int64_t k = 0; k < tiles.depth; k += instruction.k)
      for (int64_t row = 0; row < tiles.rows; row += instruction.m) {
        Value a = left.advance(*code, leftDescriptor, row, k);
        for (int64_t column = 0; column < tiles.columns;
             column += columnsAtOnce())
          NVVM::Tcgen05MMAOp::create(
              code->b, kind, NVVM::CTAGroupKind::CTA_1,
              NVVM::Tcgen05MMACollectorOp::DISCARD, /*aShift=*/false,
              toTensorPointer(arith::AddIOp::create(
                  code->b, base, number(getColumn(row, column)))),
              a, right.advance(*code, rightDescriptor, column, k),
              number(int64_t(descriptor.encode())), k == 0 ? isLater : always,
              /*scaleInputD=*/nullptr, /*disableOutputLane=*/nullptr);
      }
  }

  /// Returns the column in tensor memory of the sums at a row, a multiple of
  /// the instruction's, and a column of the workgroup's tile.
  int64_t getColumn(int64_t row, int64_t column) const {
    return row / instruction.m * tiles.columns + column;
  }

  /// Loads columns of this lane's row: of the subgroup's `row`-th instruction,
  /// from its `first` column on.
  Value load(int64_t row, int64_t first, int64_t count) {
    Value quarter = code->remainder(code->divide(thread, place.subgroupSize),
                                    instruction.subgroups);
    Value column = code->add(
        code->add(code->multiply(code->divide(place.rowStart, instruction.m),
                                 tiles.columns),
                  place.columnStart),
        getColumn(row * instruction.m, first));
    // Lanes are in the upper half of an address.
    Value ofLane = code->multiply(quarter, place.subgroupSize << 16);
    Value address = arith::AddIOp::create(code->b, base,
                                          toNumber(code->add(column, ofLane)));
    Type word = code->b.getI32Type();
    Value words = NVVM::Tcgen05LdOp::create(
        code->b, VectorType::get(count, word), /*pack=*/false,
        NVVM::Tcgen05LdStShape::SHAPE_32X32B, toTensorPointer(address),
        /*offset=*/nullptr);
    NVVM::Tcgen05WaitOp::create(code->b, NVVM::Tcgen05WaitKind::LOAD);
    Value registers = LLVM::PoisonOp::create(
        code->b, LLVM::LLVMStructType::getLiteral(
                     code->b.getContext(), SmallVector<Type>(count, word)));
    for (int64_t i = 0; i < count; ++i)
      registers = LLVM::InsertValueOp::create(
          code->b, registers, code->slice(words, i, 1), ArrayRef<int64_t>{i});
    registers = takeRegisters(*code, registers);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < count; ++i)
      elements.push_back(LLVM::ExtractValueOp::create(code->b, registers,
                                                      ArrayRef<int64_t>{i}));
    Value sums = code->concatenate(elements);
    if (instruction.sum == ElementType::i32)
      return sums;
    return vector::BitCastOp::create(
        code->b, VectorType::get(count, code->b.getF32Type()), sums);
  }

  ThreadCode *code = nullptr;
  SubgroupPlace place = {};
  Value thread;
  Value control;  ///< barriers of the stages, address of tensor memory
  Value base;     ///< that address
  Value hasSteps; ///< null: there are some
  Value loaded;   ///< sums of some tiles
};

} // namespace

std::unique_ptr<TileProducts>
tonno::createTensorMemoryProducts(const MatrixInstruction &instruction,
                                  const ProductTiles &tiles) {
  return std::make_unique<TensorMemoryProducts>(instruction, tiles);
}

//===- Products of tiles by warpgroups ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/WarpgroupProducts.h"

#include "tonno/Core/MatrixDescriptor.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tonno;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Bytes of the widest row that hardware swizzles, and of the narrowest.
static constexpr int64_t widestRow = 128, narrowestRow = 32;

/// Rows of a group that descriptors step over.
static constexpr int64_t groupRows = 8;

/// Returns the elements of a row in shared memory: of what an instruction reads
/// at once along it, or of all.
static int64_t partOfRow(int64_t elements, int64_t elementBytes) {
  return commonPowerOfTwo({elements}, widestRow / elementBytes);
}

/// Returns true if the tile's rows can run along the side: instructions
/// transpose elements of 16 bits, from rows of 32 bytes on.
static bool canRunAlongSide(int64_t elementBytes, int64_t atOnce) {
  return elementBytes == 2 &&
         partOfRow(atOnce, elementBytes) * elementBytes >= narrowestRow;
}

DescribedTile::DescribedTile(const MatrixInstruction &instruction, int64_t side,
                             int64_t depth, bool alongSide, int64_t atOnce)
    : elementBytes(static_cast<int64_t>(getByteSize(instruction.operand))) {
  alongSide = alongSide && canRunAlongSide(elementBytes, atOnce);
  shared =
      SharedTile::parted(side, depth, elementBytes, alongSide,
                         partOfRow(alongSide ? atOnce : depth, elementBytes));
}

int64_t DescribedTile::getSharedBytes(int64_t stages) const {
  return int64_t(llvm::alignTo(stages * shared.numRows() * rowBytes(),
                               uint64_t(descriptorAlignment)));
}

Value DescribedTile::describe(ThreadCode &code, Value memory, Value firstRow,
                              Value start) const {
  Value offset = code.multiply(firstRow, rowBytes());
  offset =
      code.add(offset, shared.runsAlongSide()
                           ? code.multiply(code.divide(start, shared.pitch()),
                                           partBytes())
                           : code.multiply(start, rowBytes()));
  Type half = code.b.getI32Type(), whole = code.b.getI64Type();
  auto number = [&](uint64_t value, Type type) {
    return code.constant(code.b.getIntegerAttr(type, int64_t(value)), type);
  };
  auto toHalf = [&](Value index) {
    return arith::IndexCastOp::create(code.b, half, index);
  };
  Value address = arith::AddIOp::create(
      code.b,
      toHalf(memref::ExtractAlignedPointerAsIndexOp::create(code.b, memory)),
      toHalf(offset));
  // In units of 16 bytes, 14 bits each.
  Value units = arith::AndIOp::create(
      code.b, arith::ShRUIOp::create(code.b, address, number(4, half)),
      number(0x3fff, half));
  // From one part to the next, which instructions along k never read, and from
  // one group of rows to the next.
  MatrixDescriptor other = {
      .leading = static_cast<uint64_t>(
          shared.runsAlongSide() ? partBytes() : MatrixDescriptor::chunkBytes),
      .stride = static_cast<uint64_t>(groupRows * rowBytes()),
      .rowBytes = static_cast<uint64_t>(rowBytes())};
  return arith::OrIOp::create(code.b,
                              arith::ExtUIOp::create(code.b, whole, units),
                              number(other.encode(), whole));
}

Value DescribedTile::advance(ThreadCode &code, Value descriptor, int64_t side,
                             int64_t depth) const {
  int64_t row = shared.runsAlongSide() ? depth : side,
          column = shared.runsAlongSide() ? side : depth;
  int64_t bytes = column / shared.pitch() * partBytes() + row * rowBytes() +
                  column % shared.pitch() * elementBytes;
  if (bytes == 0)
    return descriptor;
  Type whole = descriptor.getType();
  return arith::AddIOp::create(
      code.b, descriptor,
      code.constant(code.b.getIntegerAttr(whole, bytes / 16), whole));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool tonno::hasShortSums(const MatrixInstruction &instruction) {
  // DeepSeek-V3 Technical Report, section 3.3.2: f8 is summed up with about 14
  // bits.
  return instruction.readsShared() && instruction.sum == ElementType::f32 &&
         getByteSize(instruction.operand) == 1;
}

WarpgroupProducts::WarpgroupProducts(const MatrixInstruction &instruction,
                                     int64_t rows, int64_t columns,
                                     int64_t depth)
    : instruction(instruction), rows(rows), columns(columns), depth(depth) {}

int64_t WarpgroupProducts::numTilesAtOnce() const {
  // Of i8, beyond 32, multiples of 16 columns.
  auto exists = [&](int64_t tiles) {
    return tiles <= instruction.columnTiles &&
           (instruction.operand != ElementType::i8 || tiles <= 4 ||
            tiles % 2 == 0);
  };
  int64_t parts = 1;
  while (numColumnTiles() % parts != 0 || !exists(numColumnTiles() / parts))
    ++parts;
  return numColumnTiles() / parts;
}

Type WarpgroupProducts::registersType(ThreadCode &code) const {
  bool isReal = instruction.sum == ElementType::f32;
  Type element = isReal ? Type(code.b.getF32Type()) : code.b.getI32Type();
  return LLVM::LLVMStructType::getLiteral(
      code.b.getContext(),
      SmallVector<Type>(numTilesAtOnce() * instruction.sums.size(), element));
}

/// Returns the registers of each instruction's sums.
SmallVector<Value> WarpgroupProducts::toRegisters(ThreadCode &code,
                                                  ValueRange sums) const {
  SmallVector<Value> all;
  int64_t atOnce = numTilesAtOnce(), ofTile = instruction.sums.size();
  for (int64_t first = 0; first < int64_t(sums.size()); first += atOnce) {
    Value registers = LLVM::PoisonOp::create(code.b, registersType(code));
    for (int64_t i = 0; i < atOnce * ofTile; ++i)
      registers = LLVM::InsertValueOp::create(
          code.b, registers,
          code.slice(sums[first + i / ofTile], i % ofTile, 1),
          ArrayRef<int64_t>{i});
    all.push_back(registers);
  }
  return all;
}

SmallVector<Value> WarpgroupProducts::fromRegisters(ThreadCode &code,
                                                    ArrayRef<Value> all) const {
  SmallVector<Value> sums;
  int64_t ofTile = instruction.sums.size();
  for (Value registers : all)
    for (int64_t tile = 0; tile < numTilesAtOnce(); ++tile) {
      SmallVector<Value> elements;
      for (int64_t i = 0; i < ofTile; ++i)
        elements.push_back(LLVM::ExtractValueOp::create(
            code.b, registers, ArrayRef<int64_t>{tile * ofTile + i}));
      sums.push_back(code.concatenate(elements));
    }
  return sums;
}

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

Value WarpgroupProducts::multiply(ThreadCode &code, Value left,
                                  bool isLeftAlongSide, Value right,
                                  bool isRightAlongSide, Value sums,
                                  bool isFirst) const {
  MLIRContext *context = code.b.getContext();
  NVVM::WGMMATypes type = operandType(instruction.operand);
  bool isReal = instruction.sum == ElementType::f32;
  auto one = NVVM::WGMMAScaleIn::one;
  NVVM::MMAIntOverflowAttr overflow;
  if (!isReal)
    overflow =
        NVVM::MMAIntOverflowAttr::get(context, NVVM::MMAIntOverflow::wrapped);
  return NVVM::WgmmaMmaAsyncOp::create(
      code.b, sums.getType(), sums, left, right,
      NVVM::MMAShapeAttr::get(context, int(instruction.m), int(columnsAtOnce()),
                              int(instruction.k)),
      type, type, isReal ? NVVM::WGMMATypes::f32 : NVVM::WGMMATypes::s32,
      isFirst ? NVVM::WGMMAScaleOut::zero : NVVM::WGMMAScaleOut::one, one, one,
      // As if both factors ran along k.
      isLeftAlongSide ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      isRightAlongSide ? NVVM::MMALayout::row : NVVM::MMALayout::col, overflow);
}

/// Waits until `inFlight` steps at most are incomplete. Returns the registers
/// as values that exist only then, so that nothing uses them before.
SmallVector<Value> WarpgroupProducts::await(ThreadCode &code,
                                            ArrayRef<Value> all,
                                            int64_t inFlight) const {
  NVVM::WgmmaWaitGroupSyncOp::create(code.b, inFlight);
  SmallVector<Value> complete;
  for (Value registers : all) {
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
    complete.push_back(
        LLVM::InlineAsmOp::create(code.b, type, operands, /*asm_string=*/"",
                                  llvm::join(constraints, ","),
                                  /*has_side_effects=*/true,
                                  /*is_align_stack=*/false,
                                  LLVM::tailcallkind::TailCallKind::None,
                                  /*asm_dialect=*/nullptr,
                                  /*operand_attrs=*/nullptr)
            .getResult(0));
  }
  return complete;
}

SmallVector<Value>
WarpgroupProducts::add(ThreadCode &code, const DescribedTile &left,
                       Value leftDescriptor, const DescribedTile &right,
                       Value rightDescriptor, ValueRange sums, int64_t inFlight,
                       function_ref<void()> meanwhile) const {
  bool isShort = hasShortSums(instruction);
  SmallVector<Value> registers =
      isShort ? SmallVector<Value>(
                    sums.size() / numTilesAtOnce(),
                    LLVM::PoisonOp::create(code.b, registersType(code)))
              : toRegisters(code, sums);
  NVVM::WgmmaFenceAlignedOp::create(code.b);
  int64_t perRow = numColumnTiles() / numTilesAtOnce();
  for (int64_t k = 0; k < depth; k += instruction.k)
    for (int64_t row = 0; row < numRowTiles(); ++row) {
      Value a = left.advance(code, leftDescriptor, row * instruction.m, k);
      for (int64_t column = 0; column < perRow; ++column) {
        Value b =
            right.advance(code, rightDescriptor, column * columnsAtOnce(), k);
        Value &own = registers[row * perRow + column];
        own = multiply(code, a, left.tile().runsAlongSide(), b,
                       right.tile().runsAlongSide(), own, isShort && k == 0);
      }
    }
  NVVM::WgmmaGroupSyncAlignedOp::create(code.b);
  meanwhile();
  if (!isShort) {
    NVVM::WgmmaWaitGroupSyncOp::create(code.b, inFlight);
    return fromRegisters(code, registers);
  }
  SmallVector<Value> all;
  for (auto [before, step] : llvm::zip_equal(
           sums, fromRegisters(code, await(code, registers, /*inFlight=*/0))))
    all.push_back(arith::AddFOp::create(code.b, before, step));
  return all;
}

SmallVector<Value> WarpgroupProducts::finish(ThreadCode &code,
                                             ValueRange sums) const {
  if (hasShortSums(instruction))
    return SmallVector<Value>(sums);
  return fromRegisters(code,
                       await(code, toRegisters(code, sums), /*inFlight=*/0));
}

//===- Tiles that instructions read from shared memory --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/DescribedTile.h"

#include "tonno/Core/MatrixDescriptor.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tonno;

/// Bytes of the widest row that hardware swizzles, and of the narrowest.
static constexpr int64_t widestRow = 128, narrowestRow = 32;

/// Rows of a group that descriptors step over.
static constexpr int64_t groupRows = 8;

/// Returns the elements of a row in shared memory: of what an instruction reads
/// at once along it, or of all.
static int64_t partOfRow(int64_t elements, int64_t elementBytes) {
  return commonPowerOfTwo({elements}, widestRow / elementBytes);
}

/// Returns true if the tile's rows can run along the side, from 32 bytes on.
static bool canRunAlongSide(const MatrixInstruction &instruction,
                            int64_t elementBytes, int64_t atOnce) {
  return transposesShared(instruction) &&
         partOfRow(atOnce, elementBytes) * elementBytes >= narrowestRow;
}

DescribedTile::DescribedTile(const MatrixInstruction &instruction, int64_t side,
                             int64_t depth, bool alongSide, int64_t atOnce)
    : elementBytes(static_cast<int64_t>(getByteSize(instruction.operand))),
      version(instruction.family == MatrixFamily::tcgen05 ? 1 : 0) {
  alongSide = alongSide && canRunAlongSide(instruction, elementBytes, atOnce);
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
      .rowBytes = static_cast<uint64_t>(rowBytes()),
      .version = version};
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

bool tonno::transposesShared(const MatrixInstruction &instruction) {
  return instruction.family == MatrixFamily::tcgen05 ||
         getByteSize(instruction.operand) == 2;
}

int64_t tonno::countTilesAtOnce(const MatrixInstruction &instruction,
                                int64_t columns) {
  int64_t tiles = columns / instruction.n;
  // wgmma of i8 has, beyond 32, multiples of 16 columns; tcgen05 has no others.
  auto exists = [&](int64_t count) {
    bool isEven = count * instruction.n % TensorMemory::columnStep == 0;
    if (instruction.family == MatrixFamily::tcgen05)
      return count <= instruction.columnTiles && isEven;
    return count <= instruction.columnTiles &&
           (instruction.operand != ElementType::i8 || count <= 4 || isEven);
  };
  int64_t parts = 1;
  while (parts < tiles && (tiles % parts != 0 || !exists(tiles / parts)))
    ++parts;
  return tiles / parts;
}

//===- Sums over the threads of a row -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ThreadReduction.h"
#include "Payload.h"

#include "llvm/ADT/bit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tonno;

/// How many neighbours exchange their values by shuffles: all of a row, all of
/// a subgroup, or 1 where that can't be done.
static int64_t shuffleWidth(const ThreadRow &row, int64_t subgroupSize,
                            Type type) {
  bool isShuffled = isa<FloatType, IntegerType>(type) && bytesOf(type) <= 4;
  if (!isShuffled || row.stride != 1)
    return 1;
  if (row.count % subgroupSize == 0)
    return subgroupSize;
  bool isAligned =
      llvm::has_single_bit(uint64_t(row.count)) && row.count < subgroupSize;
  return isAligned ? row.count : 1;
}

/// The value of the thread whose number in the subgroup differs by these bits.
static Value shuffle(ThreadCode &code, Value value, int64_t bits,
                     int64_t subgroupSize) {
  Type type = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Type word = code.b.getI32Type(), narrow = code.b.getIntegerType(width);
  bool isWord = width == 32;
  if (!isWord) {
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(code.b, narrow, value);
    value = arith::ExtUIOp::create(code.b, word, value);
  }
  Value other =
      gpu::ShuffleOp::create(code.b, value, int32_t(bits),
                             int32_t(subgroupSize), gpu::ShuffleMode::XOR)
          .getShuffleResult();
  if (isWord)
    return other;
  other = arith::TruncIOp::create(code.b, narrow, other);
  return isa<FloatType>(type) ? arith::BitcastOp::create(code.b, type, other)
                              : other;
}

/// One value of each `share` threads in a row goes through shared memory.
static Value combineShared(KernelLaunch &kernel, const ThreadRow &row,
                           int64_t share, Operation *combiner, Value value) {
  ThreadCode &code = kernel.code;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type element = getElementTypeOrSelf(value.getType());
  int64_t width = vector ? vector.getNumElements() : 1;
  int64_t numSlots = row.numThreads / share;
  Value shared = kernel.addShared({numSlots, width}, element);
  Value slot = code.divide(kernel.thread, share);
  Value isFirst = share == 1
                      ? Value()
                      : code.isEqual(code.remainder(kernel.thread, share), 0);
  int64_t bytes = width * bytesOf(element);
  code.doIf(isFirst,
            [&] { code.store(value, shared, {slot, code.index(0)}, bytes); });
  code.barrier();
  // Rows have their slots side by side, or `stride` apart.
  int64_t count = row.count / share;
  Value position = code.divide(row.position, share);
  Value base =
      arith::SubIOp::create(code.b, slot, code.multiply(position, row.stride));
  Value sum;
  for (int64_t i = 0; i < count; ++i) {
    Value part = code.load(
        shared, {code.add(base, i * row.stride), code.index(0)}, width, bytes);
    sum = sum ? combine(code, combiner, sum, part) : part;
  }
  return sum;
}

Value tonno::combineRow(KernelLaunch &kernel, const ThreadRow &row,
                        int64_t subgroupSize, Operation *combiner,
                        Value value) {
  if (row.count == 1)
    return value;
  int64_t width = shuffleWidth(row, subgroupSize, value.getType());
  for (int64_t bits = width / 2; bits > 0; bits /= 2)
    value = combine(kernel.code, combiner, value,
                    shuffle(kernel.code, value, bits, subgroupSize));
  if (row.count == width)
    return value;
  return combineShared(kernel, row, width, combiner, value);
}

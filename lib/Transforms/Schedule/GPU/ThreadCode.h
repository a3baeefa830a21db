//===- Code of one GPU thread ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SCHEDULE_GPU_THREADCODE_H
#define TONNO_LIB_SCHEDULE_GPU_THREADCODE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tonno {

/// Writes what one thread of a workgroup does. Index arithmetic is folded where
/// it is constant. Conditions may be null, which is true.
class ThreadCode {
public:
  ThreadCode(mlir::OpBuilder &builder, mlir::Location loc) : b(loc, builder) {}

  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y);
  mlir::Value multiply(mlir::Value x, int64_t y);
  mlir::Value divide(mlir::Value x, int64_t y);
  mlir::Value remainder(mlir::Value x, int64_t y);
  /// The coordinates of a number in an array of these extents, the last
  /// fastest. The first coordinate is not reduced.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value linear,
                                             llvm::ArrayRef<int64_t> extents);

  mlir::Value isBelow(mlir::Value x, int64_t bound);
  mlir::Value isEqual(mlir::Value x, int64_t value);
  mlir::Value both(mlir::Value p, mlir::Value q);

  /// The value that `emit` gives where the condition holds, else zeros.
  mlir::Value valueIf(mlir::Value condition, mlir::Type type,
                      llvm::function_ref<mlir::Value()> emit);
  void doIf(mlir::Value condition, llvm::function_ref<void()> emit);

  /// A scalar, or a vector where `width` is more than 1.
  mlir::Type valueType(mlir::Type element, int64_t width);
  /// The scalar `width` times.
  mlir::Value splat(mlir::Value scalar, int64_t width);
  mlir::Value zero(mlir::Type type);
  mlir::Value constant(mlir::TypedAttr value, mlir::Type type);
  /// Some elements of a vector, or one as a scalar.
  mlir::Value slice(mlir::Value vector, int64_t start, int64_t width);
  /// The pieces, scalars or vectors of equal width, one behind the other.
  mlir::Value concatenate(llvm::ArrayRef<mlir::Value> pieces);

  /// `width` elements from `indices` on along the last dimension, which has
  /// unit stride. Their address is a multiple of `alignment` bytes.
  mlir::Value load(mlir::Value buffer, mlir::ValueRange indices, int64_t width,
                   int64_t alignment);
  void store(mlir::Value value, mlir::Value buffer, mlir::ValueRange indices,
             int64_t alignment);

  void barrier();
  /// Leaves the loop as it is: unrolled once more by LLVM it would want more
  /// registers than there are.
  void keepRolled(mlir::scf::ForOp loop);

  mlir::ImplicitLocOpBuilder b;
};

/// Bytes that an element takes in memory.
int64_t bytesOf(mlir::Type element);

/// The largest power of two that divides all of the numbers, at most `bound`, a
/// power of two.
int64_t commonPowerOfTwo(llvm::ArrayRef<int64_t> numbers, int64_t bound);

/// How many elements along the last dimension of a buffer one access may take,
/// at most `bound`, a power of two: from any multiple of itself in the last
/// dimension such an access is aligned to its size and within a row.
int64_t vectorWidth(mlir::Value buffer, int64_t bound);

} // namespace tonno

#endif // TONNO_LIB_SCHEDULE_GPU_THREADCODE_H

//===- Builder of a GPU thread's code -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_THREADCODE_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_THREADCODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tonno {

/// Writes what one thread of a workgroup does. Index arithmetic is folded where
/// it is constant. Conditions may be null, which is true.
class ThreadCode {
public:
  ThreadCode(mlir::OpBuilder &builder, mlir::Location loc) : b(loc, builder) {}

  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }
  mlir::Value index(mlir::OpFoldResult value) {
    return mlir::getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::AddIOp>(x, y);
  }
  mlir::Value add(mlir::Value x, int64_t y) {
    return y == 0 ? x : add(x, index(y));
  }
  mlir::Value multiply(mlir::Value x, int64_t y) {
    if (y == 0)
      return index(0);
    return y == 1 ? x : b.createOrFold<mlir::arith::MulIOp>(x, index(y));
  }
  mlir::Value divide(mlir::Value x, int64_t y) {
    return y == 1 ? x : b.createOrFold<mlir::arith::DivUIOp>(x, index(y));
  }
  mlir::Value remainder(mlir::Value x, int64_t y) {
    return y == 1 ? index(0)
                  : b.createOrFold<mlir::arith::RemUIOp>(x, index(y));
  }
  /// Multiplies extents, some of which may be known only at run time.
  mlir::OpFoldResult multiply(llvm::ArrayRef<mlir::OpFoldResult> extents);
  /// Returns the number of tiles that cover an extent.
  mlir::OpFoldResult countTiles(mlir::OpFoldResult extent, int64_t tile);
  mlir::Value exclusiveOr(mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::XOrIOp>(x, y);
  }
  /// Delinearizes an index in an array of these extents, the last fastest.
  llvm::SmallVector<mlir::Value>
  delinearize(mlir::Value linear, llvm::ArrayRef<mlir::OpFoldResult> extents);
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value linear,
                                             llvm::ArrayRef<int64_t> extents) {
    return delinearize(linear,
                       mlir::getAsIndexOpFoldResult(b.getContext(), extents));
  }

  mlir::Value isBelow(mlir::Value x, int64_t bound) {
    return compare(mlir::arith::CmpIPredicate::ult, x, index(bound));
  }
  mlir::Value isBelow(mlir::Value x, mlir::OpFoldResult bound) {
    return compare(mlir::arith::CmpIPredicate::ult, x, index(bound));
  }
  mlir::Value isEqual(mlir::Value x, int64_t value) {
    return compare(mlir::arith::CmpIPredicate::eq, x, index(value));
  }
  mlir::Value both(mlir::Value p, mlir::Value q) {
    if (!p || !q)
      return p ? p : q;
    return b.createOrFold<mlir::arith::AndIOp>(p, q);
  }

  /// Emits a conditional that yields the value of `emit`, or zeros if the
  /// condition does not hold.
  mlir::Value valueIf(mlir::Value condition, mlir::Type type,
                      llvm::function_ref<mlir::Value()> emit);
  void doIf(mlir::Value condition, llvm::function_ref<void()> emit);

  /// Returns the type of a scalar, or of a vector if `width` is more than 1.
  mlir::Type valueType(mlir::Type element, int64_t width) {
    return width == 1 ? element : mlir::VectorType::get(width, element);
  }
  /// Broadcasts the scalar to `width` elements.
  mlir::Value splat(mlir::Value scalar, int64_t width);
  mlir::Value zero(mlir::Type type) {
    return constant(b.getZeroAttr(getElementTypeOrSelf(type)), type);
  }
  mlir::Value constant(mlir::TypedAttr value, mlir::Type type);
  /// Extracts `width` elements of a vector from `start`, as a scalar if `width`
  /// is 1.
  mlir::Value slice(mlir::Value vector, int64_t start, int64_t width);
  /// Concatenates the pieces, scalars or vectors of equal width.
  mlir::Value concatenate(llvm::ArrayRef<mlir::Value> pieces);

  /// Loads `width` contiguous elements at a multiple of `alignment` bytes.
  mlir::Value load(mlir::Value buffer, mlir::ValueRange indices, int64_t width,
                   int64_t alignment);
  void store(mlir::Value value, mlir::Value buffer, mlir::ValueRange indices,
             int64_t alignment);

  /// Returns the value, of up to 32 bits, of the thread whose number in the
  /// subgroup differs in these bits.
  mlir::Value shuffle(mlir::Value value, int64_t bits, int64_t subgroupSize);

  void barrier() { mlir::gpu::BarrierOp::create(b); }
  /// Keeps LLVM from unrolling the loop once more, which costs registers.
  void disableUnrolling(mlir::scf::ForOp loop);

  mlir::ImplicitLocOpBuilder b;

private:
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                      mlir::Value y) {
    return b.createOrFold<mlir::arith::CmpIOp>(predicate, x, y);
  }
};

/// Returns the bytes of an element of a shaped type, or of the scalar type, in
/// memory.
int64_t getElementBytes(mlir::Type type);

/// Returns true if the extent is known to be a multiple of `divisor`.
bool isKnownMultiple(mlir::OpFoldResult extent, int64_t divisor);

/// Returns the largest power of two that divides all of the numbers, at most
/// `bound`, a power of two; 1 if a number is known only at run time.
int64_t commonPowerOfTwo(llvm::ArrayRef<int64_t> numbers, int64_t bound);

/// Returns how many contiguous elements, up to `bound`, one aligned access
/// within a row can take.
int64_t vectorWidth(mlir::Value buffer, int64_t bound);

/// Consecutive points of a group's space along one dimension.
struct Points {
  llvm::SmallVector<mlir::Value> indices; ///< of the first, by dimension
  unsigned along = 0;                     ///< the dimension
  int64_t width = 1;                      ///< how many, a power of two

  /// Returns their index in a dimension, as a scalar or a vector.
  mlir::Value getIndex(ThreadCode &code, unsigned dim) const;
};

/// Emits the payload of a linalg op for these elements of its operands, inputs
/// then inits, as scalars or as vectors of the points. `dims` are the
/// dimensions of the op's loops. Returns the yielded values.
llvm::SmallVector<mlir::Value> emitPayload(ThreadCode &code,
                                           mlir::linalg::LinalgOp op,
                                           llvm::ArrayRef<mlir::Value> elements,
                                           const Points &points,
                                           llvm::ArrayRef<unsigned> dims);

/// Creates the combiner with the operands `x` and `y`; all types are equal.
mlir::Value combine(ThreadCode &code, mlir::Operation *combiner, mlir::Value x,
                    mlir::Value y);

/// Loads the elements at which a map indexes the buffer for some points; a
/// scalar for one point. The points' dimension may only be a result of the map
/// as it is.
mlir::Value loadAt(ThreadCode &code, mlir::Value buffer, mlir::AffineMap map,
                   const Points &points);
void storeAt(ThreadCode &code, mlir::Value value, mlir::Value buffer,
             mlir::AffineMap map, const Points &points);

/// Copies a tile of a buffer into a workgroup's memory by all its threads, in
/// two parts, so that work can lie between. Elements beyond the buffer are
/// zero.
struct TileCopy {
  mlir::Value source;
  llvm::SmallVector<int64_t> tile; ///< extents, one of each source dimension
  mlir::Value shared;
  /// Map from coordinates in the tile to indices in `shared`.
  mlir::AffineMap layout;
  mlir::Value thread;
  int64_t numThreads = 1;
  /// True for each source dimension along which tiles may reach beyond the
  /// buffer.
  llvm::SmallVector<bool> isGuarded;

  /// Registers that `load` fills: their types.
  llvm::SmallVector<mlir::Type> types(ThreadCode &code) const;
  /// Reads this thread's part of the tile whose first element is at `starts`;
  /// zeros where the condition does not hold, if there is one.
  llvm::SmallVector<mlir::Value> load(ThreadCode &code, mlir::ValueRange starts,
                                      mlir::Value condition = nullptr) const;
  /// Stores the values that `load` returned. A barrier makes them visible to
  /// other threads.
  void store(ThreadCode &code, mlir::ValueRange values) const;

private:
  /// Returns the dimension along which elements are contiguous in memory.
  unsigned fastest() const;
  int64_t width() const;
  int64_t numPieces() const;
  /// Returns the coordinates in the tile of this thread's i-th piece.
  llvm::SmallVector<mlir::Value> coordinates(ThreadCode &code, int64_t i) const;
  /// Returns the condition that the thread has an i-th piece; null if every
  /// thread has one.
  mlir::Value hasPiece(ThreadCode &code, int64_t i) const;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_THREADCODE_H

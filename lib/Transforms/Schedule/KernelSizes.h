//===- Sizes of dynamic dimensions in a lowered kernel --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_KERNELSIZES_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_KERNELSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

namespace tonno {

/// Returns true if an expression of sizes is certainly not negative, as they
/// are not.
bool isNonNegative(mlir::AffineExpr value);

/// Returns the bytes from one element of an array to the next.
uint64_t getBytesInMemory(mlir::Type element, const mlir::DataLayout &layout);

/// The sizes of dynamic dimensions that a kernel takes, on buffers, as indices
/// in its entry block. In expressions, they are symbols in the kernel's order.
class KernelSizes {
public:
  explicit KernelSizes(mlir::func::FuncOp kernel);

  unsigned count() const { return static_cast<unsigned>(values.size()); }

  /// Returns the bytes of a buffer without gaps, rounded up to whole cache
  /// lines; null if its extents have no bound that the kernel's sizes give.
  mlir::AffineExpr computeBytes(mlir::MemRefType type,
                                mlir::ValueRange dynamicSizes,
                                const mlir::DataLayout &layout) const;
  /// Returns an integer as an expression of the sizes; null if it depends on
  /// others, or is no sum, product, quotient or remainder of them.
  mlir::AffineExpr express(mlir::Value value) const;
  mlir::Value evaluate(mlir::ImplicitLocOpBuilder &builder,
                       mlir::AffineExpr value) const;
  mlir::AffineMap createMap(mlir::AffineExpr value) const {
    return mlir::AffineMap::get(0, values.size(), value);
  }

private:
  mlir::AffineExpr computeBound(mlir::Value extent) const;

  llvm::SmallVector<mlir::Value> values; ///< null for those that nothing uses
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_KERNELSIZES_H

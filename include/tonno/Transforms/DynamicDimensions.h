//===- Dynamic dimensions of kernels --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_DYNAMICDIMENSIONS_H
#define TONNO_TRANSFORMS_DYNAMICDIMENSIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <optional>
#include <string>

namespace tonno {

/// Axes of a kernel's arguments that have one size, unknown in their types,
/// because the kernel's ops need it or `tonno.dims` gives them one name.
struct DynamicDimension {
  /// By `tonno.dims`; else "d" with its number, counted from 0 over all
  /// dynamic dimensions of the kernel.
  llvm::SmallVector<std::string, 1> names;
  bool isNamed = false; ///< by `tonno.dims`
  /// The size of an axis of known size that the ops need to be equal.
  std::optional<int64_t> size;
};

/// The dynamic dimensions of a kernel, in order of appearance. Axes of memrefs
/// that the kernel only loads from and stores to are each their own.
class DynamicDimensions {
public:
  /// Fails, with an error at the kernel, if axes of different known sizes must
  /// be equal.
  static mlir::FailureOr<DynamicDimensions> find(mlir::func::FuncOp kernel);

  DynamicDimensions(DynamicDimensions &&) noexcept;
  DynamicDimensions &operator=(DynamicDimensions &&) noexcept;
  ~DynamicDimensions();

  llvm::ArrayRef<DynamicDimension> all() const { return dimensions; }

  /// Returns the number of the dimension that an axis of a value in the kernel
  /// has; none if its size is known, or not that of a dimension.
  std::optional<unsigned> lookup(mlir::Value value, int64_t axis) const;

private:
  class EqualSizes;

  explicit DynamicDimensions(std::unique_ptr<EqualSizes> sizes);

  std::unique_ptr<EqualSizes> sizes;
  llvm::DenseMap<unsigned, unsigned> positions; ///< by leading number
  llvm::SmallVector<DynamicDimension> dimensions;
};

/// Returns true for shaped types of unknown sizes, strides or offset.
bool isDynamic(mlir::Type type);

} // namespace tonno

#endif // TONNO_TRANSFORMS_DYNAMICDIMENSIONS_H

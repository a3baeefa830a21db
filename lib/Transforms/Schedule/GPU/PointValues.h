//===- Values of a group's ops at some points -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_POINTVALUES_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_POINTVALUES_H

#include "Schedule/GPU/Attention.h"
#include "Schedule/GPU/ThreadCode.h"

#include "llvm/ADT/DenseMap.h"

namespace tonno {

/// Emits values of a group's payloads at some points of its space, where they
/// are first wanted: as scalars, or as vectors if there are several points.
class PointValues {
public:
  /// Memory is read only where `isInside`, null for everywhere, and zero
  /// elsewhere.
  PointValues(ThreadCode &code, const LaunchGroup &group, const Points &points,
              mlir::Value isInside)
      : code(code), group(group), points(points), isInside(isInside) {}

  /// Sets the result of an op that is not computed from its payload.
  void setResult(size_t op, mlir::Value value) { results[op] = value; }

  mlir::Value get(PayloadValue at);

private:
  mlir::Value splat(mlir::Value value);
  mlir::Value getOperand(size_t op, unsigned number);

  ThreadCode &code;
  const LaunchGroup &group;
  Points points;
  mlir::Value isInside;
  llvm::DenseMap<size_t, mlir::Value> results;
  llvm::DenseMap<std::pair<size_t, mlir::Value>, mlir::Value> known;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_GPU_POINTVALUES_H

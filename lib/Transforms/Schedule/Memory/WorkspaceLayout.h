//===- Offsets of buffers in a workspace ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_SCHEDULE_MEMORY_WORKSPACELAYOUT_H
#define TONNO_LIB_TRANSFORMS_SCHEDULE_MEMORY_WORKSPACELAYOUT_H

#include "llvm/ADT/ArrayRef.h"

namespace tonno {

/// Buffer of a workspace. Ops are numbered in program order.
struct WorkspaceSlot {
  uint64_t bytes, alignment;
  uint64_t first, last; ///< the first and the last op that may use the buffer
  uint64_t offset = 0;

  bool hasOverlappingLifetime(const WorkspaceSlot &other) const {
    return first <= other.last && other.first <= last;
  }
  bool overlaps(const WorkspaceSlot &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

/// Assigns offsets, so that slots with overlapping lifetimes do not overlap.
/// Returns the bytes of the workspace.
uint64_t assignOffsets(llvm::MutableArrayRef<WorkspaceSlot> slots);

/// Returns the largest sum of bytes that are used at once: no assignment of
/// offsets needs less.
uint64_t computePeakBytes(llvm::ArrayRef<WorkspaceSlot> slots);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_SCHEDULE_MEMORY_WORKSPACELAYOUT_H

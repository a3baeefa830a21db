//===- Offsets of buffers in a workspace ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/Memory/WorkspaceLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tonno;

/// Assigns the slots offsets in this order: each the lowest one where no slot
/// with an overlapping lifetime is. Returns the bytes of the workspace.
static uint64_t assignInOrder(ArrayRef<WorkspaceSlot *> order) {
  uint64_t end = 0;
  for (auto [i, slot] : enumerate(order)) {
    auto placed = order.take_front(i);
    auto isInWay = [&, slot = slot](WorkspaceSlot *other) {
      return slot->hasOverlappingLifetime(*other) && slot->overlaps(*other);
    };
    slot->offset = 0;
    for (auto other = find_if(placed, isInWay); other != placed.end();
         other = find_if(placed, isInWay))
      slot->offset =
          alignTo((*other)->offset + (*other)->bytes, slot->alignment);
    end = std::max(end, slot->offset + slot->bytes);
  }
  return end;
}

uint64_t tonno::assignOffsets(MutableArrayRef<WorkspaceSlot> slots) {
  SmallVector<WorkspaceSlot *> bySize;
  for (WorkspaceSlot &slot : slots)
    bySize.push_back(&slot);
  SmallVector<WorkspaceSlot *> byFirstUse = bySize;
  // Equal slots keep their order in the array.
  sort(bySize, [](const WorkspaceSlot *a, const WorkspaceSlot *b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a < b;
  });
  sort(byFirstUse, [](const WorkspaceSlot *a, const WorkspaceSlot *b) {
    return a->first != b->first ? a->first < b->first : a < b;
  });
  uint64_t bytes = assignInOrder(bySize);
  if (bytes == computePeakBytes(slots) || bytes <= assignInOrder(byFirstUse))
    return assignInOrder(bySize);
  return assignInOrder(byFirstUse);
}

uint64_t tonno::computePeakBytes(ArrayRef<WorkspaceSlot> slots) {
  // The sum is largest where a lifetime begins.
  uint64_t peak = 0;
  for (const WorkspaceSlot &slot : slots) {
    uint64_t used = 0;
    for (const WorkspaceSlot &other : slots)
      if (other.first <= slot.first && slot.first <= other.last)
        used += other.bytes;
    peak = std::max(peak, used);
  }
  return peak;
}

//===- Default spaces of launches -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_GPUSPACE_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_GPUSPACE_H

#include "tonno/Core/GpuChip.h"
#include "tonno/Core/MatrixInstruction.h"
#include "DefaultSpace/KnobSizes.h"
#include "Schedule/GPU/Attention.h"

namespace tonno {

/// Tile sizes of a launch, by dimension of its space: knobs, or numbers.
struct GpuSpace {
  llvm::SmallVector<mlir::Attribute> workgroup, reduction, thread, subgroup;
  /// Keys that are no tile sizes.
  llvm::SmallVector<mlir::NamedAttribute> others;

  /// Describes a launch with one thread per point and no tiles of reductions.
  explicit GpuSpace(const LaunchGroup &launch);

  void set(unsigned dim, const KnobSize &ofWorkgroup,
           const KnobSize &ofThread) {
    workgroup[dim] = ofWorkgroup.attribute;
    thread[dim] = ofThread.attribute;
  }
};

/// Returns a knob for the workgroups that a compute unit must have registers
/// for, and lets the chip hold as many: `threads` is of one, over `sizes`.
KnobSize choosePerUnit(KnobSizes &knobs, const GpuChip &chip,
                       llvm::SmallVector<KnobSize> sizes,
                       const llvm::Twine &threads);

/// Returns true if a tile of the operand can be copied into shared memory
/// asynchronously: in pieces of at least 4 bytes, in rows from which fragments
/// are loaded.
bool canCopyAsync(mlir::OpOperand &operand, unsigned sideLoop,
                  unsigned depthLoop, const MatrixInstruction &instruction);

/// Returns the space of attention in one launch, by dimension of the second
/// product; nothing if the chip's matrix units can't compute it, or if most of
/// their rows would be empty.
std::optional<GpuSpace> attentionSpace(const Attention &attention,
                                       const GpuChip &chip, KnobSizes &knobs);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_GPUSPACE_H

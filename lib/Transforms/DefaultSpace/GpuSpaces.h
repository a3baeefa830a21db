//===- Default spaces of launches -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_DEFAULTSPACE_GPUSPACES_H
#define TONNO_LIB_TRANSFORMS_DEFAULTSPACE_GPUSPACES_H

#include "ExpectedLaunches.h"
#include "KnobSizes.h"

#include "tonno/Core/GpuChip.h"

namespace tonno {

/// Tile sizes of a launch, by dimension of its space: knobs, or numbers.
struct GpuSpace {
  llvm::SmallVector<mlir::Attribute> workgroup, reduction, thread;

  /// A point for each thread, and nothing for reductions.
  explicit GpuSpace(const ExpectedLaunch &launch);
};

/// What a workgroup has of two dimensions and how its threads share that. A
/// dimension that there is not has tiles of 1.
struct ThreadedTile {
  KnobSize rows, columns;
  KnobSize threadRows, threadColumns;

  /// In a constraint.
  std::string points() const;      ///< of a thread
  std::string threads() const;     ///< of the workgroup
  int64_t standardThreads() const; ///< by default
  llvm::SmallVector<KnobSize> sizes() const;
};

/// So many workgroups keep a GPU busy: two for each of about 100 compute units,
/// so that one computes while another waits.
inline constexpr int64_t enoughWorkgroups = 200;

/// Bytes of an element in memory.
int64_t bytesOfElement(mlir::Type type);

/// Lets the threads be no more than the chip can have, and, where the default
/// isn't either, no fewer than a subgroup; and tiles no smaller than threads'.
void constrainThreads(KnobSizes &knobs, const GpuChip &chip,
                      const ThreadedTile &tile);

/// Whether such threads can have registers for that much each, beside what
/// every thread needs.
bool fitsRegisters(const GpuChip &chip, int64_t threads, int64_t ofThread);

/// Lets only tiles be that have registers: `ofThread` for each thread, a sum in
/// a constraint over the tile's sizes.
void constrainRegisters(KnobSizes &knobs, const GpuChip &chip,
                        const ThreadedTile &tile, const std::string &ofThread);

/// The same, with what all threads of a workgroup have together, which is a
/// product in a constraint over `depth` as well.
void constrainRegisters(KnobSizes &knobs, const GpuChip &chip,
                        const ThreadedTile &tile, const std::string &ofThread,
                        const std::string &ofWorkgroup, const KnobSize &depth);

/// The space of a contraction and what is done with its sums.
GpuSpace contractionSpace(const ExpectedLaunch &launch, const GpuChip &chip,
                          KnobSizes &knobs);

/// The space of elementwise ops, also crosswise ones.
GpuSpace elementwiseSpace(const ExpectedLaunch &launch, const GpuChip &chip,
                          KnobSizes &knobs);

/// The space of reductions over one dimension with elementwise ops.
GpuSpace reductionSpace(const ExpectedLaunch &launch, const GpuChip &chip,
                        KnobSizes &knobs);

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_DEFAULTSPACE_GPUSPACES_H

//===- What was best of a kernel at other shapes --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_SIBLINGSTORE_H
#define TONNO_SESSION_SIBLINGSTORE_H

#include "tonno/Cache/RecordStore.h"
#include "tonno/Cache/Records.h"
#include "tonno/Search/SearchStrategy.h"

#include <memory>
#include <string>
#include <vector>

namespace tonno {

/// What a kernel has in common with those that differ from it in sizes alone,
/// and what it has not.
struct KernelFamily {
  std::string hash; ///< of the kernel without its sizes
  /// Of each argument and result.
  std::vector<std::vector<int64_t>> shapes;
};

/// Where a session of a kernel stands among those of its family.
struct SiblingPlace {
  const ProblemIdentity &identity;
  const KernelFamily &family;
  const SearchSpace &space;

  /// SHA-256 of what siblings have in common: kernel, triple and the knobs'
  /// names; not shapes, options, chip, device or versions.
  std::string key() const;
};

/// Points that siblings were best with, and of which siblings: "for 512x512,
/// 512x512 on another device".
struct SiblingPoints {
  std::vector<StartingPoint> points;
  std::vector<std::string> siblings;
};

/// What was found best of the nearest siblings that the store knows: points of
/// the space, at most `most`, the best of each sibling first. Nearest are those
/// of the same device, and of these those whose sizes differ by the least
/// factors. Records that can't be read are left out. Times of siblings rank
/// nothing.
SiblingPoints findBestOfSiblings(RecordStore &store, const SiblingPlace &place,
                                 const std::shared_ptr<const LegalSpace> &space,
                                 size_t most);

/// Lets siblings find what `keepBest` keeps of the kernel.
Result<void> keepAmongSiblings(RecordStore &store, const SiblingPlace &place);

} // namespace tonno

#endif // TONNO_SESSION_SIBLINGSTORE_H

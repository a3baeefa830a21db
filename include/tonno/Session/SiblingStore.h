//===- Best configurations at other shapes --------------------------------===//
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

/// A family of kernels that differ in their sizes only, and the sizes of one
/// member.
struct KernelFamily {
  std::string hash; ///< of the kernel without its sizes
  /// The shape of each argument and result.
  std::vector<std::vector<int64_t>> shapes;
};

/// The position of a session's kernel within its family.
struct SiblingContext {
  const ProblemIdentity &identity;
  const KernelFamily &family;
  const SearchSpace &space;

  /// Returns the SHA-256 of the properties shared by siblings: kernel, triple
  /// and the knobs' names; not shapes, options, chip, device or versions.
  std::string key() const;
};

/// Points that siblings were best with, and of which siblings: "for 512x512,
/// 512x512 on another device".
struct SiblingPoints {
  std::vector<StartingPoint> points;
  std::vector<std::string> siblings;
};

/// Returns the best configurations of the nearest siblings in the store: at
/// most `most` points of the space, the best of each sibling first. Siblings on
/// the same device are nearer than others; among these, nearness is the factor
/// by which sizes differ. Skips unreadable records. The times of siblings are
/// not used for ranking.
SiblingPoints findBestOfSiblings(RecordStore &store,
                                 const SiblingContext &place,
                                 const std::shared_ptr<const LegalSpace> &space,
                                 size_t most);

/// Lets siblings find what `storeBest` keeps of the kernel.
Result<void> registerSibling(RecordStore &store, const SiblingContext &place);

} // namespace tonno

#endif // TONNO_SESSION_SIBLINGSTORE_H

//===- What a schedule must know of a CPU ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_HOSTTRAITS_H
#define TONNO_TRANSFORMS_HOSTTRAITS_H

#include "tonno/Core/Result.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>

namespace tonno {

/// The sizes that bound a CPU's tiles, and what it sums up in pairs: two
/// products for each lane.
struct HostTraits {
  int64_t vectorBytes = 16;
  int64_t vectorRegisters = 16;
  int64_t l1Bytes = int64_t{32} << 10; ///< data, of one core
  int64_t l2Bytes = int64_t{512} << 10;
  bool addsPairsOfI16 = false;  ///< to i32
  bool addsPairsOfBf16 = false; ///< to f32

  /// Returns the number of elements of this size in a vector register.
  int64_t lanes(int64_t elementBytes) const {
    return std::max<int64_t>(vectorBytes / elementBytes, 1);
  }
};

/// Of a CPU as findHostChip takes it. Caches of a named CPU are not known: they
/// are taken to be the usual ones. An unknown name is an Error.
Result<HostTraits> hostTraits(llvm::StringRef chip);

} // namespace tonno

#endif // TONNO_TRANSFORMS_HOSTTRAITS_H

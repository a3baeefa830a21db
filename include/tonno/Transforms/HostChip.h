//===- CPUs by name -------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_HOSTCHIP_H
#define TONNO_TRANSFORMS_HOSTCHIP_H

#include "tonno/Core/Result.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace llvm {
class Target;
} // namespace llvm

namespace tonno {

/// A CPU to compile for.
struct HostChip {
  llvm::Triple triple;
  std::string name; ///< LLVM's, or "native" for the machine at hand
  const llvm::Target *target = nullptr;

  bool isNative() const { return name == "native"; }
};

/// Finds a CPU by LLVM's name for it, behind a triple if it is of another
/// architecture ("aarch64-linux-gnu:neoverse-n1"), or "native". Fails for what
/// LLVM doesn't know and tonno's formats don't fit.
Result<HostChip> findHostChip(llvm::StringRef chip);

/// Returns the code generator of a triple; null, with the reason, if LLVM was
/// built without it.
const llvm::Target *findHostTarget(const llvm::Triple &triple,
                                   std::string &reason);

/// Returns true if the triple's architecture differs from this process's.
bool isForeign(const llvm::Triple &triple);

/// The sizes that bound a CPU's tiles, and the pairs that it sums up per lane.
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

/// Returns the traits of a CPU named as for findHostChip. The caches of a named
/// CPU are unknown, so typical sizes are used. Fails on an unknown name.
Result<HostTraits> hostTraits(llvm::StringRef chip);

} // namespace tonno

#endif // TONNO_TRANSFORMS_HOSTCHIP_H

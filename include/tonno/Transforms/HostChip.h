//===- A CPU by its name --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRANSFORMS_HOSTCHIP_H
#define TONNO_TRANSFORMS_HOSTCHIP_H

#include "tonno/Core/Result.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Triple.h"

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

/// By its name as users give it: LLVM's for a CPU of this process's
/// architecture, or behind a triple one of another,
/// "aarch64-linux-gnu:neoverse-n1"; or "native". What LLVM doesn't know, and
/// what tonno's formats don't fit, is an Error.
Result<HostChip> findHostChip(llvm::StringRef chip);

/// The code generator of a triple; null, with the reason, where LLVM was built
/// without it.
const llvm::Target *findHostTarget(const llvm::Triple &triple,
                                   std::string &reason);

/// Whether a triple is of another architecture than this process.
bool isForeign(const llvm::Triple &triple);

} // namespace tonno

#endif // TONNO_TRANSFORMS_HOSTCHIP_H

//===- The host's backend -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_HOSTBACKEND_H
#define TONNO_LIB_BACKEND_HOST_HOSTBACKEND_H

#include "tonno/Backend/Backend.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tonno {

/// Returns the target of a CPU named as for findHostChip. Native features are
/// the differences to the features of the CPU's name, so that most machines
/// need none, and a native binary equals the one compiled by name.
Result<Target> hostTarget(llvm::StringRef chip);

/// Returns true if the chip has the feature with this LLVM name; false on
/// architectures without such a feature.
bool hasFeature(const Target &target, llvm::StringRef feature);

/// Creates LLVM's target machine; null if LLVM was built without the target.
/// `fuses` allows contraction of products and sums.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Target &target,
                                                         bool fuses = true);

Result<std::unique_ptr<Backend>> createHostBackend(llvm::StringRef chip);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_HOSTBACKEND_H

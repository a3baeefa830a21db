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

/// The target of a CPU as findHostChip takes it. Native features are stated as
/// what differs from the CPU's name, so that most machines need none and a
/// binary made by name is the one made natively.
Result<Target> hostTarget(llvm::StringRef chip);

/// Returns true if the chip has the feature with this LLVM name; false on
/// architectures without such a feature.
bool hasFeature(const Target &target, llvm::StringRef feature);

/// Null if LLVM was built without the target. `fuses`: a product and a sum may
/// become one operation.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Target &target,
                                                         bool fuses = true);

Result<std::unique_ptr<Backend>> createHostBackend(llvm::StringRef chip);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_HOSTBACKEND_H

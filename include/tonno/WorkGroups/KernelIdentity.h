//===- What a tuned local size belongs to ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_KERNELIDENTITY_H
#define TONNO_WORKGROUPS_KERNELIDENTITY_H

#include "tonno/WorkGroups/Tuning.h"

#include <string>

namespace tonno {

/// What a stored local size depends on, beside the question. Every member is
/// part of the key, so that whatever changes one of them misses.
struct KernelIdentity {
  std::string source; ///< the program's text, or its binary where it has none
  std::string name;   ///< of the kernel in it
  std::string buildOptions;
  std::string platform; ///< its name and version
  std::string device;   ///< its name and version
  std::string driver;   ///< CL_DRIVER_VERSION

  /// SHA-256 of the canonical JSON of all this, the global size, the candidates
  /// and the number of runs. Of the build options all counts but where headers
  /// are looked for and whether arguments are described, which no code depends
  /// on. What a header says is not part of it.
  std::string key(const TuningQuestion &question) const;
};

} // namespace tonno

#endif // TONNO_WORKGROUPS_KERNELIDENTITY_H

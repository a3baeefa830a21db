//===- Cache key of a tuned local size ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_KERNELIDENTITY_H
#define TONNO_WORKGROUPS_KERNELIDENTITY_H

#include "tonno/WorkGroups/Tuning.h"

#include <string>

namespace tonno {

/// Everything but the question that a stored local size depends on. Every
/// member is part of the key, so that a change of any member misses.
struct KernelIdentity {
  std::string source; ///< the program's text, or its binary where it has none
  std::string name;   ///< of the kernel in it
  std::string buildOptions;
  std::string platform; ///< its name and version
  std::string device;   ///< its name and version
  std::string driver;   ///< CL_DRIVER_VERSION

  /// Returns the SHA-256 of the canonical JSON of the identity, the global
  /// size, the candidates and the number of runs. Build options count, except
  /// for include paths and the option that describes arguments, since no code
  /// depends on them. The contents of headers are not part of the key.
  std::string key(const TuningQuestion &question) const;
};

} // namespace tonno

#endif // TONNO_WORKGROUPS_KERNELIDENTITY_H

//===- A compiled candidate -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_ARTIFACT_H
#define TONNO_CORE_ARTIFACT_H

#include "tonno/Core/Json.h"
#include "tonno/Core/LaunchPlan.h"
#include "tonno/Core/ResourceUsage.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tonno {

/// The target of what OpenCL's drivers compile and launch.
inline constexpr const char *openClTarget = "opencl";

/// A compiled candidate: all that a device needs to run it. No MLIR, no LLVM.
struct Artifact {
  std::string target; ///< "host", "nvptx", "amdgpu", "opencl"
  std::string triple;
  std::string chip;            ///< "znver4", "sm_90"
  std::vector<uint8_t> binary; ///< host: an ELF shared object
  LaunchPlan plan;
  ResourceUsage usage;
  /// The input that the binary was made of, if the bytes are not reproducible:
  /// OpenCL drivers may write names of temporary files into binaries.
  std::string origin = {};

  /// Returns the SHA-256 of `binary`, in hex: the output of `sha256sum` for the
  /// emitted file. With an origin, hashes the origin and the launches, since
  /// OpenCL's binaries do not state the size of workgroups.
  std::string hash() const;
};

/// Maps the binary to a JSON binary value, so that an Artifact can be sent as
/// CBOR but not printed as text.
void mapFields(JsonFields &fields, Artifact &artifact);

} // namespace tonno

#endif // TONNO_CORE_ARTIFACT_H

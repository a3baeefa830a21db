//===- ResourceUsage.h - What a candidate takes of the device ---*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_CORE_RESOURCEUSAGE_H
#define TONNO_CORE_RESOURCEUSAGE_H

#include "tonno/Core/Json.h"

#include <cstdint>
#include <optional>

namespace tonno {

/// What the binary takes of the device. A value that the tools at hand can't
/// tell is absent, and shown as unknown.
struct ResourceUsage {
  std::optional<uint64_t> codeBytes; ///< machine code
  std::optional<uint64_t>
      workspaceBytes; ///< scratch, over all workspace buffers

  bool operator==(const ResourceUsage &) const = default;
};

void to_json(Json &json, const ResourceUsage &usage);
void from_json(const Json &json, ResourceUsage &usage);

} // namespace tonno

#endif // TONNO_CORE_RESOURCEUSAGE_H

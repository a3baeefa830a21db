//===- A point of a search space ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_CONFIGURATION_H
#define TONNO_CORE_CONFIGURATION_H

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tonno {

/// A value for each knob of a space, as indices into the knobs' options.
/// SearchSpace defines the meaning of the indices.
struct Configuration {
  std::vector<uint32_t> indices;

  auto operator<=>(const Configuration &) const = default;
};

struct ConfigurationHash {
  size_t operator()(const Configuration &configuration) const {
    size_t hash = 0;
    for (uint32_t index : configuration.indices)
      hash = (hash ^ index) * 0x9E3779B97F4A7C15ull;
    return hash ^ (hash >> 32);
  }
};

} // namespace tonno

#endif // TONNO_CORE_CONFIGURATION_H

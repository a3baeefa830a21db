//===- Features of a kernel for models of many kernels --------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_KERNELFEATURES_H
#define TONNO_CORE_KERNELFEATURES_H

#include "tonno/Core/Json.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tonno {

/// A setting of an op in any configuration: a value, or a knob's.
struct OpSetting {
  Json value;       ///< null if a knob has it
  std::string knob; ///< empty for a value

  bool operator==(const OpSetting &) const = default;
};

/// An op with a lowering configuration, described such that ops of different
/// kernels are comparable. Loops are named by their roles: `m`, `n`, `k` and
/// `b` (batch) in contractions and convolutions, with `t` for the taps of
/// filters; `p0`, `p1` and so on for other parallel loops and `r0`, `r1` for
/// other reduction loops, from the innermost. Of several loops with one role,
/// the innermost is `m`, the next one `m1`.
struct OpFeatures {
  std::string kind; ///< "contraction", "reduction pr", "elementwise" and others
  uint32_t bits = 0; ///< of an element of the first operand; 0: unknown
  std::map<std::string, int64_t> sizes; ///< of loops; 0 for a dynamic one
  /// By key of the lowering configuration, with a loop where the key has a
  /// value for each: "subgroup.m". Tiles of 0 are the loop's size.
  std::map<std::string, OpSetting> settings;

  bool operator==(const OpFeatures &) const = default;
};

/// The ops of a kernel whose lowering a configuration decides, in the order of
/// the code. Knobs elsewhere, as in transform schedules, have no op.
struct KernelFeatures {
  std::vector<OpFeatures> ops;

  bool operator==(const KernelFeatures &) const = default;
};

void to_json(Json &json, const OpSetting &setting);
void from_json(const Json &json, OpSetting &setting);
void mapFields(JsonFields &fields, OpFeatures &op);
void mapFields(JsonFields &fields, KernelFeatures &features);

} // namespace tonno

#endif // TONNO_CORE_KERNELFEATURES_H

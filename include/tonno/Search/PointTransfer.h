//===- Points of one space in another -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_POINTTRANSFER_H
#define TONNO_SEARCH_POINTTRANSFER_H

#include "tonno/Search/Encoding.h"
#include "tonno/Search/LegalSpace.h"

#include <optional>

namespace tonno {

/// Finds what comes nearest to a configuration of another space whose knobs
/// have the same names: the same kernel's, at another shape or on another
/// device.
class PointTransfer {
public:
  explicit PointTransfer(std::shared_ptr<const LegalSpace> space);

  /// An option that the space does not have gives way to the nearest one, by
  /// ratio, where the knob is ordered; an illegal point to a near legal one.
  /// None: other knobs, an option that has nothing near, or nothing legal.
  std::optional<Configuration> transfer(const Json &values);

private:
  std::optional<uint32_t> nearestOption(size_t knob, const Json &value) const;

  std::shared_ptr<const LegalSpace> space;
  Encoding encoding;
  LegalSampler sampler;
  Random random{1};
};

} // namespace tonno

#endif // TONNO_SEARCH_POINTTRANSFER_H

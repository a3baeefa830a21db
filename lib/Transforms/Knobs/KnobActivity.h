//===- Where a knob makes a difference ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_KNOBS_KNOBACTIVITY_H
#define TONNO_LIB_TRANSFORMS_KNOBS_KNOBACTIVITY_H

#include "tonno/Core/SearchSpace.h"
#include "tonno/Transforms/KnobSites.h"

#include "llvm/ADT/SmallVector.h"

namespace tonno {

/// Where a knob's value makes a difference: in a schedule it may stand within
/// regions of `transform.tune.alternatives`, of which one is taken.
class KnobActivity {
public:
  /// One of the knob's places.
  void add(const KnobSite &site);

  /// That the knob has its default where none of its places is taken, so that
  /// equal code is one configuration. Empty if some place always is, and for a
  /// default that no constraint can state.
  std::string constraint(const Knob &knob) const;

private:
  bool isAlways = false;
  llvm::SmallVector<std::string> conditions; ///< of the places
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_KNOBS_KNOBACTIVITY_H

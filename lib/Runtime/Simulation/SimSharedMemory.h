//===- A simulated workgroup's memory -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_SIMULATION_SIMSHAREDMEMORY_H
#define TONNO_LIB_RUNTIME_SIMULATION_SIMSHAREDMEMORY_H

#include "tonno/Core/SimObject.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// The shared memory of one workgroup after the other: the areas of an object,
/// and what the launch asks for.
class SimSharedMemory {
public:
  /// `dynamicBytes` must be no more than the object's dynamic area has.
  SimSharedMemory(const SimObject &object, uint64_t dynamicBytes);

  /// Fills all with ones, which are NaN, so that nothing is left of the
  /// workgroup before; and the redzones with NaN of their own.
  void poison() const;

  /// What was written beside the areas, in words; none if nothing was.
  std::optional<std::string> findStrayWrite() const;

private:
  std::vector<SimArea> areas;
};

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_SIMULATION_SIMSHAREDMEMORY_H

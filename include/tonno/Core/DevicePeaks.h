//===- The highest rates of a device --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_DEVICEPEAKS_H
#define TONNO_CORE_DEVICEPEAKS_H

#include "tonno/Core/Measurement.h"
#include "tonno/Core/TimeBound.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// The peaks that a kernel can be compared with.
struct PeakQuery {
  uint32_t threads = 1;
  ElementType operand = ElementType::f32; ///< of the multiply-adds
  ElementType sum = ElementType::f32;

  auto operator<=>(const PeakQuery &) const = default;
};

/// A level of the memory: a cache, or the memory behind all of them.
struct MemoryLevel {
  std::string name;     ///< "L1", "L2", "L3", "DRAM"
  uint64_t bytes = 0;   ///< of a thread's share; 0 for the memory
  double bandwidth = 0; ///< bytes a second, of all threads together
};

/// The highest rates of a device, by micro-benchmarks or by a data sheet.
struct DevicePeaks {
  PeakQuery query;
  /// The product whose data sheet states the rates; empty if micro-benchmarks
  /// measured them.
  std::string dataSheet = {};
  /// Multiply-adds a second of all threads; 0 if no micro-benchmark has these
  /// element types.
  double macs = 0;
  std::string instruction;         ///< that makes them: "vfmadd231ps zmm"
  std::vector<MemoryLevel> memory; ///< the fastest first
};

/// Returns the peaks of a GPU's data sheet, in which caches have no bandwidth.
/// None if the device is another product than that of the chip's figures, which
/// may be faster: an H200 is an H100 with more bandwidth.
std::optional<DevicePeaks> findDataSheetPeaks(const GpuChip &chip,
                                              std::string_view device,
                                              const PeakQuery &query);

void mapFields(JsonFields &fields, PeakQuery &query);
void mapFields(JsonFields &fields, MemoryLevel &level);
void mapFields(JsonFields &fields, DevicePeaks &peaks);

/// The least time of a kernel's work on a device, whatever its code is.
struct RooflineLimit {
  double seconds = 0;
  bool isMemory = false; ///< else the multiply-adds take the time
  double rate = 0;       ///< the peak: operations or bytes a second
  std::string name;      ///< of the instruction or the level of memory
};

void mapFields(JsonFields &fields, RooflineLimit &limit);

/// Why a kernel has no limit.
enum class NoLimit {
  work,      ///< its operations or bytes are unknown
  device,    ///< neither micro-benchmarks nor a data sheet
  benchmark, ///< the micro-benchmarks failed
  types,     ///< no peak of the element types
  memory,    ///< no bandwidth of the level that has the data
  exceeded,  ///< the kernel is faster than the peaks
};

EnumNames getEnumNames(NoLimit);

/// Returns the floating-point (or integer) operations of the multiply-adds.
inline double countOperations(const KernelWork &work) {
  return 2.0 * static_cast<double>(work.macs);
}

/// Returns the bytes that every launch moves: inputs that are read as a whole,
/// and results. None if the reads are unknown.
std::optional<double> getCompulsoryBytes(const KernelWork &work);

/// Returns the limit: the longer of the multiply-adds at their peak and the
/// compulsory bytes at the bandwidth of the level that they come from, which is
/// the memory unless launches find their data in a cache. None if the work or
/// the peaks are unknown: `findUnknown` says which.
std::optional<RooflineLimit> computeRooflineLimit(const KernelWork &work,
                                                  const DevicePeaks &peaks,
                                                  CacheState state);

/// Returns what is unknown where `computeRooflineLimit` returns none.
NoLimit findUnknown(const KernelWork &work, const DevicePeaks &peaks);

} // namespace tonno

#endif // TONNO_CORE_DEVICEPEAKS_H

//===- The highest rates of a device --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/DevicePeaks.h"

#include <algorithm>

using namespace tonno;

EnumNames tonno::getEnumNames(NoLimit) {
  static constexpr std::string_view names[] = {"work",  "device", "benchmark",
                                               "types", "memory", "exceeded"};
  static_assert(std::size(names) == static_cast<size_t>(NoLimit::exceeded) + 1);
  return {"reason without a limit", names};
}

std::optional<DevicePeaks> tonno::findDataSheetPeaks(const GpuChip &chip,
                                                     std::string_view device,
                                                     const PeakQuery &query) {
  if (chip.product.empty() || device.find(chip.product) == device.npos)
    return std::nullopt;
  DevicePeaks peaks;
  peaks.query = query;
  peaks.dataSheet = chip.product;
  peaks.macs = peakMacs(chip, query.operand, query.sum);
  peaks.instruction = "the fastest units";
  peaks.memory = {{"DRAM", 0, chip.gigabytes * 1e9}};
  return peaks;
}

void tonno::mapFields(JsonFields &fields, PeakQuery &query) {
  fields("threads", query.threads);
  fields("operand", query.operand);
  fields("sum", query.sum);
}

void tonno::mapFields(JsonFields &fields, MemoryLevel &level) {
  fields("name", level.name);
  fields("bytes", level.bytes);
  fields("bytes_per_second", level.bandwidth);
}

void tonno::mapFields(JsonFields &fields, DevicePeaks &peaks) {
  mapFields(fields, peaks.query);
  fields("data_sheet", peaks.dataSheet, {});
  fields("macs_per_second", peaks.macs);
  fields("instruction", peaks.instruction);
  fields("memory", peaks.memory);
}

void tonno::mapFields(JsonFields &fields, RooflineLimit &limit) {
  fields("seconds", limit.seconds);
  fields("is_memory", limit.isMemory);
  fields("per_second", limit.rate);
  fields("name", limit.name);
}

std::optional<double> tonno::getCompulsoryBytes(const KernelWork &work) {
  if (work.bytesRead == 0)
    return std::nullopt;
  return static_cast<double>(work.bytesRead + work.bytesWritten);
}

/// Returns the level that the bytes come from.
static const MemoryLevel *findLevel(const DevicePeaks &peaks, double bytes,
                                    CacheState state) {
  if (peaks.memory.empty())
    return nullptr;
  // Warm data may come from a cache, which a data sheet says nothing of.
  if (state == CacheState::warm && !peaks.dataSheet.empty())
    return nullptr;
  double each = bytes / peaks.query.threads;
  if (state == CacheState::warm)
    for (const MemoryLevel &level : peaks.memory)
      if (each <= static_cast<double>(level.bytes))
        return &level;
  const MemoryLevel &last = peaks.memory.back();
  return last.bytes == 0 ? &last : nullptr; // else the memory was not measured
}

std::optional<RooflineLimit>
tonno::computeRooflineLimit(const KernelWork &work, const DevicePeaks &peaks,
                            CacheState state) {
  std::optional<RooflineLimit> limit;
  if (work.macs > 0 && peaks.macs > 0)
    limit = {static_cast<double>(work.macs) / peaks.macs, false, 2 * peaks.macs,
             peaks.instruction};
  auto bytes = getCompulsoryBytes(work);
  const MemoryLevel *level = bytes ? findLevel(peaks, *bytes, state) : nullptr;
  if (level && level->bandwidth > 0 &&
      *bytes / level->bandwidth > (limit ? limit->seconds : 0))
    limit = {*bytes / level->bandwidth, true, level->bandwidth, level->name};
  // Work of an unknown peak may take longer than the bytes.
  if (work.macs > 0 && peaks.macs <= 0)
    return std::nullopt;
  return limit;
}

NoLimit tonno::findUnknown(const KernelWork &work, const DevicePeaks &peaks) {
  if (!getCompulsoryBytes(work))
    return NoLimit::work;
  return work.macs > 0 && peaks.macs <= 0 ? NoLimit::types : NoLimit::memory;
}

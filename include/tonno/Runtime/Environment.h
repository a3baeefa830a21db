//===- Sources of timing noise on a machine -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_ENVIRONMENT_H
#define TONNO_RUNTIME_ENVIRONMENT_H

#include "tonno/Engine/Runner.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// The least limits of the control groups above this process.
struct CgroupLimits {
  std::optional<double> cores;
  std::optional<uint64_t> memoryBytes;
};
CgroupLimits readCgroupLimits(const std::filesystem::path &root = "/");

/// Inspects the machine with its files under `root`, and who shares
/// `timingCore`, of the `cores` that this process may use.
Environment inspectHost(int timingCore, size_t cores,
                        const std::filesystem::path &root = "/");

/// Returns the processor's name; of Arm's, "Arm CPU <implementer> <part>".
std::string processorName(const std::filesystem::path &root = "/");

/// Returns the cores that share the execution units of this one, including
/// itself.
std::vector<int> getSiblingCores(int core,
                                 const std::filesystem::path &root = "/");

/// Returns the bytes of memory that this process may use; 0 if unknown.
uint64_t usableMemory(const std::filesystem::path &root = "/");

/// Returns the bytes of it that are free now; 0 if that can't be read. A
/// control group's share that others of it hold counts as free.
uint64_t availableMemory(const std::filesystem::path &root = "/");

/// Names the processes that use most of a processor now, other than this one
/// and its descendants: "make (pid 12) 98 % of a core, ...". Takes 0.1 s. Empty
/// if none uses much, or others can't be seen, as in some containers.
std::string busiestProcesses(const std::filesystem::path &proc = "/proc");

} // namespace tonno

#endif // TONNO_RUNTIME_ENVIRONMENT_H

//===- Lock files ---------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_LOCKFILE_H
#define TONNO_SESSION_LOCKFILE_H

#include "tonno/Core/Artifact.h"
#include "tonno/Core/Measurement.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tonno {

/// The decision for a kernel on a chip, as a lock file states it.
struct LockedKernel {
  std::string kernel, chip;
  std::string device;
  Json values;
  std::string artifact; ///< Artifact::hash
  std::string plan;     ///< hashPlan
  std::string ir;       ///< ProblemIdentity::kernelHash
  std::string features; ///< of the chip
  std::string compiler; ///< the hash of Backend::fingerprint
  std::string versions; ///< of tonno and LLVM
  /// Speedup over the default; none if other code was measured.
  std::optional<Speedup> speedup = {};
  /// The time that the hardware needs at least, as a share of the measured one.
  std::optional<double> limitShare = {};
};

void mapFields(JsonFields &fields, LockedKernel &locked);

/// Returns the SHA-256 of a launch plan, which Artifact::hash does not cover.
std::string hashPlan(const LaunchPlan &plan);

/// Returns which of `knobs`, `compiler`, `chip` and `IR` differ: causes of
/// another binary.
std::vector<std::string> findCauses(const LockedKernel &before,
                                    const LockedKernel &now);

/// A lock file: text, an object a line, sorted by kernel and chip.
class LockFile {
public:
  /// Parses a file's text. The Error names the line.
  static Result<LockFile> parse(const std::string &text);
  std::string print() const;

  /// Adds an entry, or replaces that of the same kernel and chip.
  void set(LockedKernel locked);
  /// Does so for each entry of another lock file. Returns the kernels whose
  /// replaced entries were of other IR.
  std::vector<std::string> add(const LockFile &other);
  /// Returns the entry of a kernel for a chip, else its only one unless it must
  /// be exact; null if there is none, or if several are for other chips.
  const LockedKernel *find(const std::string &kernel, const std::string &chip,
                           bool isExact) const;
  /// Returns the chips that a kernel is locked for.
  std::vector<std::string> chips(const std::string &kernel) const;
  size_t size() const { return entries.size(); }

private:
  std::map<std::pair<std::string, std::string>, LockedKernel> entries;
};

/// Binaries in files that are named by their hashes: `<hash>.artifact`.
class BinaryDirectory {
public:
  explicit BinaryDirectory(std::filesystem::path path)
      : path(std::move(path)) {}

  Result<void> store(const Artifact &artifact) const;
  /// Returns the binary of a locked kernel; none if there is no file. The Error
  /// is a file with other contents than its name and the lock state.
  Result<std::optional<Artifact>> find(const LockedKernel &locked) const;

private:
  std::filesystem::path getFile(const std::string &hash) const;

  std::filesystem::path path;
};

} // namespace tonno

#endif // TONNO_SESSION_LOCKFILE_H

//===- Reproductions of failures ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_REPRODUCTION_H
#define TONNO_SESSION_REPRODUCTION_H

#include "tonno/Core/Trial.h"
#include "tonno/Engine/Compiler.h"
#include "tonno/Runtime/RunnerProcess.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// A failure, with all that is needed to have it again: on the machine where
/// it was, or on another of its kind.
struct Reproduction {
  std::string kernel;
  Json values;
  Status status = Status::ok;
  std::string message;
  std::string versions; ///< of tonno and LLVM
  std::string device;   ///< "host", "cuda:1"
  /// The input of the compiler; has no module if another machine compiled the
  /// candidate, which then ran.
  CompilerSession source;
  /// The session of the runner, with the binary, unless that belongs to another
  /// session; empty if the candidate did not compile.
  std::optional<RunnerSession> runner;
  std::optional<RunRequest> request; ///< no binary: compile it
  /// Limits the seconds of one run of the reference.
  double referenceSeconds = RunnerLimits().referenceSeconds;
  /// The contents of the kernel's input files by path, except files that are
  /// too large or unreadable; those are read from their original path.
  std::map<std::string, std::vector<uint8_t>> files = {};
};

/// The largest input file, in bytes, that is embedded.
inline constexpr uintmax_t mostEmbedded = uintmax_t{16} << 20;

/// Takes in the files that the runner's inputs are read from.
void embedFiles(Reproduction &reproduction);

/// Puts the files that it holds into the directory, and lets the runner read
/// them there.
Result<void> extractFiles(Reproduction &reproduction,
                          const std::filesystem::path &directory);

std::string encodeReproduction(const Reproduction &reproduction);

/// Decodes a reproduction; the Error is another kind of file, another version,
/// or damage.
Result<Reproduction> decodeReproduction(std::string_view bytes);

} // namespace tonno

#endif // TONNO_SESSION_REPRODUCTION_H

//===- A failure to have again --------------------------------------------===//
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
  /// What the candidate was compiled from; without a module, if that was
  /// elsewhere: then it was run.
  CompilerSession source;
  /// How it was run, with its binary, unless that was in another session; empty
  /// if it did not compile.
  std::optional<RunnerSession> runner;
  std::optional<RunRequest> request; ///< no binary: compile it
  /// That one run of the reference may take.
  double referenceSeconds = RunnerLimits().referenceSeconds;
  /// What the files held that its inputs are read from, by path; without those
  /// that are too large or can't be read, which are read where they are.
  std::map<std::string, std::vector<uint8_t>> files = {};
};

/// Of the files that inputs are read from.
inline constexpr uintmax_t mostEmbedded = uintmax_t{16} << 20;

/// Takes in the files that the runner's inputs are read from.
void embedFiles(Reproduction &reproduction);

/// Puts the files that it holds into the directory, and lets the runner read
/// them there.
Result<void> extractFiles(Reproduction &reproduction,
                          const std::filesystem::path &directory);

std::string encodeReproduction(const Reproduction &reproduction);

/// The Error says whether it is no such file, of another version, or damaged.
Result<Reproduction> decodeReproduction(std::string_view bytes);

} // namespace tonno

#endif // TONNO_SESSION_REPRODUCTION_H

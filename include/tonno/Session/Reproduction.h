//===- Reproduction.h - A failure to have again --------------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_SESSION_REPRODUCTION_H
#define TONNO_SESSION_REPRODUCTION_H

#include "tonno/Core/Trial.h"
#include "tonno/Runtime/Runner.h"
#include "tonno/Session/Compiler.h"

#include <optional>
#include <string>

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
  /// How it was run, with its binary; empty if it did not compile.
  std::optional<RunnerSession> runner;
  std::optional<RunRequest> request;
};

std::string encodeReproduction(const Reproduction &reproduction);

/// The Error says whether it is no such file, of another version, or damaged.
Result<Reproduction> decodeReproduction(std::string_view bytes);

} // namespace tonno

#endif // TONNO_SESSION_REPRODUCTION_H

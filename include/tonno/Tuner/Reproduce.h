//===- Reproduce.h - Has a failure again ---------------------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TUNER_REPRODUCE_H
#define TONNO_TUNER_REPRODUCE_H

#include "tonno/Session/Reproduction.h"

namespace tonno {

/// Compiles or runs what failed once more, as it was, and returns what comes of
/// it; `ok` among others. The Error is for what keeps it from being tried. Of
/// the commands, an empty one stands for tonno-worker or tonno-runner.
Result<Failure> reproduce(const Reproduction &reproduction,
                          const std::vector<std::string> &workerCommand,
                          const std::vector<std::string> &runnerCommand);

} // namespace tonno

#endif // TONNO_TUNER_REPRODUCE_H

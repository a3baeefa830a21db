//===- The main function of a worker --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_WORKERMAIN_H
#define TONNO_TUNER_WORKERMAIN_H

#include "mlir/IR/DialectRegistry.h"

namespace tonno {

/// Runs a worker. A downstream compiler calls this with its own dialects
/// registered, and so becomes its own worker (`--worker-command`). More than
/// one candidate a process saves forks, if CompileLimits allows it; with
/// plugins, each candidate has its own process.
int workerMain(int argc, char **argv, mlir::DialectRegistry &registry,
               uint32_t candidatesPerProcess = 1);

} // namespace tonno

#endif // TONNO_TUNER_WORKERMAIN_H

//===- Server side of the worker protocol ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_WORKERSERVER_H
#define TONNO_LIB_TUNER_WORKERSERVER_H

#include "tonno/Backend/Compile.h"
#include "tonno/Engine/Compiler.h"

#include "mlir/IR/DialectRegistry.h"

#include <functional>

namespace tonno {

struct FrameChannel;

/// Limits of one compilation.
struct CompileLimits {
  /// Time after which a compilation ends as compile_timeout. Waiting for a
  /// processor does not count (Subprocess.h).
  double seconds = 60;
  /// Least limit once five candidates of a kernel are compiled; the limit is
  /// then 20 times the longest of their compile times.
  double leastSeconds = 10;
  /// Address space in addition to that of the process at its start; a
  /// compilation that needs more ends as out_of_memory.
  uint64_t bytes = uint64_t{8} << 30;
  /// Number of candidates that one process compiles unless one fails. Values
  /// above 1 are safe only if neither passes nor the backend keep state between
  /// compilations: lld, for example, resets the options of llvm::cl when it
  /// links.
  uint32_t candidatesPerProcess = 1;
  /// Interval between signs of life while a candidate compiles.
  double aliveSeconds = 1;
};

using BackendFactory =
    std::function<Result<std::unique_ptr<Backend>>(const BackendRequest &)>;

/// Serves a WorkerProcess on this descriptor until it closes. `{"hello": ...}`
/// is answered immediately; `{"open": ...}` parses the kernel and makes the
/// backend. `{"reference": "native"}`, or "any" for code that runs on any CPU
/// of the architecture, and `{"compile": values}` run in processes forked from
/// that warm state: the reference in a separate one, candidates in one process
/// until a limit is reached or one fails. A candidate crashes, or runs out of
/// memory, only by its effect on a fresh process. An answer to `compile`
/// repeats the values. While a process compiles, `{"alive": true}` is sent
/// every `aliveSeconds`. Returns the exit status.
int serveWorker(const FrameChannel &channel,
                const mlir::DialectRegistry &registry,
                const BackendFactory &backends,
                const CompileLimits &limits = {});

/// Compiles a small kernel of tonno's own under this name, so that what happens
/// but once in a process or context, such as loading dialects and making passes
/// ready, has happened before processes fork that would each do it again. Its
/// code is not linked or assembled. Where it fails, nothing is lost but time.
mlir::LogicalResult warmUp(CandidateCompiler &compiler, const Backend &backend,
                           mlir::MLIRContext &context, llvm::StringRef kernel);

} // namespace tonno

#endif // TONNO_LIB_TUNER_WORKERSERVER_H

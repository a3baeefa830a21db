//===- WorkerServer.h - The worker's end of the protocol --------*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_TUNER_WORKERSERVER_H
#define TONNO_TUNER_WORKERSERVER_H

#include "tonno/Backend/Backend.h"
#include "tonno/Tuner/Compiler.h"

#include "mlir/IR/DialectRegistry.h"

#include <functional>

namespace tonno {

/// A compilation that takes longer ends as compile_timeout.
inline constexpr double compileLimitSeconds = 60;

using BackendFactory = std::function<Result<std::unique_ptr<Backend>>(
    llvm::StringRef target, llvm::StringRef chip)>;

/// Serves a WorkerProcess on this descriptor until it closes. `{"open": ...}`
/// parses the kernel and makes the backend; `{"reference": {}}` and
/// `{"compile": values}` fork from that warm state, so that whatever the
/// compiler does, the next candidate starts clean. Returns the exit status.
int serveWorker(int channel, const mlir::DialectRegistry &registry,
                const BackendFactory &backends,
                double limitSeconds = compileLimitSeconds);

} // namespace tonno

#endif // TONNO_TUNER_WORKERSERVER_H

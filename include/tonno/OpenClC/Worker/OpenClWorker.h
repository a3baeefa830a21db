//===- Compiles OpenCL kernels --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_OPENCLC_WORKER_OPENCLWORKER_H
#define TONNO_OPENCLC_WORKER_OPENCLWORKER_H

#include "tonno/Session/CompilingChild.h"

namespace tonno {

/// Serves a compiler's client on this channel until it closes, as serveWorker
/// does for MLIR (Tuner/WorkerServer.h), but that a session's module is an
/// OpenClSource as CBOR. All that its driver does is done in a process that
/// forks from this one, which never touches a driver: a driver has threads,
/// which would not survive. Its memory is not bounded, since GPUs' drivers
/// reserve address space without measure. `which` is an index or a UUID of a
/// device, `loader` the path of OpenCL's library; empty: the first, and the
/// system's. Returns the exit status.
int serveOpenClWorker(const FrameChannel &channel, const std::string &which,
                      const std::string &loader);

} // namespace tonno

#endif // TONNO_OPENCLC_WORKER_OPENCLWORKER_H

//===- Who a process is ----------------- ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_RUNNER_PROCESSDESCRIPTION_H
#define TONNO_LIB_RUNTIME_RUNNER_PROCESSDESCRIPTION_H

#include <string>
#include <sys/types.h>

namespace tonno {

/// "process 4711 of user ann, 'tonno-runner', started by process 4709,
/// 'tonno-tune kernel.mlir'", as far as /proc tells it; printable.
std::string describeProcess(pid_t process);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_RUNNER_PROCESSDESCRIPTION_H

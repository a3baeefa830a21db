//===- Why a reference may crash ------------ -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_RUNNER_REFERENCECRASH_H
#define TONNO_LIB_RUNTIME_RUNNER_REFERENCECRASH_H

#include "tonno/Core/ProcessEnd.h"
#include "tonno/Runtime/Runner.h"

namespace tonno {

/// Returns what a user may do about a reference that ended the runner: the end
/// of a message. Integers that are drawn may divide or index what they must
/// not.
std::string adviseOnCrash(const ProcessEnd &end, const RunnerSession &session);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_RUNNER_REFERENCECRASH_H

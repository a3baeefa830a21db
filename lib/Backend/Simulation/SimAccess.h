//===- Accesses of a simulated kernel -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_SIMULATION_SIMACCESS_H
#define TONNO_LIB_BACKEND_SIMULATION_SIMACCESS_H

#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"

namespace tonno {

/// Makes a kernel tell the device, by SimRuntime::stray, of each access by way
/// of one of its arguments that is not within the argument's buffer: of what is
/// read there, nothing may become of the results. `object` is its SimObject;
/// pointers have the host's layout already.
void checkAccesses(llvm::Function &kernel, llvm::GlobalVariable &object);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_SIMULATION_SIMACCESS_H

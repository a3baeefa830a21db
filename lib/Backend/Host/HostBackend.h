//===- Kernels for the CPU ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_BACKEND_HOST_HOSTBACKEND_H
#define TONNO_LIB_BACKEND_HOST_HOSTBACKEND_H

#include "tonno/Backend/Backend.h"

namespace tonno {

Result<std::unique_ptr<Backend>> createHostBackend(llvm::StringRef chip);

} // namespace tonno

#endif // TONNO_LIB_BACKEND_HOST_HOSTBACKEND_H

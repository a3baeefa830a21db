//===- The cores that a process may use -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_HOSTCORES_H
#define TONNO_LIB_RUNTIME_HOST_HOSTCORES_H

#include "tonno/Core/Result.h"

#include <span>
#include <vector>

namespace tonno {

/// The cores this process may use, in order.
std::vector<int> allowedCores();

/// The same in the order in which threads get them: first the one that times,
/// then those that share no units with one before them.
std::vector<int> coresForThreads();

/// Keeps the calling thread, and those it starts, on these.
Result<void> useCores(std::span<const int> cores);

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_HOSTCORES_H

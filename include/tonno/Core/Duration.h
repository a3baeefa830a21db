//===- Durations as text --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_DURATION_H
#define TONNO_CORE_DURATION_H

#include <string>

namespace tonno {

/// Returns "1.83 ms": that many significant digits, and a unit from s to ns.
std::string formatSeconds(double seconds, int digits = 3);

} // namespace tonno

#endif // TONNO_CORE_DURATION_H

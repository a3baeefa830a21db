//===- The version of tonno -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_VERSION_H
#define TONNO_CORE_VERSION_H

#include <string_view>

namespace tonno {

/// Returns the version: "0.1.0".
std::string_view version();

} // namespace tonno

#endif // TONNO_CORE_VERSION_H

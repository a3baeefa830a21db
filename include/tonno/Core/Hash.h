//===- SHA-256 ------------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_HASH_H
#define TONNO_CORE_HASH_H

#include <string>
#include <string_view>

namespace tonno {

/// Returns the SHA-256 of the bytes in lower-case hex, 64 characters.
std::string sha256(std::string_view bytes);

} // namespace tonno

#endif // TONNO_CORE_HASH_H

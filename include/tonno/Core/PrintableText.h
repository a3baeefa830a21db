//===- Text that is safe on a terminal ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_PRINTABLETEXT_H
#define TONNO_CORE_PRINTABLETEXT_H

#include <string>
#include <string_view>

namespace tonno {

/// Returns UTF-8 text with control characters, except tabs and line ends, and
/// invalid UTF-8 escaped as "\x1b": names and messages come from files,
/// compilers and kernels, and a terminal would interpret escape sequences in
/// them.
std::string toPrintable(std::string_view text);

} // namespace tonno

#endif // TONNO_CORE_PRINTABLETEXT_H

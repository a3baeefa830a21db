//===- Output of tools for people -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_TERMINAL_H
#define TONNO_TOOLS_TERMINAL_H

#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <string>

namespace tonno {

/// Returns standard error for messages. Names and texts from kernels and files
/// are made printable at the end of each line (toPrintable).
llvm::raw_ostream &messages();

/// Passes each message, whole lines, to `print` from now on: something else is
/// shown on the terminal, which a message must not tear.
void redirectMessages(std::function<void(const std::string &)> print);

/// Returns standard output, made printable on a terminal only.
llvm::raw_ostream &answers();

} // namespace tonno

#endif // TONNO_TOOLS_TERMINAL_H

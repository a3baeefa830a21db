//===- What tools print for people ---------------- -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_TERMINAL_H
#define TONNO_TOOLS_TERMINAL_H

#include "llvm/Support/raw_ostream.h"

namespace tonno {

/// Standard error for messages, which have names and texts of kernels and files
/// in them: those are printed by toPrintable, at the end of each line.
llvm::raw_ostream &messages();

/// Standard output: the same on a terminal, else as it is.
llvm::raw_ostream &answers();

} // namespace tonno

#endif // TONNO_TOOLS_TERMINAL_H

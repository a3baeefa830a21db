//===- Errors that end tonno-tune -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_TONNOTUNE_ERROREXIT_H
#define TONNO_TOOLS_TONNOTUNE_ERROREXIT_H

#include "tonno/Engine/Compiler.h"

#include <string>

namespace tonno {

/// Prints the error to stderr, with its location and note if it has any, and
/// returns the exit status of a failure.
int fail(const LocatedError &error);
int fail(const std::string &message);

} // namespace tonno

#endif // TONNO_TOOLS_TONNOTUNE_ERROREXIT_H

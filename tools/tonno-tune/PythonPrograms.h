//===- Programs of the Python package -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_PYTHONPROGRAMS_H
#define TONNO_TOOLS_PYTHONPROGRAMS_H

#include <string>
#include <vector>

namespace tonno {

/// Becomes a program of the Python package, with these arguments. Returns 1
/// with an error that says what needs it, such as "'--run' needs", if it is not
/// installed.
int becomePythonProgram(const std::string &program,
                        std::vector<std::string> arguments,
                        const std::string &whatNeedsIt);

} // namespace tonno

#endif // TONNO_TOOLS_PYTHONPROGRAMS_H

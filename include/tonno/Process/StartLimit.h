//===- How long a program may take to answer ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_STARTLIMIT_H
#define TONNO_PROCESS_STARTLIMIT_H

#include <string>
#include <vector>

namespace tonno {

/// From the start of a worker's or a runner's command to its first answer, in
/// seconds of FairLimit. No work is asked for until then, so it is not what the
/// work may take; but a command may have to connect first.
constexpr double defaultStartSeconds = 30;

/// Behind "gave no answer": what to look at. `program` is what the command has
/// to bring up.
std::string startRemedy(const std::vector<std::string> &command,
                        const std::string &program);

} // namespace tonno

#endif // TONNO_PROCESS_STARTLIMIT_H

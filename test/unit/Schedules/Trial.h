//===- Trial of a mutant --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TRIAL_H
#define TONNO_TRIAL_H

#include "Mutation.h"

namespace tonno {

/// Outcome of a mutant: a status, and the seed of the order of threads.
struct Outcome {
  std::string status; ///< "ok" where nobody noticed; "ended" with its process
  uint64_t seed = 0;  ///< the first that showed it; 0: none, or none was run
};

/// Compiles and verifies a mutant in a process of its own, which it may take
/// along, with one seed after the other until one shows a difference. The
/// kernel as it is was verified with the seeds before.
Outcome tryMutant(Workbench &workbench, const std::string &text,
                  const std::string &chip, const Workbench::Lowered &lowered,
                  const Mutation &mutation, const std::vector<uint64_t> &seeds);

/// Compiles and verifies an edited kernel in a process of its own. Returns a
/// status for each of the seeds, or one message if the kernel does not compile.
/// The status is "ended" if the kernel takes the process along.
std::vector<std::string> tryEdit(Workbench &workbench, const std::string &text,
                                 const std::string &chip,
                                 const Workbench::Edit &edit,
                                 const std::vector<uint64_t> &seeds);

} // namespace tonno

#endif // TONNO_TRIAL_H

//===- Candidates' code in this process -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_RUNTIME_HOST_CONFINEMENT_H
#define TONNO_LIB_RUNTIME_HOST_CONFINEMENT_H

#include "tonno/Core/Result.h"
#include "tonno/Core/Status.h"
#include "ProcessState.h"

#include <cfenv>
#include <cstdint>
#include <sys/resource.h>

namespace tonno {

/// Around each piece of a candidate's code that runs on this thread. It lives
/// in the process that judges it, and what it does there is to hurt neither the
/// next one nor the machine:
/// - all candidates of the process together may hold half of the memory that
///   was to be had; RLIMIT_AS ends what asks for more;
/// - a process that it forks ends before it can do anything;
/// - rounding, the treatment of subnormals, and masks of exceptions are
///   afterwards as they were, and so are handlers of signals and what else a
///   ProcessState has.
class Confinement {
public:
  enum class Phase { outside, loading, running };

  explicit Confinement(Phase phase);
  ~Confinement();
  Confinement(const Confinement &) = delete;
  Confinement &operator=(const Confinement &) = delete;

  /// A fault if the code has started a process, which has then ended, or left
  /// how numbers are computed, the umask or a limit other than they were.
  Result<void, Failure> check() const;

private:
  std::fenv_t arithmetic;
  uint64_t heldBefore;   ///< bytes of address space; 0 if that is not told
  rlimit limitBefore;    ///< of RLIMIT_AS
  ProcessState settings; ///< with the limit that candidates have
};

/// For a process whose only children are those that candidates start: they are
/// found wherever they come from, and ended. So are their own.
void confineToThisProcess();

/// Lets a process that candidates end tell why, by its exit status: see
/// RunnerExit.h. Of other crashes nothing changes.
void tellHowCandidatesCrash();

/// Whether candidates that have ended still hold so much that those to come
/// would be short of it.
bool isCandidatesMemoryUsedUp();

} // namespace tonno

#endif // TONNO_LIB_RUNTIME_HOST_CONFINEMENT_H

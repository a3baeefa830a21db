//===- Outcomes of trials -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_STATUS_H
#define TONNO_CORE_STATUS_H

#include "tonno/Core/Json.h"

#include <optional>
#include <string>
#include <string_view>

namespace tonno {

/// The outcome of a candidate. `ok` and `pruned` ran correctly; `bounded` is no
/// failure; every other status is a reason why the candidate cannot be ranked.
enum class Status {
  ok,
  pruned,     ///< clearly slower than the incumbent; a lower bound is kept
  bounded,    ///< not run: its time bound, or usage, is above the incumbent's
  over_limit, ///< not run: uses more of a resource than the user allows
  compile_error, ///< the compiler refused it with a diagnostic
  compile_timeout,
  compile_crash,
  load_error,   ///< the device or the loader refused the binary
  unlaunchable, ///< asks for more than the device has
  out_of_memory,
  fault,         ///< crashed while running
  hang,          ///< did not end in time
  wrong,         ///< outputs differ from the reference
  out_of_bounds, ///< wrote outside of its buffers, or into an input
  nondeterministic,
  different_bits, ///< right, but the default gives other bits (`Bits::same`)
  contended,      ///< the device was not idle
  lost,           ///< the runner went away for a reason outside the candidate
};

EnumNames getEnumNames(Status);
inline std::optional<Status> parseStatus(std::string_view text) {
  return parseEnum<Status>(text);
}

/// Returns true for a candidate that a session has compiled, but not run.
inline bool isHeldBack(Status status) {
  return status == Status::bounded || status == Status::over_limit;
}

/// A status other than `ok`, with its reason in words for the user.
struct Failure {
  Status status;
  std::string message;
};

} // namespace tonno

#endif // TONNO_CORE_STATUS_H

//===- The state of a running session -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_SESSIONSTATE_H
#define TONNO_ENGINE_SESSIONSTATE_H

#include "tonno/Core/DeviceCondition.h"
#include "tonno/Core/Json.h"

#include <optional>

namespace tonno {

/// The phases of a session, in their order.
enum class SessionPhase {
  baseline, ///< the default configuration is compiled, verified and timed
  search,
  finals, ///< candidates that may be the best are timed side by side
  test,   ///< against the baseline, and the second verification
  /// Candidates with other bits than the default's are timed, for the report.
  other_bits,
  front, ///< candidates that no other one beats are tested
};

EnumNames getEnumNames(SessionPhase);

/// Seconds of a session by what it waited for. Candidates that compile while
/// others are timed add nothing to `compiling`.
struct SessionTimes {
  double compiling = 0;
  double verifying = 0; ///< and running the reference
  double timing = 0;
  double idle = 0; ///< all other: proposing, waiting for the device
};

void mapFields(JsonFields &fields, SessionTimes &times);

/// Reports how far a session is.
struct SessionState {
  SessionPhase phase = SessionPhase::baseline;
  double seconds = 0; ///< since the session began, without what was resumed
  SessionTimes times = {};
  /// Estimates of the seconds left; none before there is anything to estimate
  /// them by.
  std::optional<double> phaseSecondsLeft = {}, sessionSecondsLeft = {};
  std::optional<DeviceCondition> condition = {}; ///< after the latest times
  bool isContended = false; ///< other processes used the device meanwhile
};

void mapFields(JsonFields &fields, SessionState &state);

} // namespace tonno

#endif // TONNO_ENGINE_SESSIONSTATE_H

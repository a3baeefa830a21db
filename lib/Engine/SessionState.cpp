//===- The state of a running session -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Engine/SessionState.h"

using namespace tonno;

EnumNames tonno::getEnumNames(SessionPhase) {
  static constexpr std::string_view names[] = {
      "baseline", "search", "finals", "test", "other_bits", "front"};
  return {"phase of a session", names};
}

void tonno::mapFields(JsonFields &fields, SessionTimes &times) {
  fields("compiling", times.compiling);
  fields("verifying", times.verifying);
  fields("timing", times.timing);
  fields("idle", times.idle);
}

void tonno::mapFields(JsonFields &fields, SessionState &state) {
  fields("phase", state.phase);
  fields("seconds", state.seconds);
  fields("times", state.times);
  fields("phase_seconds_left", state.phaseSecondsLeft);
  fields("session_seconds_left", state.sessionSecondsLeft);
  fields("condition", state.condition);
  fields("is_contended", state.isContended, false);
}

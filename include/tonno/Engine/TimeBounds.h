//===- Use of time bounds in a session ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_TIMEBOUNDS_H
#define TONNO_ENGINE_TIMEBOUNDS_H

#include "tonno/Core/Json.h"

#include <optional>
#include <string_view>

namespace tonno {

/// Use that a session makes of `ResourceUsage::timeBound`.
enum class TimeBounds {
  use,    ///< candidates that cannot win are not measured
  record, ///< bounds are kept with trials and compared with their times
  off,    ///< bounds are dropped
};

EnumNames getEnumNames(TimeBounds);
inline std::optional<TimeBounds> parseTimeBounds(std::string_view text) {
  return parseEnum<TimeBounds>(text);
}

} // namespace tonno

#endif // TONNO_ENGINE_TIMEBOUNDS_H

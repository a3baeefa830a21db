//===- Modes of finding a configuration -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_TUNEMODE_H
#define TONNO_CORE_TUNEMODE_H

#include "tonno/Core/Json.h"

#include <optional>
#include <string>
#include <string_view>

namespace tonno {

/// The source of a kernel's configuration.
enum class TuneMode {
  tune,   ///< the cache, else measurements
  cached, ///< the cache; nothing is measured
  off,    ///< the default; no cache is read
};

EnumNames getEnumNames(TuneMode);

/// The environment variable that states the mode where no option does.
inline constexpr char modeVariable[] = "TONNO_MODE";

/// The mode in force.
struct ChosenMode {
  TuneMode mode = TuneMode::tune;
  bool isFromVariable = false;

  /// Returns "mode cached by TONNO_MODE", or without the variable; empty for
  /// `tune`.
  std::string describe() const;
};

/// Returns the mode in force: `given` if there is one, else that of
/// $TONNO_MODE unless it is empty, else `tune`. The Error for an unknown mode
/// names `option` or the variable, and lists the modes.
Result<ChosenMode> chooseMode(const std::string &option,
                              std::optional<std::string_view> given);

} // namespace tonno

#endif // TONNO_CORE_TUNEMODE_H

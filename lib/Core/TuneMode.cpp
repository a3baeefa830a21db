//===- Modes of finding a configuration -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/TuneMode.h"

#include <cstdlib>

using namespace tonno;

EnumNames tonno::getEnumNames(TuneMode) {
  static constexpr std::string_view names[] = {"tune", "cached", "off"};
  static_assert(std::size(names) == static_cast<size_t>(TuneMode::off) + 1);
  return {"mode", names};
}

std::string ChosenMode::describe() const {
  if (mode == TuneMode::tune)
    return "";
  return "mode " + std::string(toString(mode)) +
         (isFromVariable ? " by " + std::string(modeVariable) : "");
}

static Result<TuneMode> readMode(const std::string &source,
                                 std::string_view text) {
  if (auto mode = parseEnum<TuneMode>(text))
    return *mode;
  std::string modes;
  for (std::string_view name : getEnumNames(TuneMode()).names)
    modes += (modes.empty() ? "" : ", ") + std::string(name);
  return Error{source + ": unknown mode '" + std::string(text) +
               "'; the modes are: " + modes};
}

Result<ChosenMode> tonno::chooseMode(const std::string &option,
                                     std::optional<std::string_view> given) {
  if (given)
    return ChosenMode{TONNO_TRY(readMode(option, *given)), false};
  const char *set = std::getenv(modeVariable);
  if (!set || !*set)
    return ChosenMode();
  return ChosenMode{TONNO_TRY(readMode(modeVariable, set)), true};
}

//===- What became of a trial ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Status.h"

#include <array>
#include <stdexcept>
#include <string>

using namespace tonno;

// In the order of the enumeration.
static constexpr std::array<std::string_view, 15> names = {"ok",
                                                           "pruned",
                                                           "compile_error",
                                                           "compile_timeout",
                                                           "compile_crash",
                                                           "load_error",
                                                           "unlaunchable",
                                                           "out_of_memory",
                                                           "fault",
                                                           "hang",
                                                           "wrong",
                                                           "out_of_bounds",
                                                           "nondeterministic",
                                                           "contended",
                                                           "lost"};
static_assert(names.size() == static_cast<size_t>(Status::lost) + 1);

std::string_view tonno::toString(Status status) {
  return names[static_cast<size_t>(status)];
}

std::optional<Status> tonno::parseStatus(std::string_view text) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == text)
      return static_cast<Status>(i);
  return std::nullopt;
}

void tonno::to_json(Json &json, Status status) {
  json = std::string(toString(status));
}

void tonno::from_json(const Json &json, Status &status) {
  auto text = json.get<std::string>();
  auto parsed = parseStatus(text);
  if (!parsed)
    throw WrongValue("unknown status '" + text + "'", json);
  status = *parsed;
}

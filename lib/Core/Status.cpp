//===- Outcomes of trials -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Status.h"

using namespace tonno;

EnumNames tonno::getEnumNames(Status) {
  static constexpr std::string_view names[] = {"ok",
                                               "pruned",
                                               "bounded",
                                               "over_limit",
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
                                               "different_bits",
                                               "contended",
                                               "lost"};
  static_assert(std::size(names) == static_cast<size_t>(Status::lost) + 1);
  return {"status", names};
}

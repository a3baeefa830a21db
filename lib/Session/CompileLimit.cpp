//===- How long a compilation may take ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/CompileLimit.h"
#include "tonno/Core/ProcessEnd.h"

using namespace tonno;

/// So many tell what compiling this kernel takes.
static constexpr uint32_t enough = 5;
static constexpr double timesSlowest = 20;

double CompileLimit::seconds() const {
  if (stated || count < enough)
    return mostSeconds();
  return std::clamp(timesSlowest * slowest, std::min(least, most), most);
}

std::string CompileLimit::remedy() {
  return "; --compile-seconds=<s> lets it take longer";
}

std::string CompileLimit::explanation() const {
  if (seconds() >= mostSeconds())
    return remedy();
  return ", while the slowest of " + std::to_string(count) + " others took " +
         formatLimit(slowest) + remedy();
}

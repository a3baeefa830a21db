//===- Declared inputs as people write them -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/InputSpec.h"
#include "Fuzz.h"

using namespace tonno;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto input = InputSpec::parse(textOf(data, size));
  if (!input)
    return 0;
  auto again = InputSpec::parse(input->text());
  require(again && *again == *input, "its text is read as the same");
  return 0;
}

//===- Arrays from NumPy's files ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fuzz.h"
#include "Oracle/InputData.h"

using namespace tonno;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto array = parseNpy(textOf(data, size));
  if (!array)
    return 0;
  uint64_t elements = 1;
  for (int64_t extent : array->shape)
    elements *= static_cast<uint64_t>(extent);
  require(array->values.size() == elements, "there is a value for each place");
  return 0;
}

//===- Compiled candidates from other processes ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Artifact.h"
#include "Fuzz.h"

using namespace tonno;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto json = parseCbor({data, size});
  if (!json)
    return 0;
  requireSameAgain<Artifact>(*json);
  auto artifact = decode<Artifact>(*json);
  if (!artifact)
    return 0;
  require(artifact->hash().size() == 64, "a binary has a hash");
  for (const BufferSpec &buffer : artifact->plan.signature())
    require(buffer.elements() == 0 || buffer.bytes() >= buffer.elements(),
            "each element has its place");
  return 0;
}

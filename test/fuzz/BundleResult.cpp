//===- Results from other machines ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Bundle.h"
#include "Fuzz.h"

using namespace tonno;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto results = decodeResults(textOf(data, size));
  if (!results)
    return 0;
  for (const BundleResult &result : results->kernels) {
    require(checkSameProblem(result, result.identity, result.space).ok(),
            "results are of the problem that they state");
    (void)result.space.configuration(result.decision.values).ok();
  }
  std::string encoded = encodeResults(*results);
  auto again = decodeResults(encoded);
  require(again.ok(), "what was decoded can be encoded");
  require(encodeResults(*again) == encoded, "and is the same again");
  return 0;
}

//===- Bundles from other machines ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/Bundle.h"
#include "tonno/Core/Hash.h"
#include "Fuzz.h"

using namespace tonno;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string payload(textOf(data, size));
  (void)decodeBundle(payload).ok();
  // No mutation finds a digest.
  auto bundle =
      decodeBundle("tonno bundle 1\n" + sha256(payload) + "\n" + payload);
  if (!bundle)
    return 0;
  for (const BundledKernel &kernel : bundle->kernels) {
    (void)kernel.identity.trialKey({});
    for (const BundledCandidate &candidate : kernel.candidates)
      (void)kernel.space.configuration(candidate.values).ok();
  }
  std::string encoded = encodeBundle(*bundle);
  auto again = decodeBundle(encoded);
  require(again.ok(), "what was decoded can be encoded");
  require(encodeBundle(*again) == encoded, "and is the same again");
  return 0;
}

//===- Search spaces as JSON ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/SearchSpace.h"
#include "Fuzz.h"

using namespace tonno;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto json = parseJson(textOf(data, size));
  if (!json)
    return 0;
  auto space = decode<SearchSpace>(*json);
  if (!space)
    return 0;
  auto again = decode<SearchSpace>(Json(*space));
  require(again && *again == *space, "it comes back from JSON");
  Configuration standard = space->defaultConfiguration();
  require(space->configuration(space->values(standard)).ok() ==
              space->isLegal(standard),
          "the default is a point of the space if it is legal");
  bool hasReachedStepLimit = false;
  std::vector<bool> none(space->knobs().size());
  LegalPoints points(*space, /*mostSteps=*/1000);
  if (auto first = points.next())
    require(space->isLegal(*first) &&
                space->firstLegal(none, &hasReachedStepLimit) == first,
            "the first legal point is the first");
  for (int i = 0; i < 20; ++i)
    if (auto point = points.next())
      require(space->isLegal(*point), "legal points are legal");
  return 0;
}

//===- SearchStrategy.cpp - The strategies by name ------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/SearchStrategy.h"
#include "tonno/Search/ExhaustiveSearch.h"
#include "tonno/Search/RandomSearch.h"

using namespace tonno;

std::vector<std::string_view> tonno::strategyNames() {
  return {"exhaustive", "random"};
}

Result<std::unique_ptr<SearchStrategy>>
tonno::createStrategy(std::string_view name, const SearchSpace &space,
                      uint64_t seed) {
  if (name == "exhaustive")
    return std::unique_ptr<SearchStrategy>(
        std::make_unique<ExhaustiveSearch>(space));
  if (name == "random")
    return std::unique_ptr<SearchStrategy>(
        std::make_unique<RandomSearch>(space, seed));
  std::string known;
  for (std::string_view each : strategyNames())
    known += (known.empty() ? "" : ", ") + std::string(each);
  return Error{"unknown strategy '" + std::string(name) +
               "'; the strategies are: " + known};
}

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

Result<void> tonno::checkStrategyName(std::string_view name) {
  std::string known;
  for (std::string_view each : strategyNames()) {
    if (each == name)
      return {};
    known += (known.empty() ? "" : ", ") + std::string(each);
  }
  return Error{"unknown strategy '" + std::string(name) +
               "'; the strategies are: " + known};
}

Result<std::unique_ptr<SearchStrategy>>
tonno::createStrategy(std::string_view name,
                      std::shared_ptr<const LegalSpace> space, uint64_t seed) {
  if (auto known = checkStrategyName(name); !known)
    return known.error();
  std::unique_ptr<SearchStrategy> strategy;
  if (name == "exhaustive")
    strategy = std::make_unique<ExhaustiveSearch>(*space);
  else
    strategy = std::make_unique<RandomSearch>(std::move(space), seed);
  return strategy;
}

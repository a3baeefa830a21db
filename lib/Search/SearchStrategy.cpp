//===- SearchStrategy.cpp - The strategies by name ------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Search/SearchStrategy.h"

#include "tonno/Search/ExhaustiveSearch.h"
#include "tonno/Search/ForestSearch.h"
#include "tonno/Search/GeneticSearch.h"
#include "tonno/Search/LfboTreeSearch.h"
#include "tonno/Search/RandomSearch.h"

using namespace tonno;

using Legal = std::shared_ptr<const LegalSpace>;

namespace {

/// A strategy that is known by a name.
struct Entry {
  std::string_view name;
  std::unique_ptr<SearchStrategy> (*create)(const Legal &space, uint64_t seed);
};

} // namespace

template <typename Strategy>
static std::unique_ptr<SearchStrategy> make(const Legal &space, uint64_t seed) {
  return std::make_unique<Strategy>(space, seed);
}

static const Entry entries[] = {
    {"exhaustive",
     [](const Legal &space, uint64_t) -> std::unique_ptr<SearchStrategy> {
       return std::make_unique<ExhaustiveSearch>(*space);
     }},
    {"random", make<RandomSearch>},
    {"pattern", make<PatternSearch>},
    {"lfbo-pattern", make<LfboPatternSearch>},
    {"lfbo-tree", make<LfboTreeSearch>},
    {"genetic", make<GeneticSearch>},
    {"forest", make<ForestSearch>},
};

std::vector<std::string_view> tonno::strategyNames() {
  std::vector<std::string_view> names;
  for (const Entry &entry : entries)
    names.push_back(entry.name);
  return names;
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
  for (const Entry &entry : entries)
    if (entry.name == name)
      return entry.create(space, seed);
  return checkStrategyName(name).error();
}

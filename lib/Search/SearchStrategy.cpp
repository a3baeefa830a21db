//===- The strategies by name ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/SearchStrategy.h"

#include "tonno/Search/EnsembleSearch.h"
#include "tonno/Search/ExhaustiveSearch.h"
#include "tonno/Search/ForestSearch.h"
#include "tonno/Search/GeneticSearch.h"
#include "tonno/Search/LfboPatternSearch.h"
#include "tonno/Search/LfboTreeSearch.h"
#include "tonno/Search/PatternSearch.h"
#include "tonno/Search/RandomSearch.h"

#include <algorithm>

using namespace tonno;

using Space = std::shared_ptr<const LegalSpace>;

template <typename Strategy>
static std::unique_ptr<SearchStrategy> create(const Space &space,
                                              uint64_t seed) {
  return std::make_unique<Strategy>(space, seed);
}

static std::unique_ptr<SearchStrategy> createExhaustive(const Space &space,
                                                        uint64_t) {
  return std::make_unique<ExhaustiveSearch>(*space);
}

namespace {

struct KnownStrategy {
  std::string_view name;
  std::unique_ptr<SearchStrategy> (*create)(const Space &space, uint64_t seed);
};

} // namespace

static constexpr KnownStrategy knownStrategies[] = {
    {"ensemble", create<EnsembleSearch>},
    {"exhaustive", createExhaustive},
    {"forest", create<ForestSearch>},
    {"genetic", create<GeneticSearch>},
    {"lfbo-pattern", create<LfboPatternSearch>},
    {"lfbo-tree", create<LfboTreeSearch>},
    {"pattern", create<PatternSearch>},
    {"random", create<RandomSearch>},
};

std::vector<std::string_view> tonno::strategyNames() {
  std::vector<std::string_view> names;
  for (const KnownStrategy &known : knownStrategies)
    names.push_back(known.name);
  return names;
}

std::string tonno::strategyList() {
  std::string list;
  for (std::string_view each : strategyNames())
    list += (list.empty() ? "" : ", ") + std::string(each);
  return list;
}

Result<void> tonno::checkStrategyName(std::string_view name) {
  if (std::ranges::find(knownStrategies, name, &KnownStrategy::name) !=
      std::end(knownStrategies))
    return {};
  return Error{"unknown strategy '" + std::string(name) +
               "'; the strategies are: " + strategyList()};
}

Result<std::unique_ptr<SearchStrategy>>
tonno::createStrategy(std::string_view name, const Space &space,
                      uint64_t seed) {
  if (auto known = checkStrategyName(name); !known)
    return known.error();
  const auto *found =
      std::ranges::find(knownStrategies, name, &KnownStrategy::name);
  return found->create(space, seed);
}

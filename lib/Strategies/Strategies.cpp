//===- Strategies by name -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Strategies/Strategies.h"
#include "ForestSearch.h"
#include "GeneticSearch.h"
#include "PatternSearch.h"
#include "RandomSearch.h"

#include <algorithm>

using namespace tonno;

std::vector<Configuration> RandomSearch::propose(size_t n) {
  std::vector<Configuration> proposed;
  while (proposed.size() < n && !hasEnded) {
    auto point = fresh.draw(random);
    hasEnded = !point;
    if (!point)
      break;
    fresh.take(*point);
    proposed.push_back(*std::move(point));
  }
  return proposed;
}

void RandomSearch::observe(std::span<const Trial> trials) {
  for (const Trial &trial : trials)
    fresh.take(trial.configuration);
}

using Space = std::shared_ptr<const LegalSpace>;

template <typename Strategy>
static std::unique_ptr<SearchStrategy> create(Space space, uint64_t seed) {
  return std::make_unique<Strategy>(std::move(space), seed);
}

static std::unique_ptr<SearchStrategy> createExhaustive(Space space, uint64_t) {
  return std::make_unique<ExhaustiveSearch>(*space);
}

namespace {

struct KnownStrategy {
  std::string_view name;
  std::unique_ptr<SearchStrategy> (*create)(Space space, uint64_t seed);
};

} // namespace

static constexpr KnownStrategy knownStrategies[] = {
    {ensembleName, createEnsembleSearch},
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
  TONNO_TRY(checkStrategyName(name));
  return std::ranges::find(knownStrategies, name, &KnownStrategy::name)
      ->create(space, seed);
}

Result<std::vector<ReplayStrategy>>
tonno::namedStrategies(std::span<const std::string> names) {
  std::vector<ReplayStrategy> strategies;
  for (const std::string &name : names) {
    TONNO_TRY(checkStrategyName(name));
    strategies.push_back(
        {name, [name](const ReplaySpace &space, uint64_t seed) {
           return createStrategy(name, space.legal, seed);
         }});
  }
  if (strategies.empty())
    return Error{"no strategy is named"};
  return strategies;
}

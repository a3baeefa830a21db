//===- Strategies with other options --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Variants.h"
#include "tonno/Strategies/Strategies.h"
#include "BoostedTrees.h"
#include "EnsembleSearch.h"
#include "GeneticSearch.h"
#include "PatternSearch.h"
#include "Split.h"

#include <charconv>

using namespace tonno;

namespace {

/// "restarts", or "start=20".
struct Change {
  std::string_view key, value;
};

struct Parts {
  std::string_view base;
  std::vector<Change> changes;
};

} // namespace

static Parts partsOf(std::string_view name) {
  std::vector<std::string_view> words = split(name, '+');
  Parts parts = {words.front(), {}};
  for (std::string_view word : std::span(words).subspan(1)) {
    size_t end = std::min(word.find('='), word.size());
    parts.changes.push_back(
        {word.substr(0, end), word.substr(std::min(end + 1, word.size()))});
  }
  return parts;
}

template <typename Number> static bool read(const Change &change, Number &to) {
  std::string_view text = change.value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size() && to >= 0;
}

static bool apply(const Change &change, PatternSearch::Options &options) {
  if (change.key == "start")
    return read(change, options.initial) && options.initial > 0;
  if (change.key == "copies")
    return read(change, options.copies) && options.copies > 0;
  if (change.key == "generations")
    return read(change, options.generations) && options.generations > 0;
  options.restarts = change.key == "restarts" && change.value.empty();
  return options.restarts;
}

static bool apply(const Change &change, LfboPatternSearch::Options &options) {
  return apply(change, options.pattern);
}

static bool apply(const Change &change, GeneticSearch::Options &options) {
  if (change.key == "start")
    return read(change, options.population) && options.population > 1;
  options.restarts = change.key == "restarts" && change.value.empty();
  return options.restarts;
}

static bool applyModels(std::string_view models,
                        EnsembleSearch::Options &options) {
  static constexpr std::pair<std::string_view, SurrogateFactory *> known[] = {
      {"forest", createForestSurrogate},
      {"classifier", createClassifierSurrogate},
      {"process", createProcessSurrogate},
      {"boosted", createBoostedSurrogate}};
  std::vector<std::string_view> names = split(models, '/');
  options.models.clear();
  for (auto [name, create] : known)
    if (std::erase(names, name) > 0)
      options.models.push_back(create);
  return names.empty();
}

static bool apply(const Change &change, EnsembleSearch::Options &options) {
  if (change.key == "start")
    return read(change, options.start) && options.start > 0;
  if (change.key == "random")
    return read(change, options.randomShare) && options.randomShare <= 1;
  if (change.key == "batch")
    return read(change, options.mostBatch) && options.mostBatch > 0;
  return change.key == "models" && applyModels(change.value, options);
}

template <typename Strategy>
static Result<ReplayStrategy> vary(const std::string &name,
                                   std::span<const Change> changes,
                                   typename Strategy::Options options) {
  for (const Change &change : changes)
    if (!apply(change, options))
      return Error{"strategy '" + name + "': '" + std::string(change.key) +
                   "' with the value '" + std::string(change.value) +
                   "' changes nothing of it; see benchmarks/search/Variants.h"};
  return ReplayStrategy{
      name, [options](const ReplaySpace &space, uint64_t seed) {
        return Result<std::unique_ptr<SearchStrategy>>(
            std::make_unique<Strategy>(space.legal, seed, options));
      }};
}

/// Applies a change to the use of compiled candidates, which every strategy
/// has. Returns false for other changes.
static bool apply(const Change &change, StaticUse &use) {
  if (change.key == "bounds")
    return use.usesBounds = change.value.empty();
  if (change.key == "ahead")
    return read(change, use.compileAhead) && use.compileAhead > 0;
  return change.key == "bound-noise" && read(change, use.boundNoise);
}

static Result<ReplayStrategy> makeVariant(const std::string &name,
                                          const Parts &parts);

Result<ReplayStrategy> tonno::variantOf(const std::string &name) {
  Parts parts = partsOf(name);
  StaticUse use;
  std::erase_if(parts.changes,
                [&](const Change &change) { return apply(change, use); });
  auto variant = TONNO_TRY(makeVariant(name, parts));
  variant.use = use;
  return variant;
}

static Result<ReplayStrategy> makeVariant(const std::string &name,
                                          const Parts &parts) {
  if (parts.changes.empty() || !checkStrategyName(parts.base)) {
    std::string base(checkStrategyName(parts.base) ? parts.base : name);
    auto named = TONNO_TRY(namedStrategies(std::span(&base, 1)));
    named.front().name = name;
    return std::move(named.front());
  }
  if (parts.base == "pattern")
    return vary<PatternSearch>(name, parts.changes, {});
  if (parts.base == "lfbo-pattern")
    return vary<LfboPatternSearch>(name, parts.changes, {});
  if (parts.base == "lfbo-tree")
    return vary<LfboTreeSearch>(name, parts.changes,
                                LfboTreeSearch::published());
  if (parts.base == "genetic")
    return vary<GeneticSearch>(name, parts.changes, {});
  if (parts.base == "ensemble")
    return vary<EnsembleSearch>(name, parts.changes, {});
  return Error{"strategy '" + std::string(parts.base) + "' has no variants"};
}

Result<std::vector<ReplayStrategy>>
tonno::variantsOf(std::span<const std::string> names) {
  std::vector<ReplayStrategy> variants;
  for (const std::string &name : names) {
    auto variant = TONNO_TRY(variantOf(name));
    variants.push_back(std::move(variant));
  }
  if (variants.empty())
    return Error{"no strategy is named"};
  return variants;
}

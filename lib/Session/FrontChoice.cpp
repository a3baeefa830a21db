//===- Chooses a configuration from a front -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/FrontChoice.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <sstream>

using namespace tonno;

Result<FrontChoice::Quantity>
FrontChoice::parseQuantity(std::string_view name, std::string_view term) {
  if (name == "time")
    return Quantity();
  if (auto resource = parseEnum<Resource>(name))
    return Quantity(resource);
  return Error{"unknown resource '" + std::string(name) + "' in '" +
               std::string(term) + "'; the resources are: time, " +
               listResources()};
}

Result<void> FrontChoice::add(const std::string &term) {
  if (auto time = parseTimeLimit(term)) {
    conditions.push_back({TimeLimit{TONNO_TRY(*std::move(time))}, term});
    return {};
  }
  if (term.find("<=") != std::string::npos) {
    conditions.push_back({TONNO_TRY(parseUsageLimit(term)), term});
    return {};
  }
  std::istringstream stream(term);
  std::vector<std::string> words{std::istream_iterator<std::string>(stream),
                                 {}};
  if (words.size() == 2 && words[0] == "least") {
    least.push_back(TONNO_TRY(parseQuantity(words[1], term)));
    return {};
  }
  auto factor = words.size() == 3 && words[1] == "within"
                    ? parseMultiple(words[2])
                    : std::nullopt;
  if (!factor || *factor < 1)
    return Error{"'" + term +
                 "' chooses nothing; give terms such as 'least code-size', "
                 "'time within 1.05x', 'time <= 1x' or 'workspace <= 1MB'"};
  auto quantity = TONNO_TRY(parseQuantity(words[0], term));
  conditions.push_back({Within{quantity, *factor}, term});
  return {};
}

Result<FrontChoice> FrontChoice::parse(std::string_view text) {
  FrontChoice choice;
  std::istringstream terms{std::string(text)};
  std::string term;
  while (std::getline(terms >> std::ws, term, ','))
    TONNO_TRY(choice.add(term));
  if (choice.conditions.empty() && choice.least.empty())
    TONNO_TRY(choice.add(""));
  return choice;
}

std::vector<Resource> FrontChoice::resources() const {
  std::vector<Resource> named;
  for (Quantity quantity : least)
    if (quantity)
      named.push_back(*quantity);
  for (const Condition &condition : conditions)
    if (const auto *within = std::get_if<Within>(&condition.bound))
      if (within->quantity)
        named.push_back(*within->quantity);
  return named;
}

/// Returns the amount of a resource, or the time as a multiple of the
/// default's.
Result<double> FrontChoice::compute(const FrontPoint &point,
                                    Quantity quantity) {
  if (!quantity)
    return 1 / point.comparison.speedup;
  if (*quantity == Resource::energy && point.energy)
    return 1 / point.energy->speedup;
  auto used = getUsed(point.usage, *quantity);
  if (!used)
    return Error{"the " + std::string(toString(*quantity)) + " of " +
                 point.values.dump() + " is unknown"};
  return static_cast<double>(*used);
}

Result<bool> FrontChoice::holds(const Condition &condition,
                                const FrontPoint &point,
                                std::span<const FrontPoint> front) {
  if (const auto *limit = std::get_if<UsageLimit>(&condition.bound))
    return !findExcess(point.usage, {limit, 1});
  if (const auto *time = std::get_if<TimeLimit>(&condition.bound))
    return 1 / point.comparison.speedup <= time->most;
  const auto &within = std::get<Within>(condition.bound);
  double least = std::numeric_limits<double>::infinity();
  for (const FrontPoint &each : front)
    least = std::min(least, TONNO_TRY(compute(each, within.quantity)));
  auto own = TONNO_TRY(compute(point, within.quantity));
  return own <= within.factor * least;
}

Result<const FrontPoint *>
FrontChoice::choose(std::span<const FrontPoint> front) const {
  std::vector<const FrontPoint *> left;
  for (const FrontPoint &point : front)
    left.push_back(&point);
  for (const Condition &condition : conditions) {
    std::vector<const FrontPoint *> kept;
    for (const FrontPoint *point : left)
      if (TONNO_TRY(holds(condition, *point, front)))
        kept.push_back(point);
    if (kept.empty())
      return Error{"no configuration of the front meets '" + condition.text +
                   "'" + (conditions.size() > 1 ? " and the others" : "")};
    left = std::move(kept);
  }
  std::vector<Quantity> order = least;
  order.push_back(std::nullopt); // time
  const FrontPoint *best = nullptr;
  std::vector<double> bestRank;
  for (const FrontPoint *point : left) {
    std::vector<double> rank;
    for (Quantity quantity : order)
      rank.push_back(TONNO_TRY(compute(*point, quantity)));
    if (!best || rank < bestRank) {
      best = point;
      bestRank = rank;
    }
  }
  if (!best)
    return Error{"the front is empty"};
  return best;
}

Result<void> FrontChoice::apply(DecisionRecord &decision) const {
  if (!decision.front)
    return Error{"the session ended before a front was tested"};
  const FrontPoint &point = *TONNO_TRY(choose(*decision.front));
  decision.values = point.values;
  decision.artifactHash = point.artifactHash;
  decision.comparison = point.comparison;
  if (decision.objective)
    if (auto used = getUsed(point.usage, decision.objective->resource))
      decision.objective->used = *used;
  decision.remainingGain.reset();
  return {};
}

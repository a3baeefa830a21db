//===- Stored decisions ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/DecisionStore.h"
#include "tonno/Cache/HttpStore.h"

#include "SharedStore.h"

#include <algorithm>

using namespace tonno;

Result<std::unique_ptr<RecordStore>>
tonno::openStore(const StoreChoice &choice,
                 const std::function<void(const std::string &)> &warn) {
  if (choice.mode == CacheMode::off)
    return std::unique_ptr<RecordStore>(std::make_unique<NullStore>());
  bool isReadOnly = choice.mode == CacheMode::read_only;
  auto opened =
      DirectoryStore::open(resolveCacheDirectory(choice.directory),
                           isReadOnly ? DirectoryStore::Mode::read_only
                                      : DirectoryStore::Mode::read_write,
                           warn);
  if (!opened)
    return Error{opened.error().message +
                 "; choose another by $TONNO_CACHE_DIR or '--cache-dir', or "
                 "give '--cache=ro' or '--cache=off'"};
  std::string address = resolveStoreAddress(choice.url);
  if (address.empty())
    return std::unique_ptr<RecordStore>(std::move(*opened));
  auto shared = TONNO_TRY(
      HttpStore::open(HttpStoreOptions::fromEnvironment(address), warn));
  return std::unique_ptr<RecordStore>(std::make_unique<SharedStore>(
      std::move(*opened), std::move(shared), isReadOnly, warn));
}

std::optional<DecisionRecord>
tonno::findDecision(RecordStore &store, const std::string &key,
                    const SearchSpace &space,
                    const std::function<void(const std::string &)> &warn) {
  auto found = store.find(key);
  if (!found)
    return std::nullopt;
  auto record = decode<DecisionRecord>(*found);
  if (record && space.configuration(record->values))
    return std::move(*record);
  warn("the cache's decision " + key + " does not fit" +
       (record ? "" : " (" + record.error().message + ")") +
       "; treated as a miss");
  return std::nullopt;
}

/// Stores a decision beside its question, so that a miss can be explained.
static Result<void> insertAnswer(RecordStore &store, const Json &question,
                                 const DecisionRecord &decision) {
  Json record = decision;
  record[questionMember] = question;
  return store.insert(computeKey(question), record);
}

Result<void> tonno::storeOwnDecision(RecordStore &store,
                                     const DecisionQuestion &question,
                                     const DecisionRecord &decision) {
  return insertAnswer(
      store,
      question.identity.decisionQuestion(question.space, question.search),
      decision);
}

Result<void> tonno::storeDecision(RecordStore &store,
                                  const DecisionQuestion &question,
                                  const DecisionRecord &decision) {
  if (auto stored = storeOwnDecision(store, question, decision); !stored)
    return stored;
  const SearchSpace &space = question.space;
  Json latest = question.identity.latestQuestion(space);
  bool foundNothing = decision.comparison.verdict == Verdict::tie;
  auto standing =
      findDecision(store, computeKey(latest), space, [](const auto &) {});
  if (foundNothing && standing && isWin(standing->comparison.verdict) &&
      standing->trials > decision.trials)
    return {};
  // An uncontended decision is not replaced by a contended one.
  if (decision.comparison.contended && standing &&
      !standing->comparison.contended)
    return {};
  return insertAnswer(store, latest, decision);
}

static constexpr size_t mostBest = 8;
/// The number of points that one session adds.
static constexpr size_t mostOfASession = 4;

std::vector<StartingPoint> tonno::findBest(RecordStore &store,
                                           const ProblemIdentity &identity,
                                           const SearchSpace &space) {
  std::vector<StartingPoint> points;
  auto record = store.find(identity.bestKey());
  if (!record || !record->is_object() || !record->contains("best"))
    return points;
  size_t place = 0;
  for (const Json &values : record->at("best")) {
    ++place;
    if (auto point = space.configuration(values)) // of another space, else
      points.push_back({std::move(*point), "number " + std::to_string(place) +
                                               " of earlier sessions"});
  }
  return points;
}

Result<void> tonno::storeBest(RecordStore &store,
                              const ProblemIdentity &identity,
                              const SearchSpace &space, const Json &winner,
                              std::span<const Trial> trials) {
  std::vector<const Trial *> ranking;
  for (const Trial &trial : trials)
    if (trial.ok())
      ranking.push_back(&trial);
  std::ranges::sort(ranking, {}, [](const Trial *trial) {
    return trial->measurement->ratio;
  });
  std::vector<Json> best = {winner};
  auto add = [&](const Json &values, size_t most) {
    if (best.size() < most && std::ranges::find(best, values) == best.end())
      best.push_back(values);
  };
  for (const Trial *trial : ranking)
    add(space.values(trial->configuration), mostOfASession);
  if (auto record = store.find(identity.bestKey());
      record && record->is_object() && record->contains("best"))
    for (const Json &values : record->at("best"))
      add(values, mostBest);
  return store.insert(identity.bestKey(), Json{{"best", best}});
}

//===- Stored decisions ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_DECISIONSTORE_H
#define TONNO_SESSION_DECISIONSTORE_H

#include "tonno/Cache/RecordStore.h"
#include "tonno/Cache/Records.h"
#include "tonno/Search/SearchStrategy.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tonno {

enum class CacheMode { read_write, read_only, off };

/// Where records are kept, as users choose it.
struct StoreChoice {
  CacheMode mode = CacheMode::read_write;
  std::string directory;          ///< empty: $TONNO_CACHE_DIR or .tonno-cache
  std::optional<std::string> url; ///< of a shared store; none: $TONNO_STORE
};

/// Opens the store for a choice: a directory, in front of the shared store if
/// there is one. The Error has a remedy.
Result<std::unique_ptr<RecordStore>>
openStore(const StoreChoice &choice,
          const std::function<void(const std::string &)> &warn);

/// Returns the decision under this key, if it is a point of this space.
std::optional<DecisionRecord>
findDecision(RecordStore &store, const std::string &key,
             const SearchSpace &space,
             const std::function<void(const std::string &)> &warn);

/// A question that decisions answer. Refers to the problem's members.
struct DecisionQuestion {
  const ProblemIdentity &identity;
  const SearchSpace &space;
  Json search; ///< strategy and budget
};

/// Stores a decision, with its question, under the question's key only.
Result<void> storeOwnDecision(RecordStore &store,
                              const DecisionQuestion &question,
                              const DecisionRecord &decision);

/// Stores a decision as storeOwnDecision does, and under `latestKey` for
/// builds; a short search without a gain does not replace the latest decision
/// of a longer search that found one.
Result<void> storeDecision(RecordStore &store, const DecisionQuestion &question,
                           const DecisionRecord &decision);

/// Returns the best configurations of earlier sessions of this kernel that are
/// in this space, the latest session's first, as starting points of a search.
/// Their times are not used for ranking, since they were taken under other
/// conditions.
std::vector<StartingPoint> findBest(RecordStore &store,
                                    const ProblemIdentity &identity,
                                    const SearchSpace &space);

/// Puts the winner of a session and its best trials in front of them.
Result<void> storeBest(RecordStore &store, const ProblemIdentity &identity,
                       const SearchSpace &space, const Json &winner,
                       std::span<const Trial> trials);

} // namespace tonno

#endif // TONNO_SESSION_DECISIONSTORE_H

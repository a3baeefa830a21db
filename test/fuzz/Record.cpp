//===- Files of the cache -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/RecordStore.h"
#include "tonno/Session/CachedTrialLog.h"
#include "tonno/Session/DecisionStore.h"
#include "Fuzz.h"

using namespace tonno;

static const std::string key(64, 'a');

namespace {
/// Has the same record under each key.
class OneRecord : public RecordStore {
public:
  explicit OneRecord(Json record) : record(std::move(record)) {}
  std::optional<Json> find(const std::string &) override { return record; }
  Result<void> insert(const std::string &, const Json &json) override {
    record = json;
    return {};
  }

private:
  Json record;
};
} // namespace

/// A record of whatever shape is of use, or is none.
static void use(const Json &record) {
  OneRecord store(record);
  ProblemIdentity identity;
  SearchSpace space({{"BM", {16, 32, "x"}, 0}});
  TuneObserver observer;
  CachedTrialLog log(store, identity, space, observer);
  auto trial = log.recall({{1}});
  require(!trial || (isLasting(trial->status) && !trial->ok()),
          "only lasting failures are recalled");
  auto decision = findDecision(store, key, space, [](const std::string &) {});
  require(!decision || space.configuration(decision->values).ok(),
          "a decision is a point of its space");
  for (const StartingPoint &best : findBest(store, identity, space))
    require(space.isLegal(best.configuration),
            "the best are points of their space");
  (void)storeBest(store, identity, space, {{"BM", 16}}, {}).ok();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(textOf(data, size));
  if (auto record = decodeRecord(key, text)) {
    auto again = decodeRecord(key, encodeRecord(key, *record));
    require(again && *again == *record, "what is found can be kept");
    use(*record);
  }
  // No mutation finds a checksum. (In brackets, as it is a level deeper in its
  // file.)
  auto list = parseJson("[" + text + "]");
  if (!list || list->size() != 1)
    return 0;
  const Json &record = list->front();
  auto back = decodeRecord(key, encodeRecord(key, record));
  require(back && *back == record, "a record comes back as it was kept");
  requireSameAgain<TrialRecord>(record);
  requireSameAgain<DecisionRecord>(record);
  requireSameAgain<ProblemIdentity>(record);
  use(record);
  return 0;
}

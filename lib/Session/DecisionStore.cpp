//===- DecisionStore.cpp - Decisions that were made before ----------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Session/DecisionStore.h"

#include <cstdlib>

using namespace tonno;

Result<std::unique_ptr<RecordStore>>
tonno::openStore(CacheMode mode, std::string directory,
                 std::function<void(const std::string &)> warn) {
  if (mode == CacheMode::off)
    return std::unique_ptr<RecordStore>(std::make_unique<NullStore>());
  if (const char *given = std::getenv("TONNO_CACHE_DIR");
      directory.empty() && given)
    directory = given;
  if (directory.empty())
    directory = ".tonno-cache";
  auto opened = DirectoryStore::open(directory,
                                     mode == CacheMode::read_only
                                         ? DirectoryStore::Mode::read_only
                                         : DirectoryStore::Mode::read_write,
                                     std::move(warn));
  if (!opened)
    return Error{opened.error().message +
                 "; choose another with TONNO_CACHE_DIR, or read it only with "
                 "cache=ro, or do without with cache=off"};
  return std::unique_ptr<RecordStore>(std::move(*opened));
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
  warn("the cache's decision " + key + " does not fit; taken as a miss");
  return std::nullopt;
}

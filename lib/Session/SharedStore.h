//===- A local store in front of a shared one -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SESSION_SHAREDSTORE_H
#define TONNO_LIB_SESSION_SHAREDSTORE_H

#include "tonno/Cache/RecordStore.h"

#include <functional>
#include <memory>
#include <set>
#include <string>

namespace tonno {

/// Returns true for a record that a shared store may have under this key: a
/// decision whose question has this key, or points that searches start from.
/// Trials and peaks of machines are not shared.
bool isShareable(const std::string &key, const Json &record);

/// Reads a shared store through a local one: the local record first, then the
/// shared one, which is kept locally if it is shareable. Records are inserted
/// into both; the shared store reports its own failures.
class SharedStore : public RecordStore {
public:
  using Warn = std::function<void(const std::string &)>;

  SharedStore(std::unique_ptr<RecordStore> own,
              std::unique_ptr<RecordStore> shared, bool isReadOnly, Warn warn)
      : own(std::move(own)), shared(std::move(shared)), isReadOnly(isReadOnly),
        warn(std::move(warn)) {}

  std::optional<Json> find(const std::string &key) override;
  Result<void> insert(const std::string &key, const Json &record) override;
  std::string locate(const std::string &key) const override {
    return own->locate(key);
  }
  RecordStore &local() override { return *own; }

private:
  std::unique_ptr<RecordStore> own, shared;
  bool isReadOnly;
  Warn warn;
  bool hasWarned = false;       ///< of a record that is not used
  std::set<std::string> misses; ///< keys that are not asked for again
};

} // namespace tonno

#endif // TONNO_LIB_SESSION_SHAREDSTORE_H

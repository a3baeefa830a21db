//===- Serialization of equal sweeps --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/SweepTurn.h"

#include <condition_variable>
#include <mutex>
#include <set>

using namespace tonno;

namespace {
/// The process's.
struct Turns {
  std::mutex mutex;
  std::condition_variable isOver;
  std::set<std::string> taken;
};
} // namespace

static Turns &turns() {
  static Turns all;
  return all;
}

SweepTurn::SweepTurn(std::string wanted) : key(std::move(wanted)) {
  std::unique_lock lock(turns().mutex);
  turns().isOver.wait(lock, [&] { return turns().taken.insert(key).second; });
}

SweepTurn::~SweepTurn() {
  {
    std::lock_guard lock(turns().mutex);
    turns().taken.erase(key);
  }
  turns().isOver.notify_all();
}

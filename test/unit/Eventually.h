//===- Waiting for events, for tests --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_EVENTUALLY_H
#define TEST_UNIT_EVENTUALLY_H

#include <chrono>
#include <thread>

namespace tonno {

/// Waits until the condition holds. Returns whether it did within a minute: a
/// limit that ends what would hang, and says nothing of how fast a machine is.
template <typename Condition> bool eventually(Condition condition) {
  auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > limit)
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

} // namespace tonno

#endif // TEST_UNIT_EVENTUALLY_H

//===- One sweep of a question at a time ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_SWEEPTURN_H
#define TONNO_WORKGROUPS_SWEEPTURN_H

#include <string>

namespace tonno {

/// Held by one thread of this process for each key: others that ask the same
/// question wait, and find what it found. Two sweeps at once would disturb each
/// other's times, and keep different winners.
class SweepTurn {
public:
  /// Waits for whoever has it. A thread that has it must not ask again.
  explicit SweepTurn(std::string key);
  ~SweepTurn();
  SweepTurn(const SweepTurn &) = delete;
  SweepTurn &operator=(const SweepTurn &) = delete;

private:
  std::string key;
};

} // namespace tonno

#endif // TONNO_WORKGROUPS_SWEEPTURN_H

//===- Serialization of equal sweeps --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_WORKGROUPS_SWEEPTURN_H
#define TONNO_WORKGROUPS_SWEEPTURN_H

#include <string>

namespace tonno {

/// A lock for each key, held by one thread of this process: threads with the
/// same question wait, and use the holder's answer. Concurrent sweeps would
/// disturb each other's times, and keep different winners.
class SweepTurn {
public:
  /// Waits for the lock. Not reentrant.
  explicit SweepTurn(std::string key);
  ~SweepTurn();
  SweepTurn(const SweepTurn &) = delete;
  SweepTurn &operator=(const SweepTurn &) = delete;

private:
  std::string key;
};

} // namespace tonno

#endif // TONNO_WORKGROUPS_SWEEPTURN_H

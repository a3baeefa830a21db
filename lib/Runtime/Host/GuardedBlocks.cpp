//===- Memory with nothing beside it --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GuardedBlocks.h"

#include <array>
#include <atomic>
#include <cstdint>

using namespace tonno;

namespace {
struct GuardedBlock {
  std::atomic<uintptr_t> begin = 0; ///< 0: no block
  std::atomic<uintptr_t> end = 0;
};
} // namespace

/// A signal handler may find them in any state but half a number.
static std::array<GuardedBlock, 1024> guardedBlocks;

void tonno::addGuardedBlock(const void *block, size_t bytes) {
  auto begin = reinterpret_cast<uintptr_t>(block);
  for (GuardedBlock &entry : guardedBlocks) {
    uintptr_t none = 0;
    if (!entry.begin.compare_exchange_strong(none, begin))
      continue;
    entry.end = begin + bytes;
    return;
  }
}

void tonno::removeGuardedBlock(const void *block) {
  auto begin = reinterpret_cast<uintptr_t>(block);
  for (GuardedBlock &entry : guardedBlocks)
    if (entry.begin == begin) {
      entry.end = 0;
      entry.begin = 0;
      return;
    }
}

BlockSide tonno::sideOf(const void *pointer) {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  for (const GuardedBlock &entry : guardedBlocks) {
    uintptr_t begin = entry.begin, end = entry.end;
    if (begin == 0 || end == 0)
      continue;
    if (address >= begin && address < end)
      return BlockSide::inside;
    if (address < begin && begin - address <= guardBytes)
      return BlockSide::before;
    if (address >= end && address - end < guardBytes)
      return BlockSide::behind;
  }
  return BlockSide::none;
}

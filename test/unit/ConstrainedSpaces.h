//===- Spaces as kernels have ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_CONSTRAINEDSPACES_H
#define TONNO_TEST_UNIT_CONSTRAINEDSPACES_H

#include "tonno/Space/SearchSpace.h"

#include <gtest/gtest.h>

namespace tonno {

inline SearchSpace constrained(std::vector<Knob> knobs,
                               std::vector<std::string> constraints) {
  auto space = SearchSpace::create(std::move(knobs), std::move(constraints));
  if (!space)
    ADD_FAILURE() << "constraint " << space.error().index << ", "
                  << space.error().text();
  return space ? *std::move(space) : SearchSpace();
}

inline std::vector<Option> powersOfTwo(int64_t first, int64_t last) {
  std::vector<Option> options;
  for (int64_t option = first; option <= last; option *= 2)
    options.emplace_back(option);
  return options;
}

inline std::vector<Option> upTo(int64_t last) {
  std::vector<Option> options;
  for (int64_t option = 0; option <= last; ++option)
    options.emplace_back(option);
  return options;
}

/// Returns a tiled matrix product on a GPU: 22 knobs, 2 * 10^15 points, of
/// which three in 10^9 are legal.
inline SearchSpace matmulSpace() {
  return constrained(
      {{"BM", powersOfTwo(8, 512)},
       {"BN", powersOfTwo(8, 512)},
       {"BK", powersOfTwo(8, 256)},
       {"WM", powersOfTwo(8, 256)},
       {"WN", powersOfTwo(8, 256)},
       {"stages", upTo(7)},
       {"core", {"fma", "mma", "wgmma"}},
       {"VA", powersOfTwo(1, 16)},
       {"VB", powersOfTwo(1, 16)},
       {"VC", powersOfTwo(1, 16)},
       {"TM", powersOfTwo(1, 16)},
       {"TN", powersOfTwo(1, 16)},
       {"unroll", powersOfTwo(1, 16)},
       {"split", powersOfTwo(1, 32)},
       {"CM", powersOfTwo(1, 8)},
       {"CN", powersOfTwo(1, 8)},
       {"swizzle", upTo(3)},
       {"group", powersOfTwo(1, 16)},
       {"registers", {64, 96, 128, 168, 255}},
       {"prefetch", upTo(3)},
       {"epilogue", upTo(2)},
       {"order", upTo(3)}},
      {"(BM*BK + BK*BN) * stages * 2 <= 232448",
       "BM mod WM == 0, BN mod WN == 0",
       "(BM floordiv WM) * (BN floordiv WN) * 32 <= 1024",
       "(BM floordiv WM) * (BN floordiv WN) * 32 >= 64",
       "WM*WN floordiv 16 + TM*TN*2 + 24 <= registers",
       "registers * (BM floordiv WM) * (BN floordiv WN) * 32 <= 65536",
       "BM*BK mod ((BM floordiv WM) * (BN floordiv WN) * 32 * VA) == 0",
       "BN*BK mod ((BM floordiv WM) * (BN floordiv WN) * 32 * VB) == 0",
       "BM*BN mod ((BM floordiv WM) * (BN floordiv WN) * 32 * VC) == 0",
       "if core == 'fma' then WM*WN == 32*TM*TN and swizzle == 0 else TM == 1",
       "core == 'fma' or (TN == 1 and BK mod 16 == 0)",
       "if core == 'wgmma' then WM mod 64 == 0 and VA >= 8 else CM*CN == 1",
       "core != 'wgmma' or stages >= 2",
       "BK mod unroll == 0, 4096 mod (split*BK) == 0, prefetch < stages",
       "1536 mod BM == 0, 640 mod BN == 0, 768 mod (BK*split) == 0",
       "(BM*BK + BK*BN) * stages * 2 >= 98304",
       "(BM floordiv WM) * (BN floordiv WN) * group == 64",
       "VA*VB*VC == 256, core == 'wgmma' and CM*CN == 4",
       "unroll*stages*prefetch == 48 or unroll*stages*prefetch == 96",
       "registers * (BM floordiv WM) * (BN floordiv WN) >= 512"});
}

/// Returns the space of attention on a GPU, whose two products constrain each
/// other.
inline SearchSpace attentionSpace() {
  return constrained(
      {{"BQ", powersOfTwo(16, 256)},
       {"BKV", powersOfTwo(16, 256)},
       {"DV", powersOfTwo(16, 128)},
       {"WQ", powersOfTwo(1, 16)},
       {"WK", powersOfTwo(1, 8)},
       {"WD", powersOfTwo(1, 8)},
       {"SK", upTo(6)},
       {"SV", upTo(6)},
       {"VQ", powersOfTwo(1, 16)},
       {"VK", powersOfTwo(1, 16)},
       {"VV", powersOfTwo(1, 16)},
       {"VO", powersOfTwo(1, 16)},
       {"split", powersOfTwo(1, 32)},
       {"pack", {false, true}},
       {"softmax", {"exact", "online", "lazy"}},
       {"registers", {64, 96, 128, 168, 232, 255}}},
      {"SK > 0, SV > 0",
       "(BKV*(128*SK + DV*SV) + (if pack then BQ*BKV else 0)) * 2 <= 232448",
       "WQ*WK*32 <= 1024 and WQ*WD*32 <= 1024 and WK*WD <= 8",
       "BQ mod (WQ*16) == 0, BKV mod (WK*8) == 0, DV mod (WD*8) == 0",
       "BQ floordiv WQ * (BKV floordiv WK + DV floordiv WD) <= 32*registers",
       "registers*WQ*WK*32 <= 65536 and registers*WQ*WD*32 <= 65536",
       "BQ*128 mod (WQ*WK*32*VQ) == 0", "BKV*128 mod (WQ*WK*32*VK) == 0",
       "BKV*DV mod (WQ*WK*32*VV) == 0", "BQ*DV mod (WQ*WD*32*VO) == 0",
       "SK + SV <= 8", "softmax != 'lazy' or (pack and WK == 1)",
       "8192 mod (split*BKV) == 0"});
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_CONSTRAINEDSPACES_H

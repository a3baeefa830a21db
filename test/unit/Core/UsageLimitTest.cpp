//===- Tests of limits on resources ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/UsageLimit.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tonno;
using testing::HasSubstr;

TEST(UsageLimit, UnitsArePowersOf1000And1024) {
  const std::pair<const char *, uint64_t> cases[] = {
      {"workspace <= 0", 0},
      {"workspace<=1500", 1500},
      {" workspace  <=  1 B ", 1},
      {"workspace <= 1kB", 1000},
      {"workspace <= 1KB", 1000},
      {"workspace <= 1.5MB", 1500000},
      {"workspace <= 2 GB", 2000000000},
      {"workspace <= 64KiB", 65536},
      {"workspace <= 0.5 MiB", 524288},
      {"workspace <= 1GiB", 1073741824}};
  for (auto [text, most] : cases) {
    auto limit = parseUsageLimit(text);
    ASSERT_TRUE(limit.ok()) << text << ": " << limit.error().message;
    EXPECT_EQ(*limit, (UsageLimit{Resource::workspace, most})) << text;
  }
}

TEST(UsageLimit, EachResourceIsReadBack) {
  for (size_t i = 0; i <= static_cast<size_t>(Resource::registers); ++i) {
    UsageLimit limit = {static_cast<Resource>(i), 12};
    auto parsed = parseUsageLimit(toString(limit));
    ASSERT_TRUE(parsed.ok()) << toString(limit);
    EXPECT_EQ(*parsed, limit);
  }
}

TEST(UsageLimit, TextThatIsNoLimitIsRefusedWithARemedy) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "is not a limit; give one such as 'workspace <= 1MB'"},
      {"workspace < 1MB", "is not a limit"},
      {"workspace 1MB", "is not a limit"},
      {"<= 1MB", "unknown resource ''"},
      {"space <= 1MB", "the resources are: workspace, code-size, shared, "
                       "stack, spills, registers"},
      {"workspace <=", "has no number of bytes"},
      {"workspace <= -1", "has no number of bytes"},
      {"workspace <= nan", "has no number of bytes"},
      {"workspace <= inf", "has no number of bytes"},
      {"workspace <= 1e3", "has no number of bytes"},
      {"workspace <= 0.5", "has no number of bytes"},
      {"workspace <= 1 MBit", "has no number of bytes"},
      {"workspace <= 1MB 2", "has no number of bytes"},
      {"workspace <= 99999999999GB", "has no number of bytes"},
      {"registers <= 1kB", "has no whole number; give one such as 128"},
      {"registers <= 1.5", "has no whole number"}};
  for (auto [text, why] : cases) {
    auto limit = parseUsageLimit(text);
    ASSERT_FALSE(limit.ok()) << text;
    EXPECT_THAT(limit.error().message, HasSubstr(why)) << text;
  }
}

TEST(UsageLimit, AnEqualAmountIsWithinTheLimit) {
  const UsageLimit limits[] = {{Resource::workspace, 64},
                               {Resource::registers, 32}};
  ResourceUsage usage;
  usage.workspaceBytes = 64;
  usage.registers = 32;
  EXPECT_EQ(findExcess(usage, limits), std::nullopt);
  EXPECT_EQ(findExcess(usage, {}), std::nullopt);
  usage.registers = 33;
  EXPECT_EQ(findExcess(usage, limits),
            "registers is 33, above the limit of 32");
  usage.workspaceBytes = 65;
  EXPECT_EQ(findExcess(usage, limits),
            "workspace is 65 bytes, above the limit of 64 bytes");
}

TEST(UsageLimit, UnknownUsageIsOverTheLimit) {
  const UsageLimit limits[] = {{Resource::code_size, 64}};
  EXPECT_EQ(findExcess({}, limits),
            "code-size is unknown, so the limit of 64 bytes cannot be checked");
}

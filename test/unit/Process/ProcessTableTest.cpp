//===- The processes of this machine --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/ProcessTable.h"

#include <gtest/gtest.h>
#include <unistd.h>

using namespace tonno;

TEST(ProcessTable, NamesMayHaveParenthesesAndBlanks) {
  auto stat = parseProcessStat(
      "12 (a (bad) name) S 7 12 12 0 -1 4194304 1 2 3 4 30 12 0 0 20 0 1 0\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "a (bad) name");
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->ticks, 42u);
}

TEST(ProcessTable, MalformedTextIsNone) {
  for (const char *text :
       {"", "12", "12 (a", "12 )a( S 7", "12 (a) S 7 12 12", "12 (a) S x"})
    EXPECT_FALSE(parseProcessStat(text)) << text;
}

TEST(ProcessTable, HasThisProcess) {
  auto table = readProcessTable();
  ASSERT_TRUE(table.contains(::getpid()));
  EXPECT_EQ(table[::getpid()].parent, ::getppid());
  EXPECT_FALSE(readProcessStat(0));
}

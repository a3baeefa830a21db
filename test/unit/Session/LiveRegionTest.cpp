//===- Tests for the lines of a terminal that are rewritten ---------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Session/LiveRegion.h"

#include "Eventually.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sstream>

using namespace tonno;

/// Returns the sequences that erase this many rows.
static std::string erased(int rows) {
  std::string up = "\r\x1b[" + std::to_string(rows) + "A", out = up;
  for (; rows > 0; --rows)
    out += "\x1b[2K\n";
  return out + up;
}

namespace {

class LiveRegionTest : public testing::Test {
protected:
  /// Returns what is written by the call.
  std::string write(const std::function<void()> &call) {
    stream.str("");
    call();
    return stream.str();
  }
  std::string show(std::vector<LiveRegion::Line> lines) {
    return write([&] { region.show([lines](double) { return lines; }); });
  }

  TerminalSize size;
  std::ostringstream stream;
  LiveRegion region{stream, {[this] { return size; }}};
};

} // namespace

TEST_F(LiveRegionTest, LinesReplaceThoseBefore) {
  EXPECT_EQ(show({{"a ", "1"}, {"b ", "2"}}), "a 1\nb 2\n");
  EXPECT_EQ(show({{"a ", "3"}}), erased(2) + "a 3\n");
}

TEST_F(LiveRegionTest, TextStaysAbove) {
  EXPECT_EQ(write([&] { region.print("first\n"); }), "first\n");
  show({{"", "x"}});
  EXPECT_EQ(write([&] { region.print("text\n"); }), erased(1) + "text\nx\n");
}

TEST_F(LiveRegionTest, NothingIsLeftOfIt) {
  show({{"", "x"}});
  EXPECT_EQ(write([&] { region.show({}); }), erased(1));
  EXPECT_EQ(write([&] { region.print("text\n"); }), "text\n");
}

/// The cursor would be at another line than assumed.
TEST_F(LiveRegionTest, NoLineWraps) {
  size = {6, 24};
  EXPECT_EQ(show({{"abc", "defghi"}}), "abcde\n");
  EXPECT_EQ(show({{"abcdefghi", "j"}}), erased(1) + "abcde\n");
  // Characters of several bytes, of which the last is wide.
  EXPECT_EQ(show({{"", "\u00e4\u00e4\u00e4\u00e4\u6f22"}}),
            erased(1) + "\u00e4\u00e4\u00e4\u00e4\n");
}

/// Terminals wrap the lines that they show when they become narrower.
TEST_F(LiveRegionTest, ANarrowedTerminalHasMoreRowsToErase) {
  show({{"", "0123456789"}, {"", "x"}});
  size = {4, 24};
  EXPECT_EQ(show({{"", "abc"}}), erased(4) + "abc\n");
}

TEST_F(LiveRegionTest, RowsAboveALowAndNarrowTerminalAreNotErased) {
  show({{"", "0123456789"}, {"", "x"}});
  size = {4, 3}; // four rows now, of which two are above the cursor's
  EXPECT_EQ(show({{"", "abc"}}), erased(2) + "abc\n");
}

TEST_F(LiveRegionTest, ALowTerminalShowsTheFirstLines) {
  size = {80, 2};
  EXPECT_EQ(show({{"", "a"}, {"", "b"}, {"", "c"}}), "a\n");
}

TEST(LiveRegion, OnlyLabelsAreColored) {
  std::ostringstream stream;
  LiveRegion::Options options;
  options.isColored = true;
  LiveRegion region(stream, options);
  region.show([](double) { return std::vector<LiveRegion::Line>{{"a", "b"}}; });
  EXPECT_EQ(stream.str(), "\x1b[1ma\x1b[0mb\n");
}

TEST(LiveRegion, IsRewrittenWhileNothingIsReported) {
  std::ostringstream stream;
  LiveRegion::Options options;
  options.refreshSeconds = 0.001;
  std::atomic<int> times = 0;
  LiveRegion region(stream, options);
  region.show([&](double) {
    ++times;
    return std::vector<LiveRegion::Line>{};
  });
  EXPECT_TRUE(eventually([&] { return times > 3; }));
}

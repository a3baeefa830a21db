//===- Text that is safe on a terminal ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/PrintableText.h"

#include <gtest/gtest.h>

using namespace tonno;

TEST(PrintableText, ControlCharactersAreEscaped) {
  EXPECT_EQ(toPrintable("\x1b]0;owned\x07\r\x7f\b"),
            "\\x1b]0;owned\\x07\\x0d\\x7f\\x08");
  EXPECT_EQ(toPrintable(std::string(1, '\0')), "\\x00");
  EXPECT_EQ(toPrintable("\xc2\x9b"
                        "31m"),
            "\\xc2\\x9b31m"); // the 8-bit start of a sequence
}

TEST(PrintableText, OtherTextStays) {
  for (const char *text :
       {"", "one\n\ttwo\n", "größe \u00a0 \u20ac \U0001f600", "C:\\path\\x1b"})
    EXPECT_EQ(toPrintable(text), text);
}

TEST(PrintableText, BytesThatAreNoUtf8AreEscaped) {
  EXPECT_EQ(toPrintable("\x9b"), "\\x9b");
  EXPECT_EQ(toPrintable("a\xe2\x82"), "a\\xe2\\x82");        // cut off
  EXPECT_EQ(toPrintable("\xc0\x9b"), "\\xc0\\x9b");          // overlong
  EXPECT_EQ(toPrintable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b"); // overlong
  EXPECT_EQ(toPrintable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
  EXPECT_EQ(toPrintable("\xf4\x90\x80\x80x"), "\\xf4\\x90\\x80\\x80x");
  EXPECT_EQ(toPrintable("\xff"), "\\xff");
}

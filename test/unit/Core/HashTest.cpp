//===- SHA-256 against NIST's vectors -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Hash.h"
#include "tonno/Core/Artifact.h"

#include <gtest/gtest.h>

using namespace tonno;

TEST(Sha256, EmptyMessage) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb924"
                        "27ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, OneBlock) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223"
                           "b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, TwoBlocks) {
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijk"
                   "ijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039"
            "a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, MillionLetters) {
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67"
            "f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, ZeroBytesCount) {
  EXPECT_NE(sha256(std::string_view("\0", 1)), sha256(""));
}

TEST(Artifact, HashIsThatOfTheBinary) {
  Artifact artifact;
  artifact.binary = {'a', 'b', 'c'};
  artifact.chip = "znver4";
  EXPECT_EQ(artifact.hash(), sha256("abc"));
}

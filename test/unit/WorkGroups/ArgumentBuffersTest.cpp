//===- Buffers for a kernel without ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/ArgumentBuffers.h"

#include <gmock/gmock.h>

using namespace tonno;
using ::testing::SizeIs;
using Space = ArgumentInfo::Space;

static std::string refusal(const ArgumentInfo &argument,
                           const WorkSize &globalSize = {64}) {
  auto planned = planBuffers("scale", {argument}, globalSize);
  return planned ? std::string() : planned.error().message;
}

TEST(ArgumentBuffers, HaveAnElementForEachWorkItem) {
  auto planned = planBuffers("scale",
                             {{"x", "float*", Space::global},
                              {"at", "uint*", Space::global, true},
                              {"v", "float3*", Space::global},
                              {"d", "double16*", Space::global},
                              {"h", "half2*", Space::global},
                              {"table", "uchar*", Space::constant}},
                             {1000, 2});
  ASSERT_TRUE(planned) << planned.error().message;
  ASSERT_THAT(*planned, SizeIs(6));
  uint64_t bytes[] = {8000, 8000, 32000, 256000, 8000, 2000};
  bool isWritten[] = {true, false, true, true, true, false};
  for (size_t i = 0; i != 6; ++i) {
    EXPECT_EQ((*planned)[i].bytes, bytes[i]) << i;
    EXPECT_EQ((*planned)[i].isWritten, isWritten[i]) << i;
  }
  EXPECT_EQ((*planned)[0].pattern, std::string("\0\0\x80\x3f", 4));
  EXPECT_EQ((*planned)[1].pattern, std::string(4, '\0'));
  EXPECT_EQ((*planned)[4].pattern, std::string("\0\x3c\0\x3c", 4));
}

TEST(ArgumentBuffers, AreNotGuessedForWhatOnlyTheCallerKnows) {
  EXPECT_EQ(refusal({"a", "float", Space::value}),
            "argument 0 of 'scale', 'a' of type 'float', was not set: only its "
            "caller knows the value; set the kernel's arguments, or give them "
            "as args");
  EXPECT_THAT(refusal({"t", "float*", Space::local}),
              testing::HasSubstr("the size of the local memory"));
  for (const char *type : {"image2d_t", "struct point*", "float**", "float5*",
                           "float", "sampler_t", "*", "4*"})
    EXPECT_THAT(refusal({"x", type, Space::global}),
                testing::HasSubstr("numbers and their vectors only"))
        << type;
  EXPECT_THAT(refusal({"x", "float*", Space::global}, {1ull << 63, 2}),
              testing::HasSubstr("larger than any"));
}

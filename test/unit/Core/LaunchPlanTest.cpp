//===- Buffers and their strides ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/LaunchPlan.h"

#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using testing::HasSubstr;

static BufferSpec strided(std::vector<int64_t> shape,
                          std::vector<int64_t> strides) {
  BufferSpec buffer = {"arg0", ElementType::f32, std::move(shape)};
  buffer.strides = std::move(strides);
  return buffer;
}

static std::string judge(const BufferSpec &buffer) {
  auto checked = buffer.checkLayout();
  return checked ? "ok" : checked.error().message;
}

TEST(BufferSpec, BytesReachOverGaps) {
  EXPECT_EQ(strided({3, 5}, {8, 1}).bytes(), (2 * 8 + 4 + 1) * 4u);
  EXPECT_EQ(strided({3, 5}, {1, 4}).bytes(), (2 + 4 * 4 + 1) * 4u);
  EXPECT_EQ(strided({3, 0}, {8, 1}).bytes(), 0u);
  EXPECT_EQ(strided({3, 5}, {}).bytes(), 60u);
}

TEST(BufferSpec, LayoutsWithoutSharedElementsAreFine) {
  for (const BufferSpec &buffer :
       {strided({3, 5}, {}), strided({3, 5}, {5, 1}), strided({3, 5}, {8, 1}),
        strided({3, 5}, {1, 3}), strided({3, 5}, {2, 6}), strided({}, {}),
        strided({1, 5}, {0, 1}), strided({1, 1}, {0, 0}),
        strided({0, 5}, {0, 0}), strided({2, 3, 4}, {4, 8, 1})})
    EXPECT_EQ(judge(buffer), "ok") << Json(buffer);
}

TEST(BufferSpec, LayoutsThatDoNotHoldAreNamed) {
  EXPECT_THAT(judge(strided({3, 5}, {5})),
              HasSubstr("buffer arg0 has 1 strides for 2 dimensions"));
  EXPECT_THAT(judge(strided({}, {1})), HasSubstr("1 strides for 0"));
  EXPECT_THAT(judge(strided({3, 5}, {-5, 1})), HasSubstr("negative stride"));
  EXPECT_THAT(judge(strided({3, -5}, {})), HasSubstr("negative extent"));
  BufferSpec named = strided({3, 5}, {});
  named.dims = {"M"};
  EXPECT_THAT(judge(named), HasSubstr("names for 1 of 2 dimensions"));
  int64_t huge = std::numeric_limits<int64_t>::max();
  for (const BufferSpec &buffer :
       {strided({3, 5}, {0, 1}), strided({3, 5}, {4, 1}),
        strided({3, 5}, {1, 1}), strided({3, 5}, {1, 2}),
        strided({3, 5}, {huge, 1}), strided({2, 2}, {huge / 2, 1}),
        strided({huge, huge}, {}), strided({huge, 2, huge}, {}),
        strided({huge / 2}, {})})
    EXPECT_THAT(judge(buffer), HasSubstr("more than 128 TiB of memory"))
        << Json(buffer);
  EXPECT_THAT(judge(strided({3, 5}, {1, 2})), HasSubstr("share memory"));
  int64_t most = int64_t(mostBufferBytes / 4);
  EXPECT_EQ(judge(strided({most}, {})), "ok");
  EXPECT_EQ(judge(strided({most + 1}, {})),
            "buffer arg0 needs more than 128 TiB of memory");
}

TEST(BufferSpec, SizesOfCallsAreWrittenAndNotRead) {
  BufferSpec dynamic = strided({anySize, 5}, {});
  dynamic.sizes = {"M", ""};
  EXPECT_EQ(judge(dynamic), "ok");
  EXPECT_EQ(Json(dynamic)["sizes"], Json({"M", ""}));
  auto read = decode<BufferSpec>(Json(dynamic));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message,
              HasSubstr("has sizes that are known only in calls"));
  dynamic.sizes = {"", "M"};
  EXPECT_THAT(judge(dynamic), HasSubstr("negative extent"));
  dynamic.sizes = {"M"};
  EXPECT_THAT(judge(dynamic), HasSubstr("sizes for 1 of 2 dimensions"));
}

TEST(BufferSpec, StridesAndInputAreInTheJsonWhereThereAreAny) {
  BufferSpec plain = strided({3, 5}, {});
  EXPECT_FALSE(Json(plain).contains("strides"));
  EXPECT_FALSE(Json(plain).contains("input"));
  EXPECT_EQ(*decode<BufferSpec>(Json(plain)), plain);

  BufferSpec declared = strided({3, 5}, {8, 1});
  declared.input = *InputSpec::parse("sorted(integers(0, 9))");
  EXPECT_EQ(Json(declared)["input"], "sorted(integers(0, 9))");
  BufferSpec back = *decode<BufferSpec>(Json(declared));
  EXPECT_EQ(back, declared);
  EXPECT_NE(back, plain);
  EXPECT_FALSE(back.isDense());

  // Decoding replaces the former contents.
  Json(plain).get_to(back);
  EXPECT_EQ(back, plain);
}

TEST(BufferSpec, JsonOfLayoutsThatDoNotHoldIsRefused) {
  Json json = strided({3, 5}, {8, 1});
  json["strides"] = {8};
  EXPECT_THAT(decode<BufferSpec>(json).error().message,
              HasSubstr("1 strides for 2"));
  json["strides"] = {0, 1};
  EXPECT_FALSE(decode<BufferSpec>(json).ok());
  json["strides"] = "dense";
  EXPECT_FALSE(decode<BufferSpec>(json).ok());
  json.erase("strides");
  json["input"] = "uniform(1, 0)";
  EXPECT_THAT(decode<BufferSpec>(json).error().message, HasSubstr("column 12"));
}

//===- Elements in strided memory -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::ElementsAre;

static constexpr std::byte gap{0x7F};

static BufferSpec buffer(std::vector<int64_t> shape,
                         std::vector<int64_t> strides,
                         ElementType type = ElementType::i8) {
  BufferSpec spec = {"arg0", type, std::move(shape)};
  spec.strides = std::move(strides);
  return spec;
}

/// Returns the elements 1, 2, 3, ...
static std::vector<std::byte> counting(const BufferSpec &spec) {
  std::vector<std::byte> elements;
  size_t bytes = spec.elements() * getByteSize(spec.elementType);
  for (size_t i = 1; i <= bytes; ++i)
    elements.push_back(static_cast<std::byte>(i));
  return elements;
}

static std::vector<int> memory(const BufferSpec &spec) {
  std::vector<int> numbers;
  for (std::byte byte : scatter(spec, counting(spec), gap))
    numbers.push_back(byte == gap ? -1 : static_cast<int>(byte));
  return numbers;
}

TEST(Layout, ElementsLieAtTheirStrides) {
  EXPECT_THAT(memory(buffer({2, 3}, {})), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(memory(buffer({2, 3}, {3, 1})), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(memory(buffer({2, 3}, {4, 1})),
              ElementsAre(1, 2, 3, -1, 4, 5, 6));
  EXPECT_THAT(memory(buffer({2, 3}, {1, 2})), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(memory(buffer({2, 2}, {1, 3})), ElementsAre(1, 3, -1, 2, 4));
  EXPECT_THAT(memory(buffer({2, 2}, {5, 2})),
              ElementsAre(1, -1, 2, -1, -1, 3, -1, 4));
  EXPECT_THAT(memory(buffer({2, 1, 2}, {4, 0, 1})),
              ElementsAre(1, 2, -1, -1, 3, 4));
  EXPECT_THAT(memory(buffer({2}, {3}, ElementType::i16)),
              ElementsAre(1, 2, -1, -1, -1, -1, 3, 4));
}

TEST(Layout, ScalarsAndNothing) {
  EXPECT_THAT(memory(buffer({}, {})), ElementsAre(1));
  EXPECT_THAT(memory(buffer({1, 1}, {7, 9})), ElementsAre(1));
  EXPECT_THAT(memory(buffer({3, 0}, {4, 1})), ElementsAre());
  EXPECT_THAT(memory(buffer({0, 3}, {4, 1})), ElementsAre());
  EXPECT_THAT(gather(buffer({3, 0}, {4, 1}), {}), ElementsAre());
}

TEST(Layout, GatherFindsThemAgain) {
  for (ElementType type : {ElementType::i8, ElementType::f32, ElementType::f64})
    for (const BufferSpec &spec :
         {buffer({2, 3}, {}, type), buffer({2, 3}, {7, 1}, type),
          buffer({2, 3}, {1, 2}, type), buffer({2, 3}, {2, 4}, type),
          buffer({2, 3, 4}, {4, 10, 1}, type), buffer({5}, {3}, type),
          buffer({2, 3, 4}, {1, 2, 6}, type)}) {
      ASSERT_TRUE(spec.checkLayout().ok());
      std::vector<std::byte> bytes = scatter(spec, counting(spec), gap);
      EXPECT_EQ(bytes.size(), spec.bytes());
      EXPECT_EQ(gather(spec, bytes), counting(spec)) << Json(spec);
    }
}

//===- Inputs that a buffer declares --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Oracle/InputData.h"

#include "TemporaryDirectory.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gmock/gmock.h>
#include <numeric>
#include <set>

using namespace tonno;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::Le;
using testing::Lt;

static BufferSpec buffer(const std::string &input, ElementType type,
                         std::vector<int64_t> shape = {40, 50}) {
  BufferSpec spec = {"arg3", type, std::move(shape)};
  spec.input = *InputSpec::parse(input);
  return spec;
}

static Result<Values> drawOne(const BufferSpec &spec, uint64_t seed = 1) {
  std::mt19937_64 generator(seed);
  return drawDeclared({spec}, generator);
}

static std::vector<double> drawn(const BufferSpec &spec, uint64_t seed = 1) {
  auto values = drawOne(spec, seed);
  EXPECT_TRUE(values.ok()) << values.error().message;
  return values ? values->front() : std::vector<double>();
}

static std::string refusal(const BufferSpec &spec) {
  auto values = drawOne(spec);
  if (values)
    return "accepted";
  // Each error names the buffer and its declaration.
  EXPECT_THAT(values.error().message, HasSubstr("arg3"));
  EXPECT_THAT(values.error().message, HasSubstr(spec.input->text()));
  return values.error().message;
}

static double mean(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(values.size());
}

TEST(DeclaredData, UniformStaysInItsInterval) {
  std::vector<double> reals = drawn(buffer("uniform(2, 3)", ElementType::f32));
  ASSERT_EQ(reals.size(), 2000u);
  EXPECT_THAT(reals, Each(AllOf(Ge(2), Le(3))));
  EXPECT_NEAR(mean(reals), 2.5, 0.03);
  std::vector<double> integers =
      drawn(buffer("uniform(-2, 3)", ElementType::i8));
  EXPECT_THAT(integers, Each(AllOf(Ge(-2), Lt(3))));
  EXPECT_EQ(std::set<double>(integers.begin(), integers.end()).size(), 5u);
  // The width of the interval is no double.
  EXPECT_THAT(drawn(buffer("uniform(-1.7e308, 1.7e308)", ElementType::f64)),
              Each(AllOf(Ge(-1.7e308), Le(1.7e308))));
}

TEST(DeclaredData, NormalHasMeanAndDeviation) {
  std::vector<double> values =
      drawn(buffer("normal(200, 10)", ElementType::f32));
  EXPECT_NEAR(mean(values), 200, 1);
  double squares = 0;
  size_t near = 0;
  for (double x : values) {
    squares += (x - 200) * (x - 200);
    near += std::fabs(x - 200) < 10;
  }
  EXPECT_NEAR(std::sqrt(squares / 2000), 10, 0.6);
  EXPECT_NEAR(static_cast<double>(near) / 2000, 0.683, 0.04);
}

TEST(DeclaredData, IntegersTakeBothEnds) {
  for (ElementType type : {ElementType::i32, ElementType::f16, ElementType::i8,
                           ElementType::bf16}) {
    std::vector<double> values = drawn(buffer("integers(-2, 4)", type));
    EXPECT_EQ(std::set<double>(values.begin(), values.end()),
              (std::set<double>{-2, -1, 0, 1, 2, 3, 4}));
  }
  EXPECT_THAT(drawn(buffer("integers(-128, 127)", ElementType::i8)),
              Each(AllOf(Ge(-128), Le(127))));
  EXPECT_THAT(drawn(buffer("integers(0, 1)", ElementType::i1)),
              Each(AllOf(Ge(0), Le(1))));
  EXPECT_THAT(drawn(buffer("integers(9007199254740992, 9007199254740992)",
                           ElementType::i64)),
              Each(0x1p53));
}

TEST(DeclaredData, PermutationHasEachNumberOnce) {
  std::vector<double> values = drawn(buffer("permutation", ElementType::i32));
  EXPECT_FALSE(std::is_sorted(values.begin(), values.end()));
  std::vector<double> all(2000);
  std::iota(all.begin(), all.end(), 0.0);
  EXPECT_EQ(std::set<double>(values.begin(), values.end()),
            std::set<double>(all.begin(), all.end()));
  EXPECT_EQ(drawn(buffer("sorted(permutation)", ElementType::i32)), all);
}

TEST(DeclaredData, SortedIsInAscendingOrder) {
  std::vector<double> values =
      drawn(buffer("sorted(normal(0, 1))", ElementType::f32));
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  EXPECT_LT(values.front(), values.back());
}

TEST(DeclaredData, ConstantIsRoundedToTheType) {
  EXPECT_THAT(drawn(buffer("constant(0.1)", ElementType::f32, {2})),
              ElementsAre(0.1f, 0.1f));
  EXPECT_THAT(drawn(buffer("constant(-7)", ElementType::i8, {2})),
              ElementsAre(-7, -7));
}

TEST(DeclaredData, FollowsTheSeed) {
  BufferSpec spec = buffer("permutation", ElementType::i32);
  EXPECT_EQ(drawn(spec, 1), drawn(spec, 1));
  EXPECT_NE(drawn(spec, 1), drawn(spec, 2));
}

TEST(DeclaredData, WhatTheTypeCannotHoldIsRefused) {
  EXPECT_THAT(refusal(buffer("integers(0, 128)", ElementType::i8)),
              HasSubstr("i8 holds the integers from -128 to 127, not from 0 to "
                        "128"));
  EXPECT_THAT(refusal(buffer("integers(-2, 1)", ElementType::i1)),
              HasSubstr("i1 holds the integers from 0 to 1"));
  EXPECT_THAT(refusal(buffer("integers(0, 4294967295)", ElementType::i32)),
              HasSubstr("to 2147483647"));
  // All of them, as reals don't beyond.
  EXPECT_THAT(refusal(buffer("integers(0, 2049)", ElementType::f16)),
              HasSubstr("f16 holds the integers from -2048 to 2048"));
  EXPECT_THAT(refusal(buffer("permutation", ElementType::i8)),
              HasSubstr("not from 0 to 1999"));
  EXPECT_THAT(refusal(buffer("permutation", ElementType::bf16)),
              HasSubstr("bf16 holds"));
  EXPECT_EQ(drawn(buffer("permutation", ElementType::i8, {128})).size(), 128u);
  EXPECT_EQ(drawn(buffer("permutation", ElementType::i8, {0})).size(), 0u);
  EXPECT_THAT(refusal(buffer("constant(0.5)", ElementType::i32)),
              HasSubstr("i32 cannot hold 0.5"));
  EXPECT_THAT(refusal(buffer("constant(70000)", ElementType::f16)),
              HasSubstr("f16 cannot hold 70000"));
  EXPECT_THAT(refusal(buffer("uniform(0, 1000)", ElementType::i8)),
              HasSubstr("i8 cannot hold"));
  EXPECT_THAT(refusal(buffer("normal(0, 1)", ElementType::i32)),
              HasSubstr("use 'integers'"));
}

TEST(DeclaredData, BuffersThatDeclareNothingOrAreNotReadStayEmpty) {
  BufferSpec undeclared = {"arg0", ElementType::f32, {5}};
  BufferSpec written = buffer("constant(1)", ElementType::f32, {5});
  written.access = Access::write;
  BufferSpec both = buffer("constant(1)", ElementType::f32, {5});
  both.access = Access::read_write;
  std::mt19937_64 generator(1);
  auto values = drawDeclared({undeclared, written, both}, generator);
  ASSERT_TRUE(values.ok());
  EXPECT_TRUE((*values)[0].empty());
  EXPECT_TRUE((*values)[1].empty());
  EXPECT_EQ((*values)[2].size(), 5u);
}

TEST(DeclaredData, FilesMustHaveTheBuffersShape) {
  TemporaryDirectory folder;
  const std::string path = folder / "declared.npy";
  std::string header =
      "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }\n";
  std::string bytes = std::string("\x93NUMPY\1\0", 8) +
                      static_cast<char>(header.size()) + '\0' + header +
                      "\3\1\2\6\5\4";
  writeText(path, bytes);
  std::string input = "npy(\"" + path + "\")";
  EXPECT_THAT(drawn(buffer(input, ElementType::f32, {2, 3})),
              ElementsAre(3, 1, 2, 6, 5, 4));
  EXPECT_THAT(drawn(buffer("sorted(" + input + ")", ElementType::i64, {2, 3})),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(refusal(buffer(input, ElementType::f32, {3, 2})),
              HasSubstr("the file's shape is 2x3, the buffer's 3x2"));
  EXPECT_THAT(refusal(buffer(input, ElementType::f32, {})),
              HasSubstr("the buffer's a scalar"));
  EXPECT_THAT(refusal(buffer(input, ElementType::i1, {2, 3})),
              HasSubstr("i1 cannot hold 3"));
  std::filesystem::remove(path);
  EXPECT_THAT(refusal(buffer(input, ElementType::f32, {2, 3})),
              HasSubstr("No such file"));
}

TEST(DeclaredData, ExactPassesKeepIntegersAndIndices) {
  auto isKept = [](const std::string &input, ElementType type) {
    BufferSpec spec = buffer(input, type);
    return !exactData({spec}, *drawOne(spec)).front().empty();
  };
  EXPECT_TRUE(isKept("integers(-3, 3)", ElementType::f32));
  EXPECT_TRUE(isKept("permutation", ElementType::f32));
  EXPECT_TRUE(isKept("constant(3)", ElementType::f32));
  EXPECT_TRUE(isKept("uniform(0, 9)", ElementType::i32));
  EXPECT_FALSE(isKept("constant(0.5)", ElementType::f32));
  EXPECT_FALSE(isKept("uniform(0, 9)", ElementType::f32));
  double infinity = std::numeric_limits<double>::infinity();
  for (double special : {infinity, -infinity, std::nan("")})
    EXPECT_TRUE(
        exactData({buffer("permutation", ElementType::f32)}, {{1, special}})
            .front()
            .empty());
}

TEST(DeclaredData, WhatIsGivenStaysAndIsNotCounted) {
  Signature signature(4, {"arg0", ElementType::f32, {2}});
  signature[2].access = Access::write;
  Values given = {{}, {5, 6}, {}, {}};
  std::mt19937_64 generator(1);
  Values signs = drawSigns(signature, given, generator);
  Values reals = drawReals(signature, given, generator);
  // The second that is drawn is the narrow one, wherever it stands.
  Values integers = drawIntegers(signature, given, generator, 1e6, 1);
  for (const Values &values : {signs, reals, integers}) {
    ASSERT_EQ(values.size(), 4u);
    EXPECT_THAT(values[1], ElementsAre(5, 6));
    EXPECT_TRUE(values[2].empty());
  }
  for (double x : integers[3])
    EXPECT_EQ(std::fabs(x), 1);
  EXPECT_GT(std::fabs(integers[0][0]), 1);
}

TEST(InputData, BooleansAreBothInEveryPass) {
  Signature signature = {{"arg0", ElementType::i1, {100}}};
  std::mt19937_64 generator(1);
  Values none(1);
  for (const Values &values : {drawSigns(signature, none, generator),
                               drawIntegers(signature, none, generator, 100, 5),
                               drawReals(signature, none, generator)})
    EXPECT_EQ(std::set<double>(values[0].begin(), values[0].end()),
              (std::set<double>{0, 1}));
}

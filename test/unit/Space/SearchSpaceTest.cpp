//===- Points, values and their messages ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/SearchSpace.h"
#include "tonno/Space/LegalSpace.h"

#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

static SearchSpace smallSpace() {
  return SearchSpace({{"BM", {32, 64, 128}, 1},
                      {"tail", {"mask", "split"}, 0},
                      {"order", {Json{0, 1}, Json{1, 0}}, 1}});
}

static Knob wideKnob(const std::string &name, size_t options) {
  Knob knob{name, {}, 0};
  for (size_t i = 0; i < options; ++i)
    knob.options.emplace_back(i);
  return knob;
}

TEST(SearchSpace, SizeIsTheProduct) {
  EXPECT_EQ(smallSpace().size(), 12u);
  EXPECT_EQ(SearchSpace().size(), 1u);
}

TEST(SearchSpace, SizeSaturates) {
  std::vector<Knob> knobs;
  for (int i = 0; i < 7; ++i)
    knobs.push_back(wideKnob("k" + std::to_string(i), 256));
  EXPECT_EQ(SearchSpace(knobs).size(), uint64_t(1) << 56);
  // 2^64 wraps to 0 and 2^66 to 0 again: neither may look empty.
  knobs.push_back(wideKnob("k7", 256));
  EXPECT_EQ(SearchSpace(knobs).size(), std::numeric_limits<uint64_t>::max());
  knobs.push_back(wideKnob("k8", 3));
  EXPECT_EQ(SearchSpace(knobs).size(), std::numeric_limits<uint64_t>::max());
}

TEST(SearchSpace, LastKnobVariesFastest) {
  SearchSpace space = smallSpace();
  EXPECT_THAT(space.at(0).indices, ElementsAre(0, 0, 0));
  EXPECT_THAT(space.at(1).indices, ElementsAre(0, 0, 1));
  EXPECT_THAT(space.at(2).indices, ElementsAre(0, 1, 0));
  EXPECT_THAT(space.at(4).indices, ElementsAre(1, 0, 0));
  EXPECT_THAT(space.at(11).indices, ElementsAre(2, 1, 1));
}

TEST(SearchSpace, ValuesNameTheKnobs) {
  Json values = smallSpace().values({{2, 1, 0}});
  EXPECT_EQ(values, Json::parse(R"({"BM": 128, "tail": "split",
                                    "order": [0, 1]})"));
}

TEST(SearchSpace, ConfigurationInvertsValues) {
  SearchSpace space = smallSpace();
  for (uint64_t i = 0; i < space.size(); ++i) {
    auto back = space.configuration(space.values(space.at(i)));
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, space.at(i));
  }
}

TEST(SearchSpace, DefaultConfigurationHoldsTheDefaults) {
  EXPECT_THAT(smallSpace().defaultConfiguration().indices,
              ElementsAre(1, 0, 1));
}

TEST(SearchSpace, OptionsOfOtherTypesDiffer) {
  SearchSpace space({{"flag", {1, "1", true}, 0}});
  EXPECT_THAT(space.configuration({{"flag", "1"}})->indices, ElementsAre(1));
  EXPECT_THAT(space.configuration({{"flag", true}})->indices, ElementsAre(2));
}

static std::string refusalOfValues(const Json &values) {
  auto refused = smallSpace().configuration(values);
  return refused ? "accepted" : refused.error().message;
}

TEST(SearchSpace, UnknownKnobIsNamedBesideTheKnownOnes) {
  Json values = smallSpace().values({{0, 0, 0}});
  values["BN"] = 4;
  EXPECT_THAT(refusalOfValues(values),
              AllOf(HasSubstr("\"BN\""), HasSubstr("BM, tail, order")));
}

TEST(SearchSpace, UnknownOptionIsNamedBesideTheKnownOnes) {
  Json values = smallSpace().values({{0, 0, 0}});
  values["BM"] = 48;
  EXPECT_THAT(
      refusalOfValues(values),
      AllOf(HasSubstr("48"), HasSubstr("\"BM\""), HasSubstr("[32,64,128]")));
}

TEST(SearchSpace, MissingKnobIsNamed) {
  EXPECT_THAT(refusalOfValues({{"BM", 32}, {"tail", "mask"}}),
              HasSubstr("no value for knob \"order\""));
}

TEST(SearchSpace, ConfigurationIsAnObject) {
  EXPECT_THAT(refusalOfValues(Json::array({32})), HasSubstr("not [32]"));
}

TEST(SearchSpace, ComesBackFromJson) {
  SearchSpace space = smallSpace();
  auto back = decode<SearchSpace>(Json::parse(Json(space).dump()));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, space);
}

TEST(SearchSpace, DefaultMustBeAnOption) {
  auto space = decode<SearchSpace>(Json::parse(
      R"({"knobs": [{"name": "BM", "options": [1, 2], "default": 3}]})"));
  ASSERT_FALSE(space.ok());
  EXPECT_THAT(space.error().message, HasSubstr("BM"));
}

TEST(Configuration, HashTellsPermutationsApart) {
  ConfigurationHash hash;
  EXPECT_NE(hash({{1, 2}}), hash({{2, 1}}));
  EXPECT_EQ(hash({{1, 2}}), hash({{1, 2}}));
}

TEST(SearchSpace, OptionsThatCannotBePrintedAreRefused) {
  Json json = SearchSpace({{"BM", {"a", "b"}, 0}});
  json["knobs"][0]["options"][1] = "\xE9";
  EXPECT_FALSE(decode<SearchSpace>(json).ok());
  // External values with such bytes are reported as no option.
  auto point =
      SearchSpace({{"BM", {"a", "b"}, 0}}).configuration({{"BM", "\xE9"}});
  ASSERT_FALSE(point.ok());
  EXPECT_THAT(point.error().message, HasSubstr("is not an option"));
}

static Result<SearchSpace, ConstraintError>
spaceWithSizes(std::vector<std::string> constraints,
               std::vector<Dimension> dimensions) {
  return SearchSpace::create({{"BM", {16, 32, 64}, 0}, {"BN", {0, 8}, 1}},
                             std::move(constraints), std::move(dimensions));
}

TEST(Dimensions, AreConstantsToConstraints) {
  auto space = spaceWithSizes({"M mod BM == 0", "BM <= K"},
                              {{"M", 96}, {"K", 1024}, {"N", 3}});
  ASSERT_TRUE(space.ok()) << space.error().text();
  EXPECT_TRUE(space->isLegal({{0, 0}}));
  EXPECT_TRUE(space->isLegal({{1, 0}}));
  EXPECT_EQ(space->brokenConstraint({{2, 0}}), 0u);
  auto refused = space->configuration({{"BM", 64}, {"BN", 8}});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message,
              HasSubstr("`M mod BM == 0` does not hold where BM = 64, M = 96"));
}

TEST(Dimensions, ThatNobodyNamesLeaveTheSpaceEqual) {
  auto named = spaceWithSizes({"M mod BM == 0"}, {{"M", 96}, {"N", 3}});
  auto plain = spaceWithSizes({"M mod BM == 0"}, {{"M", 96}});
  EXPECT_NE(*named, *plain);
  EXPECT_EQ(named->withoutUnusedDimensions(), *plain);
  EXPECT_THAT(named->getConstraintDimensions(std::vector<size_t>{0}),
              ElementsAre(Dimension{"M", 96}));
}

TEST(Dimensions, ComeBackFromJsonInOrder) {
  auto space = spaceWithSizes({"M mod BM == 0"}, {{"M", 96}, {"K", 8}});
  Json json = Json::parse(Json(*space).dump());
  EXPECT_EQ(json.at("dimensions").dump(),
            R"([{"name":"M","size":96},{"name":"K","size":8}])");
  auto back = decode<SearchSpace>(json);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, *space);
  EXPECT_FALSE(Json(smallSpace()).contains("dimensions"));
  json["dimensions"][0]["name"] = "BM";
  EXPECT_FALSE(decode<SearchSpace>(json).ok());
}

static std::string refusalOfSizes(std::string constraint,
                                  std::vector<Dimension> dimensions) {
  auto space = spaceWithSizes({std::move(constraint)}, std::move(dimensions));
  return space ? "accepted" : space.error().text();
}

TEST(Dimensions, MistakesAreExplained) {
  EXPECT_EQ(refusalOfSizes("BM > 0", {{"BM", 3}}),
            "BM names a knob and a dimension; rename one of them");
  EXPECT_EQ(refusalOfSizes("BM > 0", {{"M", 3}, {"M", 3}}),
            "two dimensions are named M");
  EXPECT_EQ(refusalOfSizes("L mod BM == 0", {{"M", 3}, {"K", 3}}),
            "column 1: there is no knob or dimension L; the knobs are: BM, BN; "
            "the dimensions are: M, K");
  EXPECT_EQ(refusalOfSizes("M[0] == BM", {{"M", 3}}),
            "column 1: dimension M is an integer, and has no elements");
  EXPECT_THAT(refusalOfSizes("M mod BN == 0", {{"M", 96}}),
              HasSubstr("`M mod BN` divides by zero where BN = 0, M = 96"));
  EXPECT_EQ(refusalOfSizes("M", {{"M", 96}}),
            "column 1: expected a condition, and `M` is an integer; compare it "
            "with one, as in `BM <= 64`");
}

TEST(Dimensions, AreNamedWhereNothingIsLegal) {
  auto space = spaceWithSizes({"M mod BM == 0", "BN > 0"}, {{"M", 7}});
  EXPECT_EQ(describeConflict(*space), "constraint \"M mod BM == 0\" where M=7");
}

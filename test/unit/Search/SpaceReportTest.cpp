//===- A space, as users see it -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/SpaceReport.h"
#include "ConstrainedSpaces.h"

#include <gmock/gmock.h>

#include <set>

using namespace tonno;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

namespace {

SearchSpace smallSpace() {
  return constrained({{"BM", powersOfTwo(16, 128), 1},
                      {"BN", powersOfTwo(16, 128), 0},
                      {"tail", {"mask", "split"}, 0}},
                     {"BM * BN <= 4096"});
}

/// Returns a space with one sum over all knobs, of which all remainders differ.
SearchSpace tangledSpace() {
  std::vector<Knob> knobs;
  std::string sum;
  for (int64_t i = 0; i < 30; ++i) {
    knobs.push_back({"x" + std::to_string(i), upTo(9), 0});
    sum += (i ? " + " : "") + std::to_string(100003 + 7919 * i) + "*x" +
           std::to_string(i);
  }
  return constrained(knobs, {sum + " <= 30000000", "x0 <= x1"});
}

} // namespace

TEST(SpaceReport, TellsOfKnobsConstraintsAndHowManyAreLegal) {
  EXPECT_THAT(
      printSpace(reportSpace(smallSpace(), 0, 0)),
      AllOf(
          HasSubstr("3 knobs, 32 configurations\n"),
          HasSubstr("knob        BM    16, 32, 64, 128; default 32; ordered\n"),
          HasSubstr("knob        tail  mask, split; default mask; "
                    "categorical\n"),
          HasSubstr("constraint  BM * BN <= 4096\n"),
          HasSubstr("legal       26, 81.2 % (exact)\n"),
          Not(HasSubstr("drawn")), Not(HasSubstr("by trying"))));
}

TEST(SpaceReport, DrawsDifferentLegalPointsUntilThereAreNone) {
  SpaceReport report = reportSpace(smallSpace(), 100, 3);
  EXPECT_EQ(report.drawn.size(), 26u);
  std::set<Configuration> distinct(report.drawn.begin(), report.drawn.end());
  EXPECT_EQ(distinct.size(), 26u);
  for (const Configuration &point : report.drawn)
    EXPECT_TRUE(report.space.isLegal(point));
  EXPECT_EQ(reportSpace(smallSpace(), 4, 3).drawn,
            reportSpace(smallSpace(), 4, 3).drawn);
  EXPECT_NE(reportSpace(smallSpace(), 4, 3).drawn,
            reportSpace(smallSpace(), 4, 4).drawn);
}

TEST(SpaceReport, SaysWhatIsKnownByTryingOnly) {
  SpaceReport report = reportSpace(tangledSpace(), 2, 0);
  EXPECT_THAT(report.tangled, ElementsAre(HasSubstr("100003*x0")));
  EXPECT_NE(report.legal.exactness, Exactness::exact);
  EXPECT_THAT(printSpace(report),
              AllOf(HasSubstr("legal       about "),
                    HasSubstr("95 % interval ["), HasSubstr("by trying   1000"),
                    HasSubstr("drawn       x0=")));
  EXPECT_LT(report.legal.low, report.legal.high);
}

TEST(SpaceReport, SaysThatTheDefaultsBreakAConstraint) {
  SearchSpace space = constrained({{"a", upTo(3), 0}}, {"a > 1"});
  EXPECT_THAT(printSpace(reportSpace(space, 0, 0)),
              HasSubstr("note        the defaults break a > 1\n"));
}

TEST(SpaceReport, ShowsOfManyOptionsTheFirstAndTheLast) {
  EXPECT_THAT(printSpace(reportSpace(SearchSpace({{"a", upTo(99), 0}}), 0, 0)),
              HasSubstr("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ..., 99 (100); "));
}

TEST(SpaceReport, AsJsonIsASpaceWithMore) {
  Json json = reportSpace(smallSpace(), 2, 0);
  EXPECT_EQ(json.get<SearchSpace>(), smallSpace());
  EXPECT_EQ(json["knobs"][0]["kind"], "ordered");
  EXPECT_EQ(json["size"], 32);
  EXPECT_EQ(json["legal"]["points"], 26);
  EXPECT_EQ(json["legal"]["exactness"], "exact");
  EXPECT_FALSE(json["legal"].contains("effective_samples"));
  EXPECT_EQ(json["default_is_legal"], true);
  EXPECT_EQ(json["drawn"].size(), 2u);
  EXPECT_TRUE(smallSpace().configuration(json["drawn"][0]).ok());
}

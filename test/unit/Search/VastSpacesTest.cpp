//===- Spaces that a double does not count --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/SpaceReport.h"
#include "ConstrainedSpaces.h"
#include "Diagram.h"

#include <gmock/gmock.h>
#include <limits>
#include <set>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Knobs of four options each, of which neighbours are not both the last one.
static SearchSpace chain(size_t count) {
  std::vector<Knob> knobs;
  std::vector<std::string> constraints;
  for (size_t i = 0; i < count; ++i) {
    knobs.push_back({"x" + std::to_string(i), upTo(3), 0});
    if (i > 0)
      constraints.push_back("x" + std::to_string(i - 1) + " + x" +
                            std::to_string(i) + " <= 5");
  }
  return constrained(std::move(knobs), std::move(constraints));
}

TEST(ScaledNumber, CountsBeyondADouble) {
  ScaledNumber big = 1;
  for (int i = 0; i < 3000; ++i)
    big = big * 3.0;
  EXPECT_TRUE(std::isinf(static_cast<double>(big)));
  EXPECT_EQ((big + big) / big, 2);
  EXPECT_EQ((big + 1.0) / big, 1);
  EXPECT_EQ(big / (big * 4.0), 0.25);
  EXPECT_EQ(static_cast<double>(ScaledNumber(0) * big), 0);
  EXPECT_EQ(static_cast<double>(ScaledNumber(0) + 5.0), 5);
  EXPECT_EQ(ScaledNumber(1) / big, 0);
}

TEST(VastSpace, IsReportedWithoutInfinities) {
  SpaceReport report = reportSpace(chain(600), 3, 0);
  EXPECT_GT(report.legal.share, 0);
  EXPECT_LT(report.legal.share, 1e-10);
  EXPECT_THAT(printSpace(report),
              AllOf(HasSubstr("600 knobs, over 2^64 configurations\n"),
                    HasSubstr("legal       over 2^64, "), HasSubstr("(exact)"),
                    Not(HasSubstr("inf")), Not(HasSubstr("nan"))));
  Json json = report;
  EXPECT_EQ(json["size"], "over 2^64");
  EXPECT_EQ(json["legal"]["points"], "over 2^64");
  EXPECT_EQ(json["legal"]["high"], "over 2^64");
  EXPECT_TRUE(json["legal"]["share"].is_number());
  EXPECT_EQ(report.drawn.size(), 3u);
}

TEST(VastSpace, IsDrawnFromUniformly) {
  auto legal = LegalSpace::create(chain(600));
  ASSERT_EQ(legal->count().exactness, Exactness::exact);
  LegalSampler sampler(legal);
  Random random(1);
  std::vector<size_t> drawn(4);
  for (int i = 0; i < 200; ++i)
    ++drawn[sampler.draw(random)->indices[0]];
  // The last option has fewer points below it than the others.
  for (size_t count : drawn)
    EXPECT_GT(count, 20u);
}

TEST(VastSpace, OfEveryCountIsExact) {
  LegalCount count = LegalSpace::create(chain(20))->count();
  EXPECT_EQ(formatCount(count.exact), "393620574951");
  EXPECT_EQ(count.points, 393620574951.0);
}

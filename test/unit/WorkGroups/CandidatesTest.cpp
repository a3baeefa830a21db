//===- Tests for candidate local sizes ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/Candidates.h"

#include <gmock/gmock.h>

using namespace tonno;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Sizes = std::vector<WorkSize>;

static WorkGroupLimits roomy() {
  return {.deviceItems = 4096,
          .deviceExtents = {4096, 4096, 4096},
          .kernelItems = 4096};
}

static CandidateSizes select(const Sizes &candidates, const WorkSize &global,
                             const WorkGroupLimits &limits) {
  auto selected = selectCandidates(candidates, global, limits);
  EXPECT_TRUE(selected) << selected.error().message;
  return selected ? *selected : CandidateSizes{};
}

static std::string reasonOf(const WorkSize &local, const WorkSize &global,
                            const WorkGroupLimits &limits) {
  return explainIllegalSize(local, global, limits).value_or("");
}

TEST(DefaultCandidates, ArePowersOfTwoTo256AndNaturalSizes) {
  EXPECT_THAT(defaultCandidates(1, roomy()),
              ElementsAre(WorkSize{1}, WorkSize{2}, WorkSize{4}, WorkSize{8},
                          WorkSize{16}, WorkSize{32}, WorkSize{64},
                          WorkSize{128}, WorkSize{256}));
}

TEST(DefaultCandidates, HaveEveryShapeOfPowersOfTwo) {
  Sizes two = defaultCandidates(2, roomy());
  EXPECT_THAT(two, SizeIs(45)); // 2^a by 2^b, a + b <= 8
  for (const WorkSize &natural : Sizes{{64, 1}, {16, 16}, {1, 256}, {8, 32}})
    EXPECT_THAT(two, testing::Contains(natural));
  EXPECT_THAT(defaultCandidates(3, roomy()), SizeIs(165));
}

TEST(DefaultCandidates, AreWhatTheKernelRequires) {
  WorkGroupLimits limits = roomy();
  limits.required = {48, 1, 1};
  EXPECT_THAT(defaultCandidates(3, limits), ElementsAre(WorkSize{48, 1, 1}));
  EXPECT_THAT(defaultCandidates(1, limits), ElementsAre(WorkSize{48}));
  EXPECT_EQ(reasonOf({48}, {96}, limits), "");
  limits.required = {8, 8, 1};
  EXPECT_EQ(reasonOf({8}, {64}, limits), "the kernel requires (8, 8, 1)");
}

TEST(Candidates, OfADeviceThatAllows256AreNoLarger) {
  WorkGroupLimits limits = roomy();
  limits.deviceItems = 256;
  auto selected = select({{128}, {256}, {512}}, {1024}, limits);
  EXPECT_THAT(selected.legal, ElementsAre(WorkSize{128}, WorkSize{256}));
  ASSERT_THAT(selected.leftOut, SizeIs(1));
  EXPECT_EQ(selected.leftOut[0].localSize, WorkSize{512});
  EXPECT_EQ(selected.leftOut[0].reason,
            "the device allows 256 work-items a group");
}

TEST(Candidates, KeepToEachLimitAndSayWhich) {
  WorkGroupLimits limits = roomy();
  limits.kernelItems = 64;
  limits.deviceExtents = {4096, 8, 1};
  EXPECT_EQ(reasonOf({128}, {1024}, limits),
            "this kernel allows 64 work-items a group");
  EXPECT_EQ(reasonOf({1, 16}, {1024, 1024}, limits),
            "the device allows 8 work-items in dimension 1");
  EXPECT_EQ(reasonOf({1, 1, 2}, {8, 8, 8}, limits),
            "the device allows 1 work-item in dimension 2");
  EXPECT_EQ(reasonOf({64}, {32}, limits),
            "the global size has 32 work-items in dimension 0");
  EXPECT_EQ(reasonOf({8, 8, 1}, {8, 8, 8}, limits), "");
  limits.required = {16, 1, 1};
  EXPECT_EQ(reasonOf({32, 1}, {64, 64}, limits),
            "the kernel requires (16, 1, 1)");
}

TEST(Candidates, DivideTheGlobalSizeOrAreSaidToBeLeftOut) {
  auto selected = select({{32}, {64}, {128}}, {1'000'000}, roomy());
  EXPECT_THAT(selected.legal, ElementsAre(WorkSize{32}, WorkSize{64}));
  ASSERT_THAT(selected.leftOut, SizeIs(1));
  EXPECT_EQ(selected.leftOut[0].reason,
            "128 does not divide the 1000000 in dimension 0, as it must unless "
            "the device has non-uniform work-groups and the build, by "
            "-cl-std=CL2.0 or newer, allows them");
}

TEST(Candidates, NeedNotDivideNonUniformly) {
  WorkGroupLimits limits = roomy();
  limits.isNonUniform = true;
  EXPECT_THAT(select({{128}, {7}}, {1'000'000}, limits).leftOut, IsEmpty());
}

TEST(Candidates, AreTriedOnceAndPadded) {
  auto selected = select({{64}, {64, 1}, {8, 8}, {64}}, {64, 64}, roomy());
  EXPECT_THAT(selected.legal, ElementsAre(WorkSize{64, 1}, WorkSize{8, 8}));
}

TEST(Candidates, ThatAreNoneAreRefused) {
  auto refusal = [](const Sizes &candidates, const WorkSize &global) {
    auto selected = selectCandidates(candidates, global, roomy());
    return selected ? std::string() : selected.error().message;
  };
  EXPECT_EQ(refusal({{0}}, {64}), "the local size 0 has no work-item");
  EXPECT_EQ(refusal({{8, 8}}, {64}), "the local size (8, 8) has more "
                                     "dimensions than the global size 64");
  EXPECT_EQ(refusal({{8}}, {64, 0}),
            "the global size (64, 0) has no work-item");
  EXPECT_EQ(refusal({{8}}, {1, 1, 1, 1}),
            "a global size has one to three dimensions, not 4");
  EXPECT_EQ(refusal({{}}, {64}),
            "a local size has one to three dimensions, not 0");
}

TEST(Candidates, OfHugeGroupsDoNotOverflow) {
  uint64_t huge = uint64_t(1) << 63;
  EXPECT_THAT(reasonOf({huge, 4}, {huge, 4}, roomy()),
              HasSubstr("the device allows 4096"));
}

TEST(NonUniform, NeedsDeviceAndProgram) {
  EXPECT_FALSE(allowsNonUniform("OpenCL 1.2 X", true, "-cl-std=CL2.0"));
  EXPECT_TRUE(allowsNonUniform("OpenCL 2.1 X", false, "-O -cl-std=CL2.0"));
  EXPECT_TRUE(allowsNonUniform("OpenCL 3.0 X", true, "-cl-std=CL3.0"));
  EXPECT_FALSE(allowsNonUniform("OpenCL 3.0 X", false, "-cl-std=CL3.0"));
  EXPECT_FALSE(allowsNonUniform("OpenCL 3.0 X", true, ""));
  EXPECT_FALSE(allowsNonUniform("OpenCL 3.0 X", true, "-cl-std=CL1.2"));
  EXPECT_FALSE(allowsNonUniform("OpenCL 3.0 X", true, "-cl-std=CL"));
  EXPECT_FALSE(allowsNonUniform("OpenCL 3.0 X", true,
                                "-cl-std=CL3.0 -cl-uniform-work-group-size"));
}

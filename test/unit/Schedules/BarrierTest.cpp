//===- A barrier where one is needed only ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"
#include "Trial.h"

#include <cstdio>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

class BarrierTest : public testing::TestWithParam<KernelFamily> {
protected:
  /// Drops the kernel's barriers one by one. Each drop must be detected.
  void dropEach(const std::string &name, const std::string &text,
                const std::string &chip) {
    auto lowered = workbench.lower(text, chip);
    ASSERT_TRUE(lowered.ok()) << name << ": " << lowered.error().message;
    std::vector<Mutation> barriers;
    for (Mutation &mutation : mutationsOf(*lowered))
      if (mutation.kind == "drop barrier")
        barriers.push_back(std::move(mutation));
    if (barriers.empty())
      return;
    auto artifact = workbench.emit(lowered->clone(), chip);
    ASSERT_TRUE(artifact.ok()) << name << ": " << artifact.error().message;
    auto verified = workbench.verify(text, *artifact, seeds);
    ASSERT_TRUE(verified.ok()) << name << ": " << verified.error().message;
    for (const Mutation &mutation : barriers) {
      Outcome outcome =
          tryMutant(workbench, text, chip, *lowered, mutation, seeds);
      std::printf("[ barrier  ] %s, %zu: %s, seed %llu\n", name.c_str(),
                  mutation.site, outcome.status.c_str(),
                  static_cast<unsigned long long>(outcome.seed));
      EXPECT_NE(outcome.status, "ok")
          << name << " does not need barrier " << mutation.site;
    }
  }

  Workbench workbench;
  std::vector<uint64_t> seeds = {1, 2, 3, 4, 5, 6, 7, 8};
};

} // namespace

TEST_P(BarrierTest, AreAllNeeded) {
  const KernelFamily &family = GetParam();
  for (size_t i = 0; i < family.configs.size(); ++i) {
    std::string chip = i % 2 ? "gfx942" : "sm_90";
    const std::vector<int64_t> &shape = family.shapes[i % 2];
    dropEach(family.name + " on " + chip + " {" + family.configs[i] + "}",
             family.write(shape, family.types.front(), family.configs[i]),
             chip);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, BarrierTest,
                         testing::ValuesIn(allFamilies()),
                         [](const testing::TestParamInfo<KernelFamily> &info) {
                           return info.param.name;
                         });

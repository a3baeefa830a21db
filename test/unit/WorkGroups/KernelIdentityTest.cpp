//===- Tests for the key of a tuned local size ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/WorkGroups/KernelIdentity.h"

#include <gmock/gmock.h>

#include <functional>

using namespace tonno;

static const KernelIdentity scale{.source = "kernel void scale() {}",
                                  .name = "scale",
                                  .buildOptions = "-cl-fast-relaxed-math",
                                  .platform = "Platform 1.0",
                                  .device = "Device OpenCL 3.0",
                                  .driver = "1.0"};
static const TuningQuestion question{.globalSize = {1024}};

TEST(KernelIdentity, MissesWhateverChanges) {
  using Change = std::function<void(KernelIdentity &, TuningQuestion &)>;
  std::vector<Change> changes = {
      [](auto &each, auto &) { each.source += " "; },
      [](auto &each, auto &) { each.name = "other"; },
      [](auto &each, auto &) { each.buildOptions += " -DN=4"; },
      [](auto &each, auto &) { each.platform = "Platform 1.1"; },
      [](auto &each, auto &) { each.device = "Other"; },
      [](auto &each, auto &) { each.driver = "1.1"; },
      [](auto &, auto &asked) { asked.globalSize = {2048}; },
      [](auto &, auto &asked) { asked.globalSize = {1024, 1}; },
      [](auto &, auto &asked) {
        asked.candidates = std::vector<WorkSize>{{64}};
      },
      [](auto &, auto &asked) { asked.runs = 5; },
      [](auto &, auto &asked) { asked.isPaired = true; }};
  std::vector<std::string> keys = {scale.key(question)};
  for (const Change &change : changes) {
    KernelIdentity each = scale;
    TuningQuestion asked = question;
    change(each, asked);
    EXPECT_THAT(keys, testing::Not(testing::Contains(each.key(asked))));
    keys.push_back(each.key(asked));
  }
  EXPECT_EQ(scale.key(question), keys[0]);
  EXPECT_EQ(keys[0].size(), 64u);
}

TEST(KernelIdentity, IsOfWhatTheDefaultCandidatesAre) {
  TuningQuestion asked = question;
  asked.candidates = question.candidatesOrDefault();
  EXPECT_EQ(scale.key(asked), scale.key(question));
}

TEST(KernelIdentity, LeavesOutWhatNoCodeDependsOn) {
  KernelIdentity each = scale;
  each.buildOptions =
      " -cl-kernel-arg-info -I /here -cl-fast-relaxed-math -I/there ";
  EXPECT_EQ(each.key(question), scale.key(question));
}

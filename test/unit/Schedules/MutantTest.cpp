//===- Mistakes in schedules, caught --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelFamily.h"
#include "Trial.h"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// A kernel to make mistakes in.
struct Subject {
  std::string schedule; ///< what of the schedules it stands for
  std::string family;
  std::vector<int64_t> shape;
  std::string type, config, chip;
  /// Kinds of mistakes that make no difference to this kernel, and why.
  std::map<std::string, std::string> equivalent = {};
};

std::ostream &operator<<(std::ostream &stream, const Subject &subject) {
  return stream << subject.schedule;
}

const char *const allHaveIt = "each thread of a row has the row's sum";
const char *const ofOthers = "what none but the first thread of a row needs";

const std::vector<Subject> subjects = {
    {"contraction",
     "matmul",
     {33, 65, 16},
     "f16.f32",
     "workgroup = [32, 32, 0], reduction = [0, 0, 8], thread = [4, 4, 0]",
     "sm_90"},
    {"contraction_epilogue",
     "matmul_bias_relu",
     {19, 37, 23},
     "f32",
     "workgroup = [12, 6, 0], reduction = [0, 0, 7], thread = [3, 2, 0]",
     "gfx942"},
    {"shuffles_nvidia",
     "row_sum_into",
     {5, 128},
     "f32",
     "workgroup = [2, 0], reduction = [0, 128], thread = [1, 4]",
     "sm_80"},
    {"shuffles_amd",
     "row_sum_into",
     {5, 128},
     "f32",
     "workgroup = [2, 0], reduction = [0, 128], thread = [1, 4]",
     "gfx942"},
    {"shuffles_bpermute",
     "row_sum_into",
     {3, 60},
     "f16",
     "workgroup = [2, 0], reduction = [0, 128], thread = [1, 4]",
     "gfx1100",
     {{"shift index", "the shuffles' own check that there is such a lane"}}},
    {"shared_reduction",
     "row_sum_into",
     {3, 500},
     "f32",
     "workgroup = [2, 0], reduction = [0, 512], thread = [1, 4]",
     "sm_120"},
    {"column_reduction",
     "column_sum",
     {33, 18},
     "i32",
     "workgroup = [0, 16], reduction = [8, 0], thread = [2, 2]",
     "gfx950",
     {{"scale index", ofOthers},
      {"shift index", "elements that no thread has, for there are 33"},
      {"all for one", allHaveIt}}},
    {"transposition",
     "transpose",
     {37, 50},
     "f32",
     "workgroup = [16, 32], thread = [2, 4]",
     "sm_100"},
    {"streaming",
     "layernorm",
     {3, 700},
     "f32",
     "workgroup = [1, 0], reduction = [0, 32], thread = [0, 4]",
     "sm_90",
     {{"all for one", allHaveIt}}},
    {"elementwise",
     "add",
     {17, 36},
     "f16",
     "workgroup = [4, 32], thread = [1, 4]",
     "gfx1100"},
    {"points", "convolution_by_depth", {9, 8, 3, 4, 7}, "f32", "", "sm_80"},
    {"launches",
     "launches",
     {16, 32},
     "f32",
     "",
     "gfx942",
     {{"scale index", ofOthers},
      {"shift index", ofOthers},
      {"all for one", allHaveIt}}},
    {"launches_matmul",
     "matmul_chain",
     {19, 32, 48},
     "f32",
     "workgroup = [16, 64, 0], reduction = [0, 0, 16], thread = [1, 8, 0]",
     "sm_90"},
};

std::string textOf(const Subject &subject) {
  for (const KernelFamily &family : allFamilies())
    if (family.name == subject.family)
      return family.write(subject.shape, subject.type, subject.config);
  return "";
}

class MutantTest : public testing::TestWithParam<Subject> {
protected:
  void SetUp() override {
    text = textOf(GetParam());
    auto made = workbench.lower(text, GetParam().chip);
    ASSERT_TRUE(made.ok()) << made.error().message;
    lowered = std::move(*made);
    // Compiles before the forks, so that the mutants' processes inherit open
    // files.
    auto artifact = workbench.emit(lowered.clone(), GetParam().chip);
    ASSERT_TRUE(artifact.ok()) << artifact.error().message;
    auto verified = workbench.verify(text, *artifact, seeds);
    ASSERT_TRUE(verified.ok()) << verified.error().message;
  }

  Workbench workbench;
  std::string text;
  Workbench::Lowered lowered;
  std::vector<uint64_t> seeds = {1, 2, 3, 4};
};

/// Largest number of mutations of a kind, spread over all sites.
constexpr size_t mostOfAKind = 8;

std::vector<Mutation> choose(std::vector<Mutation> all,
                             const Subject &subject) {
  std::map<std::string, std::vector<Mutation>> kinds;
  for (Mutation &mutation : all)
    if (!subject.equivalent.contains(mutation.kind))
      kinds[mutation.kind].push_back(std::move(mutation));
  std::vector<Mutation> chosen;
  for (auto &[kind, sites] : kinds) {
    size_t count = std::min(mostOfAKind, sites.size());
    for (size_t i = 0; i < count; ++i)
      chosen.push_back(sites[i * sites.size() / count]);
  }
  return chosen;
}

} // namespace

// Surviving mutants are equivalent: no tile beyond the last is loaded ahead, as
// the tiles' own bounds ensure; and an additional thread copies a piece of a
// tile into the padding of shared rows.
TEST_P(MutantTest, AreCaught) {
  size_t caught = 0, all = 0;
  for (const Mutation &mutation : choose(mutationsOf(lowered), GetParam())) {
    Outcome outcome =
        tryMutant(workbench, text, GetParam().chip, lowered, mutation, seeds);
    bool isCaught = outcome.status != "ok";
    std::printf("[ %s ] %s: %s %zu: %s, seed %llu: %s\n",
                isCaught ? "caught  " : "survived", GetParam().schedule.c_str(),
                mutation.kind.c_str(), mutation.site, outcome.status.c_str(),
                static_cast<unsigned long long>(outcome.seed),
                mutation.what.c_str());
    caught += isCaught;
    ++all;
  }
  EXPECT_GE(all, 3u);
  EXPECT_GE(caught * 100, all * 95) << caught << " of " << all;
}

INSTANTIATE_TEST_SUITE_P(Schedules, MutantTest, testing::ValuesIn(subjects),
                         [](const testing::TestParamInfo<Subject> &info) {
                           return info.param.schedule;
                         });

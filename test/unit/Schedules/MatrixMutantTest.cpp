//===- Mistakes in products on matrix units, caught -----------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/GpuChip.h"

#include "KernelFamily.h"
#include "MatrixMutation.h"
#include "Trial.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

using namespace tonno;

namespace {

/// A kernel to make mistakes in.
struct Subject {
  std::string name, family;
  std::vector<int64_t> shape;
  std::string type, config, chip;
  int64_t stages = 1;
  /// Mutations that make no difference to this kernel, and why.
  std::map<std::string, std::string> equivalent = {};
  std::set<std::string> kinds = {}; ///< of mutations; empty: all
};

std::ostream &operator<<(std::ostream &stream, const Subject &subject) {
  return stream << subject.name;
}

const char *const halves = "both halves of a subgroup hold all of k";

// Kinds of mutations that apply to asynchronous copies, which use no registers.
const std::set<std::string> ofCopies = {
    "barrier", "control", "copy", "matrix load", "order",
    "result",  "stage",   "step", "sums",        "tail"};

// Four subgroups in two rows, several workgroups and steps. Extents differ from
// each other and from the numbers of steps and blocks.
const std::vector<Subject> subjects = {
    {"mfma_16x16_f16",
     "matmul_transposed_b",
     {50, 72, 40},
     "f16.f32",
     R"(instruction = "mfma_16x16x16", subgroup = [16, 32, 0],
        workgroup = [32, 64, 0], reduction = [0, 0, 16], stages = 2, order = 2)",
     "gfx942",
     2},
    {"mfma_32x32_bf16",
     "matmul_bias_relu",
     {68, 72, 20},
     "bf16.f32",
     R"(instruction = "mfma_32x32x8", subgroup = [32, 32, 0],
        workgroup = [64, 64, 0], reduction = [0, 0, 8], stages = 1)",
     "gfx942",
     1},
    {"mfma_16x16_i8",
     "matmul_accumulate",
     {64, 64, 192},
     "i8.i32",
     R"(instruction = "mfma_16x16x64", subgroup = [16, 16, 0],
        workgroup = [32, 32, 0], reduction = [0, 0, 64], stages = 2, order = 1)",
     "gfx950",
     2},
    {"mma_f16",
     "matmul_bias_relu",
     {38, 44, 52},
     "f16.f32",
     R"(instruction = "mma_16x8x16", subgroup = [16, 16, 0],
        workgroup = [32, 32, 0], reduction = [0, 0, 16], stages = 2)",
     "sm_80",
     2},
    {"mma_i8",
     "batch_matmul",
     {3, 34, 20, 80},
     "i8.i32",
     R"(instruction = "mma_16x8x32", subgroup = [0, 16, 8, 0],
        workgroup = [0, 32, 16, 0], reduction = [0, 0, 0, 32], stages = 1)",
     "sm_90",
     1},
    {"wmma_11",
     "matmul_transposed_a",
     {36, 40, 44},
     "f16.f32",
     R"(instruction = "wmma_16x16x16", subgroup = [16, 16, 0],
        workgroup = [32, 32, 0], reduction = [0, 0, 16], stages = 2, order = 2)",
     "gfx1100",
     2,
     {{"fragment: left of the other half of lanes", halves},
      {"fragment: right of the other half of lanes", halves}}},
    {"wmma_12",
     "two_reduced_loops",
     {36, 40, 3, 24},
     "bf16.f32",
     R"(instruction = "wmma_16x16x16", subgroup = [16, 16, 0, 0],
        workgroup = [32, 32, 0, 0], reduction = [0, 0, 0, 16], stages = 2)",
     "gfx1201",
     2},
    // One workgroup, whose tiles exceed the static shared memory.
    {"dynamic_memory",
     "matmul",
     {64, 64, 200},
     "f16.f32",
     R"(instruction = "mma_16x8x16", subgroup = [32, 32, 0],
        workgroup = [64, 64, 0], reduction = [0, 0, 128], stages = 2)",
     "sm_80",
     2,
     {},
     {"barrier", "control", "memory", "stage", "matrix load"}},
    {"async_f16",
     "matmul",
     {40, 72, 84},
     "f16.f32",
     R"(instruction = "mma_16x8x16", subgroup = [16, 16, 0],
        workgroup = [32, 32, 0], reduction = [0, 0, 16], stages = 3,
        copy = "async")",
     "sm_80",
     3,
     {},
     ofCopies},
    {"async_bf16",
     "matmul_transposed_b",
     {40, 36, 140},
     "bf16.f32",
     R"(instruction = "mma_16x8x16", subgroup = [16, 16, 0],
        workgroup = [32, 32, 0], reduction = [0, 0, 32], stages = 2,
        copy = "async")",
     "sm_90",
     2,
     {},
     ofCopies},
    {"async_i8",
     "matmul",
     {40, 72, 136},
     "i8.i32",
     R"(instruction = "mma_16x8x32", subgroup = [16, 16, 0],
        workgroup = [32, 32, 0], reduction = [0, 0, 32], stages = 4,
        copy = "async")",
     "sm_89",
     4,
     {},
     ofCopies},
};

std::string textOf(const Subject &subject) {
  for (const KernelFamily &family : contractionFamilies())
    if (family.name == subject.family)
      return family.write(subject.shape, subject.type, subject.config);
  return "";
}

MatrixFacts factsOf(const Subject &subject) {
  MatrixFacts facts;
  facts.stages = subject.stages;
  facts.subgroupSize = (*findGpuChip(subject.chip))->subgroupSize;
  for (const KernelFamily &family : contractionFamilies())
    if (family.name == subject.family)
      for (auto [dim, extent] : llvm::zip(family.dims, subject.shape))
        (dim == 'M'   ? facts.rows
         : dim == 'N' ? facts.columns
                      : facts.depth) = extent;
  return facts;
}

const std::vector<MatrixMutation> &allMutations() {
  static const std::vector<MatrixMutation> all = matrixMutations();
  return all;
}

/// Returns the mutations that a subject has a place for.
std::vector<const MatrixMutation *> collectKnobSites(Workbench &workbench,
                                                     const Subject &subject) {
  std::vector<const MatrixMutation *> found;
  auto lowered = workbench.lower(
      textOf(subject), subject.chip, [&](mlir::func::FuncOp function) {
        for (const MatrixMutation &mutation : allMutations()) {
          mlir::OwningOpRef<mlir::func::FuncOp> clone(function.clone());
          MatrixProgram program(*clone, factsOf(subject));
          bool isWanted =
              subject.kinds.empty() || subject.kinds.contains(mutation.kind);
          if (isWanted && program.launch && mutation.apply(program))
            found.push_back(&mutation);
        }
      });
  EXPECT_TRUE(lowered.ok()) << lowered.error().message;
  return found;
}

/// A mutation is tried in no more subjects, unless $TONNO_ALL_MUTANTS is set.
constexpr size_t mostSubjects = 2;

using Places = std::map<const MatrixMutation *, std::vector<const Subject *>>;

/// Returns the subjects that have a place for each mutation.
const Places &allPlaces() {
  static const Places places = [] {
    Places found;
    Workbench workbench;
    for (const Subject &subject : subjects)
      for (const MatrixMutation *mutation :
           collectKnobSites(workbench, subject))
        found[mutation].push_back(&subject);
    return found;
  }();
  return places;
}

/// Returns the mutations to try in a subject. Subjects take turns.
std::vector<const MatrixMutation *> choose(const Subject &subject) {
  bool isAll = std::getenv("TONNO_ALL_MUTANTS") != nullptr;
  std::vector<const MatrixMutation *> chosen;
  for (auto [number, mutation] : llvm::enumerate(allMutations())) {
    auto place = allPlaces().find(&mutation);
    if (place == allPlaces().end())
      continue;
    const std::vector<const Subject *> &of = place->second;
    for (size_t i = 0; i < of.size(); ++i)
      if (of[(number + i) % of.size()]->name == subject.name &&
          (isAll || i < mostSubjects))
        chosen.push_back(&mutation);
  }
  return chosen;
}

class MatrixMutantTest : public testing::TestWithParam<Subject> {
protected:
  Workbench workbench;
  std::vector<uint64_t> seeds = {1, 2, 3};
};

std::string join(const std::vector<std::string> &words) {
  std::string all;
  for (const std::string &word : words)
    all += (all.empty() ? "" : ", ") + word;
  return all;
}

} // namespace

TEST_P(MatrixMutantTest, AreCaughtWithEachSeed) {
  const Subject &subject = GetParam();
  std::string text = textOf(subject);
  // Compiles before the forks, so that the mutants' processes inherit open
  // files.
  auto artifact = workbench.compile(text, subject.chip);
  ASSERT_TRUE(artifact.ok()) << artifact.error().message;
  auto verified = workbench.verify(text, *artifact, seeds);
  ASSERT_TRUE(verified.ok()) << verified.error().message;
  for (const MatrixMutation *mutation : choose(subject)) {
    std::string name = mutation->kind + ": " + mutation->name;
    bool isEquivalent =
        mutation->isEquivalent || subject.equivalent.contains(name);
    auto statuses = tryEdit(
        workbench, text, subject.chip,
        [&](mlir::func::FuncOp function) {
          MatrixProgram program(function, factsOf(subject));
          mutation->apply(program);
        },
        seeds);
    auto caught = static_cast<size_t>(std::ranges::count_if(
        statuses, [](const std::string &status) { return status != "ok"; }));
    std::printf("[ %s ] %s, %s: %s\n",
                caught == seeds.size() ? "caught  "
                : caught == 0          ? "survived"
                                       : "by luck ",
                subject.name.c_str(), name.c_str(), join(statuses).c_str());
    EXPECT_EQ(statuses.size(), seeds.size()) << name << ": " << join(statuses);
    EXPECT_EQ(caught, isEquivalent ? 0 : seeds.size())
        << name << ": " << join(statuses);
  }
}

INSTANTIATE_TEST_SUITE_P(Subjects, MatrixMutantTest,
                         testing::ValuesIn(subjects),
                         [](const testing::TestParamInfo<Subject> &info) {
                           return info.param.name;
                         });

TEST(MatrixMutations, HavePlaces) {
  for (const MatrixMutation &mutation : allMutations()) {
    std::string name = mutation.kind + ": " + mutation.name;
    auto place = allPlaces().find(&mutation);
    bool isFound =
        place != allPlaces().end() &&
        std::ranges::any_of(place->second, [&](const Subject *subject) {
          return !subject->equivalent.contains(name);
        });
    EXPECT_TRUE(isFound) << name;
  }
}

/// So that none gets lost.
TEST(MatrixMutations, AreSoMany) {
  std::map<std::string, size_t> kinds;
  for (const MatrixMutation &mutation : allMutations())
    ++kinds[mutation.kind];
  for (const auto &[kind, count] : kinds)
    std::printf("[ %8zu ] %s\n", count, kind.c_str());
  EXPECT_GE(allMutations().size(), 153u);
}

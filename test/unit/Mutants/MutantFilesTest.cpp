//===- Mutants in MLIR do not pass the gate -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gate/MutantFile.h"

#include <filesystem>
#include <gmock/gmock.h>

using namespace tonno;
using namespace tonno::gate;
using testing::IsEmpty;

namespace {

class MutantFilesTest : public testing::TestWithParam<std::string> {};

std::string fileName(const testing::TestParamInfo<std::string> &info) {
  std::string name = std::filesystem::path(info.param).stem();
  std::ranges::replace(name, '-', '_');
  return name;
}

} // namespace

TEST_P(MutantFilesTest, AreToldFromWhatIsRight) {
  auto file = MutantFile::load(GetParam());
  ASSERT_TRUE(file.ok()) << file.error().message;
  RunnerProcess runner({RUNNER});
  auto results = judge(*file, runner, /*seed=*/1);
  ASSERT_TRUE(results.ok()) << results.error().message;
  std::vector<std::string> misjudged;
  for (size_t i = 0; i < results->size(); ++i) {
    const MutantFile::Variant &variant = file->variants[i];
    const RunResult &result = (*results)[i];
    bool isFound = result.status == Status::wrong ||
                   result.status == Status::out_of_bounds;
    if (variant.isRight ? result.status != Status::ok
                        : !isFound && !mayEscape(file->name, variant.name))
      misjudged.push_back(variant.name + ": " +
                          std::string(toString(result.status)) + " " +
                          result.message);
  }
  EXPECT_THAT(misjudged, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, MutantFilesTest, testing::ValuesIn(mutantFiles()),
                         fileName);

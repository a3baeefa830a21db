//===- Tests for names of recordings --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Recording.h"

#include "RecordedFiles.h"

using namespace tonno;
namespace fs = std::filesystem;

static std::vector<std::string>
namesOf(const std::vector<std::pair<const char *, const char *>> &given) {
  std::vector<Recording> recordings;
  std::vector<fs::path> files;
  for (auto [name, file] : given) {
    recordings.push_back(*parseCsvFile("a,time_s\n1,2\n", name));
    files.emplace_back(file);
  }
  makeNamesUnique(recordings, files);
  std::vector<std::string> names;
  for (const Recording &recording : recordings)
    names.push_back(recording.name());
  return names;
}

TEST(RecordingNames, OneOfItsOwnStays) {
  EXPECT_THAT(namesOf({{"x", "a/x.csv"}, {"y", "a/y.csv"}}),
              testing::ElementsAre("x", "y"));
}

TEST(RecordingNames, SharedOnesHaveTheirFilesOrPathsOrNumbers) {
  EXPECT_THAT(namesOf({{"x", "a/x.csv"}, {"x", "a/x.t4.json"}, {"y", "y"}}),
              testing::ElementsAre("x (x.csv)", "x (x.t4.json)", "y"));
  EXPECT_THAT(namesOf({{"x", "a/x.csv"}, {"x", "b/x.csv"}, {"x", "b/x.json"}}),
              testing::ElementsAre("x (a/x.csv)", "x (b/x.csv)", "x (x.json)"));
  EXPECT_THAT(namesOf({{"k", "j"}, {"k", "j"}, {"k", "i"}}),
              testing::ElementsAre("k (j) #1", "k (j) #2", "k (i)"));
}

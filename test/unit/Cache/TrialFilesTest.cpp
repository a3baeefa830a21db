//===- Trials travel in T4 files ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Cache/TrialFiles.h"

#include "MadeCaches.h"

using namespace tonno;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

class TrialFilesTest : public MadeCaches {
protected:
  std::string write(const std::string &name, TrialFormat format) {
    std::string text;
    auto key = findProblemKey(open(name), "", warn);
    EXPECT_TRUE(key.ok());
    auto count = exportTrials(
        open(name), *key, format,
        [&](const std::string &piece) { text += piece; }, warn);
    EXPECT_TRUE(count.ok());
    return text;
  }
  Result<void> read(const std::string &text, const std::string &name) {
    auto merger = CacheMerger::open(directory / name, warn);
    return importTrials(text, *merger);
  }
};

} // namespace

TEST_F(TrialFilesTest, T4ComesBackAsItWas) {
  addTrial("a", makeTrial(8, Status::ok, 1.0 / 3));
  addTrial("a", makeTrial(16, Status::wrong));
  addTrial("a", makeTrial(32, Status::compile_error));
  std::string text = write("a", TrialFormat::t4);
  ASSERT_TRUE(read(text, "b").ok());
  EXPECT_EQ(readAll("b"), readAll("a"));
  EXPECT_EQ(write("b", TrialFormat::t4), text);
}

TEST_F(TrialFilesTest, CsvHasKnobsStatusAndTime) {
  addTrial("a", makeTrial(8, Status::ok, 0.5));
  std::string text = write("a", TrialFormat::csv);
  EXPECT_THAT(text, StartsWith("BM,status,time_s,"));
  EXPECT_THAT(text, HasSubstr("\n8,ok,0.5,"));
}

TEST_F(TrialFilesTest, ChangedTimesAreRefused) {
  addTrial("a", makeTrial(8, Status::ok, 0.5));
  std::string text = write("a", TrialFormat::t4);
  size_t time = text.find("\"value\":500.0");
  ASSERT_NE(time, text.npos);
  text.replace(time, 13, "\"value\":400.0");
  auto imported = read(text, "b");
  ASSERT_FALSE(imported.ok());
  EXPECT_THAT(imported.error().message,
              HasSubstr("'measurements' was changed"));
  EXPECT_TRUE(readAll("b").empty());
}

TEST_F(TrialFilesTest, ChangedRecordsAreRefused) {
  addTrial("a", makeTrial(8, Status::ok, 0.5));
  const std::string text = write("a", TrialFormat::t4);
  auto refuse = [&](auto change) {
    Json file = Json::parse(text);
    change(file);
    auto imported = read(printed(file), "b");
    ASSERT_FALSE(imported.ok());
    EXPECT_THAT(imported.error().message, HasSubstr("another checksum"));
    EXPECT_TRUE(readAll("b").empty());
  };
  refuse([](Json &file) {
    Json &result = file["results"][0];
    result["measurements"][0]["value"] = 250.0;
    result["tonno"]["measurement"]["seconds"]["median"] = 0.25;
  });
  refuse([](Json &file) {
    file["results"][0]["tonno"]["measurement"]["ratio"] = 0.01;
  });
  refuse([](Json &file) { file["results"][0]["configuration"]["BM"] = 16; });
  refuse([](Json &file) {
    file["metadata"]["tonno"]["problem"]["device"] = "Other";
  });
  refuse([](Json &file) { file["results"][0]["tonno"].erase("checksum"); });
}

TEST_F(TrialFilesTest, FilesOfOtherTunersAreRefused) {
  auto imported = read(R"({"results": []})", "b");
  ASSERT_FALSE(imported.ok());
  EXPECT_THAT(imported.error().message, HasSubstr("tonno-tune replay"));
}

TEST_F(TrialFilesTest, SeveralProblemsMustBeNamed) {
  addTrial("a", makeTrial(8, Status::ok));
  addTrial("a", makeTrial(8, Status::ok), makeIdentity("other"));
  auto key = findProblemKey(open("a"), "", warn);
  ASSERT_FALSE(key.ok());
  EXPECT_THAT(key.error().message, HasSubstr("several problems"));
  std::string decision =
      addDecision("a", makeDecision(8, Verdict::tie, 1), makeIdentity("other"));
  EXPECT_EQ(*findProblemKey(open("a"), decision, warn),
            makeIdentity("other").problemKey());
}

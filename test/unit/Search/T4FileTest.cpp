//===- Result files in the T4 format --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PrintedRecordings.h"
#include "RecordedFiles.h"

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

static std::string result(const std::string &configuration,
                          const std::string &invalidity,
                          const std::string &value,
                          const std::string &unit = "miliseconds") {
  return R"({"configuration": )" + configuration + R"(, "times":
{"compilation": 200.0, "framework": 2, "search_algorithm": 5, "validation": 1,
"runtimes": [30.0, 10]}, "invalidity": ")" +
         invalidity + R"(", "correctness": 1, "measurements": [{"name": "power",
"value": 7, "unit": "W"}, {"name": "time", "value": )" +
         value + ", \"unit\": \"" + unit + R"("}], "objectives": ["time"]})";
}

static std::string t4File(const std::string &results,
                          const std::string &unit = "miliseconds") {
  return "{\"metadata\": {\"timeunit\": \"" + unit + "\"}, \"results\": [" +
         results + "], \"schema_version\": \"1.0.0\"}";
}

TEST(T4File, HasItsParametersTimesAndCosts) {
  Recording recording =
      accepted(t4File(result(R"({"y": 2, "x": 1})", "correct", "0.5") + "," +
                      result(R"({"x": 4, "y": 1})", "correct", "[3.0, 9, 2]")));
  std::vector<Knob> expected = {{"x", {1, 4}, 0}, {"y", {1, 2}, 1}};
  EXPECT_EQ(recording.space().knobs(), expected);
  RecordedTrial trial = trialOf(recording, {{"x", 1}, {"y", 2}});
  EXPECT_DOUBLE_EQ(trial.seconds, 0.5e-3);
  EXPECT_DOUBLE_EQ(trial.cost.compile, 0.2);
  EXPECT_DOUBLE_EQ(trial.cost.run, 41e-3);
  EXPECT_DOUBLE_EQ(trial.cost.other, 2e-3);
  EXPECT_DOUBLE_EQ(recording.trials()[1].seconds, 3e-3);
}

TEST(T4File, UnitsAreStatedOrTheFiles) {
  std::string x = R"({"x": 1})";
  auto seconds = [&](const std::string &unit, const std::string &timeunit) {
    return accepted(t4File(result(x, "correct", "2.0", unit), timeunit))
        .trials()[0];
  };
  EXPECT_DOUBLE_EQ(seconds("milliseconds", "miliseconds").seconds, 2e-3);
  EXPECT_DOUBLE_EQ(seconds("us", "miliseconds").seconds, 2e-6);
  EXPECT_DOUBLE_EQ(seconds("", "seconds").seconds, 2);
  EXPECT_DOUBLE_EQ(seconds("ms", "seconds").cost.compile, 200);
  EXPECT_DOUBLE_EQ(seconds("ms", "seconds").cost.run, 41);
  EXPECT_THAT(refusal(t4File(result(x, "correct", "2", "parsecs"))),
              HasSubstr("'parsecs'"));
  EXPECT_THAT(refusal(t4File(result(x, "correct", "2"), "years")),
              HasSubstr("'years'"));
}

/// Returns ten results that compile for `compile` of the unit, a second apart
/// or without timestamps.
static Recording timedT4(const std::string &metadata,
                         const std::string &compile, bool hasClock) {
  std::string text;
  for (int i = 0; i < 10; ++i)
    text += (i ? ",{" : "{") +
            (hasClock ? "\"timestamp\": \"2023-01-26 01:05:" +
                            std::to_string(10 + i) + "+00:00\","
                      : std::string()) +
            R"("configuration": {"x": )" + std::to_string(i) +
            R"(}, "invalidity": "correct", "times": {"compilation_time": )" +
            compile + R"(}, "measurements": [{"name": "time", "value": 1}]})";
  return accepted("{" + metadata + "\"results\": [" + text + "]}");
}

TEST(T4File, TheStatedUnitOfCompilingHolds) {
  std::string ms = R"("metadata": {"timeunit": "ms"},)";
  for (auto [compile, seconds] :
       {std::pair("2", 2e-3), {"9", 9e-3}, {"300", 0.3}})
    EXPECT_DOUBLE_EQ(timedT4(ms, compile, false).trials()[0].cost.compile,
                     seconds);
  // Without a unit, the unit is inferred as in Kernel Tuner's files.
  EXPECT_DOUBLE_EQ(timedT4("", "2", false).trials()[0].cost.compile, 2);
  EXPECT_DOUBLE_EQ(timedT4("", "300", false).trials()[0].cost.compile, 0.3);
}

TEST(T4File, TimestampsThatContradictStatedMillisecondsWin) {
  std::string ms = R"("metadata": {"timeunit": "ms"},)";
  Recording recording = timedT4(ms, "1", true);
  EXPECT_DOUBLE_EQ(recording.trials()[0].cost.compile, 1);
  EXPECT_THAT(recording.notes(),
              testing::ElementsAre(HasSubstr("stated milliseconds")));
  recording = timedT4(ms, "1000", true);
  EXPECT_DOUBLE_EQ(recording.trials()[0].cost.compile, 1);
  EXPECT_THAT(recording.notes(), testing::IsEmpty());
  // Other values have never had another meaning.
  std::string us = R"("metadata": {"timeunit": "us"},)";
  EXPECT_DOUBLE_EQ(timedT4(us, "1", true).trials()[0].cost.compile, 1e-6);
}

TEST(T4File, ResultsAreAList) {
  for (const char *results :
       {"{}", R"({"1": {"configuration": {"x": 1}}})", "3"})
    EXPECT_THAT(refusal(R"({"results": )" + std::string(results) + "}"),
                HasSubstr("'results' is not a list"))
        << results;
}

TEST(T4File, InvalidityIsTheStatus) {
  Recording recording = accepted(
      t4File(result(R"({"x": 1})", "compile", "\"CompilationFailedConfig\"") +
             "," + result(R"({"x": 2})", "runtime", "\"RuntimeFailedConfig\"") +
             "," + result(R"({"x": 3})", "timeout", "0") + "," +
             result(R"({"x": 4})", "correctness", "0.1") + "," +
             result(R"({"x": 5})", "constraints", "0") + "," +
             result(R"({"x": 6})", "correct", "1.5")));
  std::vector<Status> statuses;
  for (const RecordedTrial &trial : recording.trials())
    statuses.push_back(trial.status);
  EXPECT_THAT(statuses,
              testing::ElementsAre(Status::compile_error, Status::fault,
                                   Status::hang, Status::wrong, Status::ok));
  EXPECT_EQ(recording.excluded(), 1u);
  EXPECT_EQ(recording.bestSeconds(), 1.5e-3);
}

TEST(T4File, OtherParametersAndContradictionsAreRefused) {
  std::string first = result(R"({"x": 1})", "correct", "1.5") + ",";
  EXPECT_THAT(refusal(t4File(first + result(R"({"y": 1})", "correct", "1.5"))),
              AllOf(HasSubstr("result 2"), HasSubstr("'x' is missing")));
  EXPECT_THAT(
      refusal(t4File(first + result(R"({"x": 2, "z": 1})", "correct", "1.5"))),
      AllOf(HasSubstr("result 2"), HasSubstr("'z'")));
  EXPECT_THAT(refusal(t4File(first + result(R"({"x": 1})", "correct", "1.6"))),
              AllOf(HasSubstr("result 2"), HasSubstr("result 1")));
  EXPECT_THAT(refusal(t4File(first + result(R"({"x": 1})", "correct", "1.5"))),
              AllOf(HasSubstr("result 2"), HasSubstr("the same outcome")));
}

TEST(T4File, WhatIsMissingOrWrongIsNamed) {
  std::string x = R"({"x": 1})";
  EXPECT_THAT(refusal(t4File(result(x, "lazy", "1.5"))),
              AllOf(HasSubstr("\"lazy\""), HasSubstr("the values are")));
  EXPECT_THAT(refusal(t4File(result(x, "correct", "\"much\""))),
              HasSubstr("\"much\""));
  EXPECT_THAT(refusal(t4File(result(x, "correct", "-1.5"))),
              HasSubstr("positive"));
  EXPECT_THAT(refusal(t4File(result("{}", "correct", "1.5"))),
              HasSubstr("configuration"));
  EXPECT_THAT(refusal(t4File(R"({"configuration": {"x": 1}, "times": {},
      "invalidity": "correct", "correctness": 1})")),
              HasSubstr("no measurement 'time'"));
  EXPECT_THAT(refusal(t4File("")), HasSubstr("no entries"));
  EXPECT_THAT(refusal(t4File(result(x, "runtime", "0"))),
              HasSubstr("no configuration is valid"));
  std::string whole = t4File(result(x, "correct", "1.5"));
  EXPECT_THAT(refusal(whole.substr(0, whole.size() - 3)),
              HasSubstr("truncated"));
  EXPECT_THAT(refusal(whole + "x"), HasSubstr("not JSON"));
}

TEST(T4File, AnObjectiveInAUnitOfTimeIsTheTime) {
  std::string text = R"({"results": [{"configuration": {"x": 1}, "times": {},
      "invalidity": "correct", "correctness": 1, "objectives": ["GPU_time"],
      "measurements": [{"name": "GPU_time", "value": 3, "unit": "us"}]}]})";
  EXPECT_DOUBLE_EQ(accepted(text).bestSeconds(), 3e-6);
}

TEST(T4File, OfOursIsReadAgain) {
  Recording recording = accepted("b,a,time_ms,status,compile_ms,run_ms\n"
                                 "1,x,0.3,ok,100,30\n"
                                 "2,x,,wrong,90,20\n");
  Recording again = accepted(printT4File(recording));
  ASSERT_EQ(again.trials().size(), 2u);
  RecordedTrial trial = trialOf(again, {{"b", 1}, {"a", "x"}});
  EXPECT_EQ(trial.seconds, recording.trials()[0].seconds);
  EXPECT_EQ(trial.cost, recording.trials()[0].cost);
  EXPECT_EQ(again.trials()[1].status, Status::wrong);
}

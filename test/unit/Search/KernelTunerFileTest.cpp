//===- Cache files of Kernel Tuner ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RecordedFiles.h"

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

static const std::string header = R"({
"device_name": "a GPU", "kernel_name": "k", "problem_size": 64,
"tune_params_keys": ["BX", "M"],
"tune_params": {"BX": [64, 32], "M": ["a", "b"]},
"objective": "time",
"cache": {)";

/// Returns an entry in the format of newer files, in milliseconds.
static std::string entry(int bx, const std::string &m, const std::string &time,
                         const std::string &rest = "") {
  std::string x = std::to_string(bx);
  return "\n\"" + x + "," + m + "\": {\"BX\": " + x + ", \"M\": \"" + m +
         "\", \"time\": " + time +
         ", \"compile_time\": 500.0, \"verification_time\": 2, "
         "\"benchmark_time\": 40.0, \"strategy_time\": 7, "
         "\"framework_time\": 1.0" +
         rest + "}";
}

static std::string file(const std::string &entries) {
  return header + entries + "}\n}";
}

TEST(KernelTunerFile, HasItsParametersTimesAndCosts) {
  Recording recording =
      accepted(file(entry(64, "b", "0.5") + "," + entry(32, "a", "2.0")));
  EXPECT_EQ(recording.name(), "file");
  std::vector<Knob> expected = {{"BX", {32, 64}, 1}, {"M", {"b", "a"}, 0}};
  EXPECT_EQ(recording.space().knobs(), expected);
  RecordedTrial trial = trialOf(recording, {{"BX", 64}, {"M", "b"}});
  EXPECT_EQ(trial.status, Status::ok);
  EXPECT_DOUBLE_EQ(trial.seconds, 0.5e-3);
  EXPECT_DOUBLE_EQ(trial.cost.compile, 0.5);
  EXPECT_DOUBLE_EQ(trial.cost.run, 42e-3);
  EXPECT_DOUBLE_EQ(trial.cost.other, 1e-3);
  EXPECT_EQ(recording.bestSeconds(), 0.5e-3);
  EXPECT_EQ(recording.worstSeconds(), 2e-3);
}

TEST(KernelTunerFile, FailuresAreToldApartAndTheInvalidIsNoPoint) {
  Recording recording = accepted(
      file(entry(64, "a", "\"InvalidConfig\"") + "," +
           entry(64, "b", "\"CompilationFailedConfig\"") + "," +
           entry(128, "a", "\"RuntimeFailedConfig\"") + "," +
           entry(128, "b", "1e20") + "," + entry(256, "a", "NaN") + "," +
           "\n\"256,b\": {\"BX\": 256, \"M\": \"b\", \"__error__\": "
           "\"RuntimeFailedConfig\"}," +
           entry(32, "a", "1.0")));
  EXPECT_EQ(recording.excluded(), 1u);
  EXPECT_EQ(recording.trials().size(), 6u);
  EXPECT_EQ(recording.okCount(), 1u);
  auto status = [&](int bx, const char *m) {
    return trialOf(recording, {{"BX", bx}, {"M", m}}).status;
  };
  EXPECT_EQ(status(64, "b"), Status::compile_error);
  EXPECT_EQ(status(128, "a"), Status::fault);
  EXPECT_EQ(status(128, "b"), Status::fault);
  EXPECT_EQ(status(256, "a"), Status::fault);
  EXPECT_EQ(status(256, "b"), Status::fault);
  EXPECT_EQ(trialOf(recording, {{"BX", 64}, {"M", "b"}}).cost.compile, 0.5);
}

TEST(KernelTunerFile, OneThatWasNotClosedIsReadAsIfItWas) {
  std::string entries = entry(64, "b", "0.5") + "," + entry(32, "a", "2.0");
  for (const char *end : {"", ",", ",\n", "}", "\n}\n", "\n}\n}"}) {
    Recording recording = accepted(header + entries + end);
    EXPECT_EQ(recording.trials().size(), 2u) << end;
    EXPECT_EQ(recording.notes().empty(), std::string(end) == "\n}\n}") << end;
  }
}

TEST(KernelTunerFile, OneThatEndsWithinAnEntryIsRefused) {
  std::string whole = header + entry(64, "b", "0.5") + ",";
  std::string cut = whole + entry(32, "a", "2.0");
  for (size_t size : {whole.size() + 8, cut.size() - 30, cut.size() - 1})
    EXPECT_THAT(refusal(cut.substr(0, size)),
                AllOf(HasSubstr("truncated within entry 2"),
                      HasSubstr("copy the file again")))
        << size;
  EXPECT_THAT(refusal(header.substr(0, 150)), HasSubstr("truncated"));
  EXPECT_THAT(refusal(header), HasSubstr("the file has no entries"));
}

TEST(KernelTunerFile, SecondEntriesOfAPointAreRefused) {
  std::string one = entry(64, "b", "0.5");
  EXPECT_THAT(refusal(file(one + "," + one)),
              AllOf(HasSubstr("entry 2 \"64,b\""), HasSubstr("entry 1"),
                    HasSubstr("the same outcome")));
  EXPECT_THAT(refusal(file(one + "," + entry(64, "b", "0.6"))),
              AllOf(HasSubstr("entry 2 \"64,b\""), HasSubstr("entry 1"),
                    HasSubstr("another time")));
  EXPECT_THAT(
      refusal(file(one + "," + entry(64, "b", "\"RuntimeFailedConfig\""))),
      HasSubstr("another outcome"));
}

TEST(KernelTunerFile, EntriesWithOtherParametersAreRefused) {
  EXPECT_THAT(refusal(file("\"64\": {\"BX\": 64, \"time\": 1.0}")),
              AllOf(HasSubstr("entry 1 \"64\""), HasSubstr("'M' is missing")));
  EXPECT_THAT(refusal(file("\"64\": 7")), HasSubstr("not an object"));
  EXPECT_THAT(refusal(R"({"tune_params_keys": [], "cache": {"1": {}}})"),
              HasSubstr("tune_params_keys"));
  EXPECT_THAT(refusal(R"({"tune_params_keys": ["a"]})"),
              HasSubstr("no object 'cache'"));
  EXPECT_THAT(refusal(file(entry(64, "a", "1.0", ", \"BX\": {\"x\": 1}"))),
              HasSubstr("'BX'"));
}

TEST(KernelTunerFile, TimesThatAreNoneAreRefused) {
  for (const char *time : {"-1.0", "0"})
    EXPECT_THAT(refusal(file(entry(64, "a", time))),
                AllOf(HasSubstr("entry 1"), HasSubstr("positive")));
  EXPECT_THAT(refusal(file(entry(64, "a", "\"fast\""))), HasSubstr("'time'"));
  EXPECT_THAT(refusal(file(entry(64, "a", "{}"))), HasSubstr("'time'"));
  EXPECT_THAT(refusal(file(entry(64, "a", "1.0", ", \"benchmark_time\": -50"))),
              HasSubstr("not a time"));
  EXPECT_THAT(refusal(file(entry(64, "a", "\"RuntimeFailedConfig\""))),
              HasSubstr("no configuration is valid"));
  EXPECT_THAT(refusal(file(entry(64, "a", "\"InvalidConfig\""))),
              HasSubstr("no entries"));
}

TEST(KernelTunerFile, KeysThatContradictTheirEntriesAreRefused) {
  auto keyed = [](const std::string &key, const std::string &values) {
    return R"({"tune_params_keys": ["a", "b"], "cache": {")" + key + R"(": {)" +
           values + R"(, "time": 1}}})";
  };
  for (auto [key, values] : {std::pair("7,7", R"("a": 1, "b": 2)"),
                             {"1", R"("a": 1, "b": 2)"},
                             {"1,2,3", R"("a": 1, "b": 2)"},
                             {"x,y", R"("a": "x", "b": "z")"},
                             {"1,False", R"("a": 1, "b": true)"},
                             {"1,x", R"("a": 1, "b": 2)"}})
    EXPECT_THAT(refusal(keyed(key, values)),
                AllOf(HasSubstr("entry 1"), HasSubstr("contradicts")))
        << key;
  for (auto [key, values] : {std::pair("1,2", R"("a": 1, "b": 2)"),
                             {"1.0,2e0", R"("a": 1, "b": 2.0)"},
                             {"1,True", R"("a": 1, "b": true)"},
                             {"1,None", R"("a": 1, "b": null)"},
                             {"1,[2, 3]", R"("a": 1, "b": [2, 3])"},
                             {"x,y,z", R"("a": "x,y", "b": "z")"}})
    EXPECT_EQ(accepted(keyed(key, values)).okCount(), 1u) << key;
}

TEST(KernelTunerFile, ParametersThatContradictEachOtherAreRefused) {
  auto stated = [](const std::string &parameters) {
    return R"({"tune_params_keys": ["a"], "tune_params": )" + parameters +
           R"(, "cache": {"1": {"a": 1, "time": 1}}})";
  };
  EXPECT_EQ(accepted(stated(R"({"a": [1]})")).okCount(), 1u);
  EXPECT_THAT(refusal(stated(R"({"a": [1], "z": [2]})")), HasSubstr("'z'"));
  EXPECT_THAT(refusal(stated("{}")),
              AllOf(HasSubstr("'a'"), HasSubstr("'tune_params'")));
}

TEST(KernelTunerFile, EntriesAreMembersOfAnObject) {
  std::string keys = R"({"tune_params_keys": ["a"], "cache": )";
  for (const char *cache : {R"([{"a": 1, "time": 1}])", "[]", "5", "null"})
    EXPECT_THAT(refusal(keys + cache + "}"),
                HasSubstr("'cache' is not an object"))
        << cache;
}

/// Returns Kernel Tuner's key of values such as "2.0, \"f\": true".
static std::string keyOf(std::string pair) {
  std::erase(pair, '"');
  pair.replace(pair.find(" f: "), 4, "");
  return '"' + pair + '"';
}

TEST(KernelTunerFile, OptionsAreNumbersTruthsTextAndDecimals) {
  std::string text = R"({"tune_params_keys": ["o", "f"], "cache": {)";
  bool isFirst = true;
  for (const char *pair :
       {"2.0, \"f\": true", "\"x\", \"f\": false", "2.45, \"f\": true",
        "null, \"f\": false", "true, \"f\": true", "[1, 2], \"f\": false"}) {
    text += std::string(isFirst ? "" : ",") + keyOf(pair) +
            ": {\"o\": " + pair + ", \"time\": 1}";
    isFirst = false;
  }
  Recording recording = accepted(text + "}}");
  std::vector<Knob> expected = {{"o", {2, "x", 2.45, "None", true, {1, 2}}, 0},
                                {"f", {false, true}, 1}};
  EXPECT_EQ(recording.space().knobs(), expected);
  EXPECT_EQ(accepted(R"({"tune_params_keys": ["o"], "cache": {
      "10": {"o": 10, "time": 1}, "2.5": {"o": 2.5, "time": 1},
      "9": {"o": 9, "time": 1}}})")
                .space()
                .knobs(),
            std::vector<Knob>({{"o", {2.5, 9, 10}, 2}}));
}

/// Returns ten entries that compile for `compile` and run for 40 ms, one after
/// another, with or without timestamps.
static Recording timed(const std::string &compile, double seconds,
                       bool hasClock) {
  std::string text = R"({"tune_params_keys": ["o"], "cache": {)";
  for (int i = 0; i < 10; ++i) {
    std::string second = std::to_string(10 + (seconds + 0.04) * i);
    text += (i ? ",\"" : "\"") + std::to_string(i) +
            "\": {\"o\": " + std::to_string(i) +
            ", \"time\": 1, \"compile_time\": " + compile +
            ", \"benchmark_time\": 40";
    if (hasClock)
      text += ", \"timestamp\": \"2023-01-26 01:05:" + second + "+00:00\"";
    text += "}";
  }
  return accepted(text + "}}");
}

TEST(KernelTunerFile, TimestampsTellTheUnitOfCompiling) {
  // The unit differs from the one that the numbers suggest.
  EXPECT_NEAR(timed("2.5", 0.0025, true).trials()[3].cost.compile, .0025, 1e-9);
  EXPECT_NEAR(timed("2.5", 2.5, true).trials()[3].cost.compile, 2.5, 1e-9);
  EXPECT_NEAR(timed("15", 15, true).trials()[0].cost.compile, 15, 1e-9);
}

TEST(KernelTunerFile, WithoutTimestampsTheSizeTellsTheUnitOfCompiling) {
  EXPECT_NEAR(timed("2.5", 0, false).trials()[3].cost.compile, 2.5, 1e-9);
  EXPECT_NEAR(timed("250", 0, false).trials()[3].cost.compile, .25, 1e-9);
}

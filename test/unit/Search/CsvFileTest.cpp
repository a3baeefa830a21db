//===- Recordings as comma-separated values -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Encoding.h"

#include "PrintedRecordings.h"
#include "RecordedFiles.h"

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

TEST(CsvFile, HasItsParametersTimesAndCosts) {
  Recording recording = accepted("BM,order,flag,time_ms,status,cost_ms\r\n"
                                 "128,\"b,\"\"c\"\"\",true,0.25,ok,100\r\n"
                                 "\r\n"
                                 "64,a,False,,compile_error,20.5\r\n"
                                 "64,a,true,,runtime_error,\r\n");
  std::vector<Knob> expected = {{"BM", {64, 128}, 1},
                                {"order", {"b,\"c\"", "a"}, 0},
                                {"flag", {false, true}, 1}};
  EXPECT_EQ(recording.space().knobs(), expected);
  std::vector<RecordedTrial> trials = {
      {{{1, 0, 1}}, Status::ok, 0.25e-3, {0, 0.1, 0}},
      {{{0, 1, 0}}, Status::compile_error, 0, {0, 0.0205, 0}},
      {{{0, 1, 1}}, Status::fault, 0, {}}};
  EXPECT_EQ(recording.trials(), trials);
  EXPECT_EQ(recording.find({{0, 1, 1}}), 2u);
  EXPECT_EQ(recording.find({{1, 1, 1}}), std::nullopt);
  EXPECT_EQ(recording.space().defaultConfiguration(),
            recording.trials().front().configuration);
}

TEST(CsvFile, UnitsFollowFromTheNames) {
  for (auto [name, seconds] : {std::pair("time_s", 3.0),
                               {"time_ms", 3e-3},
                               {"time_us", 3e-6},
                               {"time_ns", 3e-9}})
    EXPECT_DOUBLE_EQ(
        accepted("a," + std::string(name) + "\n1,3\n").bestSeconds(), seconds);
  RecordedCost cost = {1, 0.5, 2e-6};
  EXPECT_EQ(accepted("compile_s,a,run_ms,time_s,other_us\n1,1,500,3,2\n")
                .trials()[0]
                .cost,
            cost);
}

TEST(CsvFile, WithoutAStatusWhatHasNoTimeFailed) {
  Recording recording = accepted("a,time_ms\n1,3\n2,\n");
  EXPECT_EQ(recording.trials()[1].status, Status::fault);
  EXPECT_EQ(recording.okCount(), 1u);
}

TEST(CsvFile, SecondEntriesOfAPointAreRefused) {
  std::string text = "a,time_ms,status\n1,3,ok\n2,1,ok\n";
  EXPECT_THAT(refusal(text + "1,3,ok\n"),
              AllOf(HasSubstr("line 4"), HasSubstr("line 2"),
                    HasSubstr("the same outcome")));
  EXPECT_THAT(refusal(text + "2,1.5,ok\n"),
              AllOf(HasSubstr("line 4"), HasSubstr("line 3"),
                    HasSubstr("another time")));
  EXPECT_THAT(refusal(text + "2,,wrong\n"), HasSubstr("another outcome"));
}

TEST(CsvFile, LinesThatAreNoneAreRefused) {
  std::string head = "a,b,time_ms,status,cost_ms\n1,2,3,ok,4\n";
  EXPECT_THAT(refusal(head + "1,3,3"),
              AllOf(HasSubstr("line 3"), HasSubstr("3 fields"),
                    HasSubstr("truncated")));
  EXPECT_THAT(refusal(head + "1,3,3,ok,4,5\n"), HasSubstr("6 fields"));
  EXPECT_THAT(refusal(head + "1,3,-3,ok,4\n"), HasSubstr("positive"));
  EXPECT_THAT(refusal(head + "1,3,inf,ok,4\n"), HasSubstr("positive"));
  EXPECT_THAT(refusal(head + "1,3,nan,ok,4\n"), HasSubstr("positive"));
  EXPECT_THAT(refusal(head + "1,3,,ok,4\n"), HasSubstr("its time is ''"));
  EXPECT_THAT(refusal(head + "1,3,x,ok,4\n"), HasSubstr("its time is 'x'"));
  EXPECT_THAT(refusal(head + "1,3,3,fine,4\n"),
              AllOf(HasSubstr("'fine'"), HasSubstr("compile_timeout"),
                    HasSubstr("hang"), HasSubstr("lost")));
  EXPECT_THAT(refusal(head + "1,3,3,ok,-4\n"), HasSubstr("not a time"));
  EXPECT_THAT(refusal(head + "1,3,3,ok,x\n"), HasSubstr("not a number"));
  EXPECT_THAT(refusal(head + "1,\"3,3,ok,x\n"), HasSubstr("no end"));
  EXPECT_THAT(refusal(head + "1,\"3\"3,3,ok,x\n"), HasSubstr("a quote ends"));
}

TEST(CsvFile, StatusesAreOursAndThoseOfOthers) {
  Recording recording = accepted("a,time_ms,status\n1,2,ok\n2,,timeout\n"
                                 "3,,runtime_error\n4,3,pruned\n"
                                 "5,,contended\n6,,lost\n");
  std::vector<Status> statuses;
  for (const RecordedTrial &trial : recording.trials())
    statuses.push_back(trial.status);
  EXPECT_THAT(statuses, testing::ElementsAre(Status::ok, Status::hang,
                                             Status::fault, Status::ok));
  EXPECT_EQ(recording.disturbed(), 2u);
  EXPECT_EQ(recording.space().knobs()[0].options.size(), 4u);
}

TEST(CsvFile, ALastLineWithoutAnEndIsNoted) {
  EXPECT_THAT(accepted("a,time_ms\n1,4\n2,1").notes(),
              testing::ElementsAre(AllOf(HasSubstr("line 3 has no end"),
                                         HasSubstr("truncated"))));
  EXPECT_THAT(accepted("a,time_ms\n1,4\n2,18\n").notes(), testing::IsEmpty());
  EXPECT_THAT(accepted("a,time_ms\r\n1,4\r\n\r\n").notes(), testing::IsEmpty());
}

TEST(CsvFile, DecimalsAreOrderedNumbers) {
  Recording recording =
      accepted("x,y,time_ms\n0.5,1e3,1\n.25,1,2\n1.0,2,3\n0.1,3,4\n0.75,4,5\n");
  std::vector<Option> x = {0.1, 0.25, 0.5, 0.75, 1}, y = {1, 2, 3, 4, 1000};
  EXPECT_EQ(recording.space().knobs()[0].options, x);
  EXPECT_EQ(recording.space().knobs()[1].options, y);
  EXPECT_TRUE(recording.space().knobs()[0].options[4].is_number_integer());
  EXPECT_EQ(trialOf(recording, {{"x", 0.25}, {"y", 1}}).seconds, 2e-3);
  Encoding encoding(recording.space());
  EXPECT_TRUE(encoding.isOrdered(0));
}

TEST(CsvFile, HeadersThatAreNoneAreRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(refusal("\n\n"), HasSubstr("empty"));
  EXPECT_THAT(refusal("a,b\n1,2\n"), HasSubstr("'time_ms'"));
  EXPECT_THAT(refusal("a,time_s,time_ms\n1,2,3\n"), HasSubstr("one time"));
  EXPECT_THAT(refusal("a,status,status,time_ms\n"),
              HasSubstr("at most one 'status'"));
  EXPECT_THAT(refusal("a,a,time_ms\n1,2,3\n"), HasSubstr("two parameters"));
  EXPECT_THAT(refusal("a,,time_ms\n1,2,3\n"), HasSubstr("no name"));
  EXPECT_THAT(refusal("a\xff,time_ms\n1,3\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal("a,time_ms\nx\xff,3\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(refusal("time_ms\n3\n"), HasSubstr("no parameters"));
  EXPECT_THAT(refusal("a,time_ms\n"), HasSubstr("no entries"));
  EXPECT_THAT(refusal("a,time_ms,status\n1,,wrong\n"),
              HasSubstr("no configuration is valid: each of the 1"));
}

TEST(CsvFile, OfOursIsReadAgain) {
  Recording recording =
      accepted("a,b,time_ms,status,compile_ms,run_ms,other_ms\n"
               "2,\"x,\"\"y\",0.3,ok,100.25,30,1\n"
               "1.5,z,,hang,90,20,0\n");
  Recording again = accepted(printCsvFile(recording));
  EXPECT_EQ(again.space(), recording.space());
  EXPECT_EQ(again.trials(), recording.trials());
}

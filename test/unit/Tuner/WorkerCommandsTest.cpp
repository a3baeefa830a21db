//===- Commands that are no workers ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "WorkerProcess.h"

#include "tonno/Process/Protocol.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

static CompilerSession answeringSession() {
  std::string text = "func.func @kernel(%a: f32) -> f32 attributes {way = "
                     "#tonno.knob<\"way\" from [\"well\", \"better\"]>} "
                     "{ return %a : f32 }";
  return {{text.begin(), text.end()}, "kernel", "fake", "native"};
}

static Json valuesFor(const std::string &way) { return {{"way", way}}; }

/// Returns the error of opening a kernel in a worker started by this command.
static std::string complaint(const std::vector<std::string> &command) {
  WorkerProcess worker(command);
  auto opened = worker.open(answeringSession());
  return opened ? "opened" : opened.error().text();
}

TEST(WorkerProcess, MissingCommandIsAnError) {
  EXPECT_THAT(complaint({"/nowhere/tonno-worker"}),
              HasSubstr("cannot start '/nowhere/tonno-worker'"));
}

TEST(WorkerProcess, CommandThatEndsIsAnError) {
  EXPECT_THAT(complaint({"sh", "-c", "exit 3"}), HasSubstr("exit status 3"));
}

TEST(WorkerProcess, SilentCommandEndsByTheLimitOfItsStart) {
  WorkerProcess worker({"sleep", "1000"}, {.startSeconds = 0.1});
  auto opened = worker.open(answeringSession());
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text(),
              AllOf(HasSubstr("gave no answer within 0.1 s of its start"),
                    HasSubstr("check that 'sleep 1000' starts"),
                    HasSubstr("--start-seconds")));
}

TEST(WorkerProcess, OtherProtocolsAreErrors) {
  EXPECT_THAT(complaint({"sh", "-c", "echo Welcome; cat"}),
              HasSubstr("does not send tonno's frames"));
  EXPECT_NE(complaint({"cat"}), "opened");
  EXPECT_NE(complaint({PEER}), "opened");
  EXPECT_NE(complaint({PEER, R"({"error": "not a worker"})"}), "opened");
}

TEST(WorkerProcess, OtherVersionsOfTheProtocolAreErrors) {
  EXPECT_THAT(
      complaint({PEER, R"({"hello": {"protocol": 2}})"}),
      HasSubstr("speaks version 2 of tonno's protocol, and this program "
                "version 1; use programs of one version"));
  EXPECT_THAT(complaint({PEER, R"({"hello": {}})"}),
              HasSubstr("speaks no stated version"));
}

TEST(WorkerProcess, OtherAnswersToACompilationAreLost) {
  WorkerProcess worker({PEER, "[1]"});
  EXPECT_FALSE(worker.open(answeringSession()).ok());
  worker.submit(valuesFor("well"));
  EXPECT_EQ(worker.next().status, Status::lost);
}

TEST(WorkerProcess, AnswerForOtherValuesIsLost) {
  Compilation well{Status::compile_error, "as asked", std::nullopt, 0};
  Json answer = {{"hello", makeGreeting()},
                 {"opened", CompilerDescription()},
                 {"compiled", well},
                 {"values", valuesFor("well")}};
  WorkerProcess worker({PEER, answer.dump()});
  ASSERT_TRUE(worker.open(answeringSession()).ok());
  worker.submit(valuesFor("better"));
  worker.submit(valuesFor("well"));
  Compilation compilation = worker.next();
  EXPECT_EQ(compilation.status, Status::lost);
  EXPECT_THAT(compilation.message, HasSubstr("out of step"));
  // A fresh worker answers the remaining requests.
  EXPECT_EQ(worker.next().message, "as asked");
}

TEST(WorkerProcess, AnswersThatNoCompilationHasAreLost) {
  auto answer = [](const Json &compiled) {
    Json whole = {{"hello", makeGreeting()},
                  {"opened", CompilerDescription()},
                  {"compiled", compiled},
                  {"values", valuesFor("well")}};
    WorkerProcess worker({PEER, whole.dump()});
    EXPECT_TRUE(worker.open(answeringSession()).ok());
    worker.submit(valuesFor("well"));
    return worker.next();
  };
  Json compiled = {{"status", "ok"}, {"message", ""}, {"seconds", 1}};
  Compilation found = answer(compiled);
  EXPECT_EQ(found.status, Status::lost);
  EXPECT_THAT(found.message, HasSubstr("answered with no artifact"));
  compiled["status"] = "pruned";
  EXPECT_THAT(answer(compiled).message, HasSubstr("the status 'pruned'"));
  compiled["status"] = "compile_error";
  EXPECT_EQ(answer(compiled).status, Status::compile_error);
  compiled["seconds"] = -1;
  EXPECT_THAT(answer(compiled).message,
              HasSubstr("negative or infinite seconds"));
}

TEST(WorkerProcess, ErrorsNeedNoPlace) {
  EXPECT_THAT(complaint({PEER, R"({"error": {"message": "no licence"}})"}),
              HasSubstr("no licence"));
}

TEST(WorkerProcess, SignsOfLifeAloneAreNoAnswer) {
  Json greeting = {{"hello", makeGreeting()}};
  WorkerProcess worker({PEER, greeting.dump(), "alive"}, {5, 0.2});
  CompilerSession session = answeringSession();
  session.compileSeconds = 0.02;
  auto opened = worker.open(session);
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().text(), HasSubstr("gave no answer within 0.6 s"));
}

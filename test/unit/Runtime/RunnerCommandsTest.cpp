//===- Commands that start no runner --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "TestKernels.h"

#include <chrono>
#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

/// Returns the error of asking this command for its device.
static std::string complaint(const std::vector<std::string> &command) {
  RunnerProcess runner(command);
  auto device = runner.device();
  return device ? "answered" : device.error().message;
}

TEST(RunnerCommands, MissingCommandIsAnError) {
  EXPECT_THAT(complaint({"/nowhere/tonno-runner"}),
              HasSubstr("cannot start '/nowhere/tonno-runner'"));
}

TEST(RunnerCommands, CommandThatEndsIsAnError) {
  EXPECT_THAT(complaint({"sh", "-c", "exit 3"}), HasSubstr("exit status 3"));
}

TEST(RunnerCommands, SilentCommandEndsByTheLimitOfItsStart) {
  RunnerProcess runner({"sleep", "1000"}, {.startSeconds = 0.1});
  auto expected = AllOf(HasSubstr("gave no answer within 0.1 s of its start"),
                        HasSubstr("check that 'sleep 1000' starts"),
                        HasSubstr("--start-seconds"));
  auto device = runner.device();
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().message, expected);
  // The runner does not wait for a reference.
  auto opened = runner.open(doublingSession());
  ASSERT_FALSE(opened.ok());
  EXPECT_THAT(opened.error().message, expected);
  RunResult result = runner.run(doublingRequest("ok"));
  EXPECT_EQ(result.status, Status::lost);
  EXPECT_THAT(result.message, expected);
}

TEST(RunnerCommands, OtherProtocolsAreErrors) {
  EXPECT_THAT(complaint({"sh", "-c", "echo Welcome to this machine; cat"}),
              HasSubstr("does not send tonno's frames"));
  // Frames, but the message that was sent; null; an error that is no text.
  EXPECT_NE(complaint({"cat"}), "answered");
  EXPECT_NE(complaint({PEER}), "answered");
  EXPECT_NE(complaint({PEER, R"({"error": {"message": "not a runner"}})"}),
            "answered");
}

TEST(RunnerCommands, OtherProtocolsDoNotOpen) {
  for (const std::vector<std::string> &command :
       {std::vector<std::string>{PEER}, {PEER, "[1]"}, {"cat"}}) {
    RunnerProcess runner(command);
    EXPECT_FALSE(runner.open(doublingSession()).ok())
        << testing::PrintToString(command);
  }
}

TEST(RunnerCommands, OtherAnswersToARunAreLost) {
  Json answer = {{"device", DeviceDescription()}, {"opened", true}};
  for (const Json &result : {Json(), Json(5)}) {
    if (!result.is_null())
      answer["result"] = result;
    RunnerProcess runner({PEER, answer.dump()});
    ASSERT_TRUE(runner.open(doublingSession()).ok());
    EXPECT_EQ(runner.run(RunRequest()).status, Status::lost) << answer;
  }
}

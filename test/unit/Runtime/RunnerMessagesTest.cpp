//===- Tests for messages of the runner -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/RunnerProcess.h"

#include "TestKernels.h"

#include <gtest/gtest.h>

using namespace tonno;

TEST(RunnerMessages, ComeBackFromCbor) {
  auto throughCbor = [](const Json &json) {
    return Json::from_cbor(Json::to_cbor(json));
  };
  RunRequest asked = doublingRequest("ok");
  asked.kind = RunRequest::Kind::compare;
  auto back = decode<RunRequest>(throughCbor(asked));
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->kind, RunRequest::Kind::compare);
  EXPECT_EQ(back->candidate.binary, asked.candidate.binary);
  EXPECT_EQ(back->incumbentHigh, std::numeric_limits<double>::infinity());
  Json unknown = asked;
  unknown["kind"] = "profile";
  EXPECT_FALSE(decode<RunRequest>(unknown).ok());

  RunnerSession sent = doublingSession();
  sent.oracle.allowNan = true;
  auto opened = decode<RunnerSession>(throughCbor(sent));
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_EQ(opened->oracle, sent.oracle);
  EXPECT_EQ(opened->signature, doublingSession().signature);
  EXPECT_EQ(opened->seed, 7u);
  EXPECT_EQ(opened->protocol.firstLook, 24u);

  RunResult result;
  EXPECT_FALSE(decode<RunResult>(throughCbor(result))->condition.has_value());
  EXPECT_FALSE(decode<RunResult>(throughCbor(result))->deviceHeld);
  result.deviceHeld = true;
  EXPECT_TRUE(decode<RunResult>(throughCbor(result))->deviceHeld);
  result.condition = DeviceCondition{1980, {}, 41, {}};
  EXPECT_EQ(decode<RunResult>(throughCbor(result))->condition,
            result.condition);
}

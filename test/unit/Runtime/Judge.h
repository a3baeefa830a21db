//===- Verdicts of the oracle on functions --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_RUNTIME_JUDGE_H
#define TONNO_TEST_UNIT_RUNTIME_JUDGE_H

#include "Oracle/Oracle.h"

#include "FakeDevice.h"

#include <gtest/gtest.h>

namespace tonno {

/// Verdicts of the oracle on C++ functions. The reference has the candidate's
/// buffers, with floats widened.
struct Judge {
  LaunchPlan plan;
  LaunchPlan referencePlan;
  uint64_t reductionLength = 1;
  bool isExact = true;
  bool isSumOfProducts = true;
  bool hasSteps = false;
  bool multipliesResults = false;
  bool mayTruncateSums = false;
  bool isOwnReference = false;
  bool isModel = false; ///< compared with its default
  ElementType accumulator = ElementType::f32;
  uint64_t seed = 1;
  OracleOptions options = {};
  FakeDevice device = {};
  std::string message = {}; ///< of the last verdict

  explicit Judge(const std::vector<BufferSpec> &buffers) {
    plan.buffers = buffers;
    plan.launches = {{"entry", {}, {}}};
    referencePlan = plan;
    for (BufferSpec &buffer : referencePlan.buffers)
      if (buffer.elementType <= ElementType::f4E2M1FN)
        buffer.elementType = ElementType::f64;
  }

  Result<Oracle> open(const FakeKernel &reference) {
    device.kernels["reference"] = reference;
    Problem problem = {FakeDevice::artifactOf("reference", referencePlan),
                       reductionLength,
                       isExact,
                       accumulator,
                       isSumOfProducts,
                       hasSteps};
    problem.multipliesResults = multipliesResults;
    problem.mayTruncateSums = mayTruncateSums;
    problem.isOwnReference = isOwnReference;
    problem.isRounded = isModel;
    problem.isVerifiedInParts = isOwnReference || isModel;
    return Oracle::create(problem, plan.signature(), seed, device, options);
  }

  /// Returns the verdict, the name of a Status.
  std::string judge(const FakeKernel &reference, const FakeKernel &candidate) {
    auto oracle = open(reference);
    EXPECT_TRUE(oracle.ok()) << oracle.error().message;
    if (!oracle)
      return "not opened";
    return judge(*oracle, candidate);
  }

  std::string judge(const Oracle &oracle, const FakeKernel &candidate) {
    device.kernels["candidate"] = candidate;
    auto executable = device.load(FakeDevice::artifactOf("candidate", plan));
    auto right = oracle.verify(device, **executable, plan);
    message = right ? "" : right.error().message;
    return std::string(toString(right ? Status::ok : right.error().status));
  }
};

} // namespace tonno

#endif // TONNO_TEST_UNIT_RUNTIME_JUDGE_H

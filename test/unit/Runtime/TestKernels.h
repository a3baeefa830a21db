//===- Artifacts made of Kernels.c ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_RUNTIME_TESTKERNELS_H
#define TONNO_TEST_UNIT_RUNTIME_TESTKERNELS_H

#include "tonno/Core/File.h"
#include "tonno/Engine/Runner.h"

#include <gtest/gtest.h>

namespace tonno {

inline LaunchPlan doublingPlan(ElementType type) {
  LaunchPlan plan;
  plan.buffers = {{"arg0", type, {1024}, Access::read, 64},
                  {"result0", type, {1024}, Access::write, 64}};
  plan.launches = {{"double_entry", {0, 1}, {}}};
  return plan;
}

/// Returns Kernels.c, compiled to fail in this way; "ok" does not fail.
inline Artifact kernelArtifact(const std::string &way) {
  auto bytes =
      readFile(std::string(KERNEL_DIRECTORY) + "/tonno-kernel-" + way + ".so");
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  Artifact artifact;
  artifact.target = "host";
  artifact.binary.assign(bytes->begin(), bytes->end());
  artifact.plan =
      doublingPlan(way == "reference" ? ElementType::f64 : ElementType::f32);
  return artifact;
}

inline Problem doublingProblem() {
  return {kernelArtifact("reference"), 1, true, ElementType::f32, true};
}

/// Returns a session in which timing is as fast as possible.
inline RunnerSession doublingSession(uint64_t seed = 7) {
  RunnerSession session;
  session.problem = doublingProblem();
  session.signature = doublingPlan(ElementType::f32).signature();
  session.protocol.warmupSeconds = 1e-5;
  session.protocol.firstLook = session.protocol.maxRounds = 24;
  session.protocol.testSeconds = 60; // the rounds end it
  // Limits the memory: sets that leave the cache would need some 300 MB in each
  // process.
  session.protocol.maxRotationSets = 31;
  session.seed = seed;
  return session;
}

/// Returns a request for that candidate, with "ok" as baseline.
inline RunRequest doublingRequest(const std::string &way) {
  RunRequest request;
  request.candidate = kernelArtifact(way);
  request.baseline = kernelArtifact("ok");
  return request;
}

/// Returns a request for a candidate that does not end: a shorter limit is a
/// hang as well, so no machine is too slow for it.
inline RunRequest hangingRequest(const std::string &way) {
  RunRequest request = doublingRequest(way);
  request.launchSeconds = 0.2;
  return request;
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_RUNTIME_TESTKERNELS_H

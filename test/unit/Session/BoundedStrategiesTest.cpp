//===- Every strategy finds the best among candidates with time bounds ----===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Random.h"
#include "tonno/Strategies/Strategies.h"

#include "Engine/TuningFixture.h"

using namespace tonno;
using testing::Contains;
using testing::IsEmpty;

/// Returns the time of a candidate; candidate 3 takes the least, 0.1 ms.
static double secondsOf(int x) { return 1e-4 * (1 + (7 * x + 9) % 10); }

/// Runs a session with bounds that are random shares of the times, and expects
/// it to measure and choose the best.
static void expectToFindBest(std::string_view strategy, uint64_t seed) {
  SearchSpace space = tenPoints();
  Random random(seed);
  std::vector<double> share(10);
  for (double &each : share)
    each = random.uniform();
  FakeCompiler compiler;
  compiler.compile = [&](int x) {
    Compilation compilation = compiled(x);
    compilation.artifact->usage.timeBound = {.seconds =
                                                 share[x] * secondsOf(x)};
    return compilation;
  };
  FakeRunner runner;
  runner.measure = [](int x) { return measuredAs(1e3 * secondsOf(x)); };
  runner.compare = [](int) { return comparedAs(Verdict::faster, 2); };
  NotingLog log;
  auto search = createStrategy(strategy, LegalSpace::create(space), seed);
  ASSERT_TRUE(search.ok());
  TuningSession session(space, compiler, &runner, **search, log,
                        RunnerSession(), Budget(), /*compileAhead=*/4,
                        [] { return false; });
  auto outcome = session.run();
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(chosen(*outcome), 3u) << strategy;
  EXPECT_THAT(runner.measured, Contains(3)) << strategy;
  EXPECT_THAT(log.warnings, IsEmpty());
}

TEST(BoundedStrategies, EachMeasuresTheBest) {
  for (std::string_view name : strategyNames())
    for (uint64_t seed = 0; seed < 5; ++seed)
      expectToFindBest(name, seed);
}

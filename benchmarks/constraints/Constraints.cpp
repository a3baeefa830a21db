//===- Evaluations per second ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times typical constraints, compiled and as the unit tests evaluate them: from
// the parse tree, with knobs by name.

#include "ConstraintProgram.h"
#include "Space/NaiveConstraint.h"

#include <chrono>
#include <cstdio>
#include <random>

using namespace tonno;

static std::vector<Option> powersOfTwo(int64_t first, int64_t last) {
  std::vector<Option> options;
  for (int64_t option = first; option <= last; option *= 2)
    options.emplace_back(option);
  return options;
}

static std::vector<Knob> matmulKnobs() {
  return {{"BM", powersOfTwo(8, 512), 0}, {"BN", powersOfTwo(8, 512), 0},
          {"BK", powersOfTwo(8, 256), 0}, {"WM", powersOfTwo(8, 256), 0},
          {"WN", powersOfTwo(8, 256), 0}, {"ST", {1, 2, 3, 4, 5, 6, 7, 8}, 0},
          {"VA", powersOfTwo(1, 16), 0},  {"TM", powersOfTwo(1, 16), 0},
          {"TN", powersOfTwo(1, 16), 0},  {"R", {64, 96, 128, 168, 255}, 0},
          {"SW", {0, 1, 2, 3}, 0},        {"core", {"fma", "mma", "wgmma"}, 0}};
}

static constexpr const char *constraints[] = {
    "BM * BN * 4 <= 49152",
    "BM mod WM == 0, BN mod WN == 0",
    "(BM*BK + BK*BN) * ST * 2 <= 232448",
    "R * (BM floordiv WM) * (BN floordiv WN) * 32 <= 65536",
    "WM <= BM, WN <= BN, BM*BK mod (BM*BN floordiv (WM*WN) * 32 * VA) == 0",
    "if core == 'fma' then WM*WN == 32*TM*TN and SW == 0 else BK mod 16 == 0",
};

/// Calls per second of `evaluate`, which takes the number of a point: the most
/// of five rounds.
template <typename Evaluate>
static double measure(size_t points, Evaluate evaluate) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  volatile size_t holds = 0; // so that no call is left out
  for (int round = 0; round < 5; ++round) {
    size_t calls = 0;
    auto start = Clock::now();
    std::chrono::duration<double> taken{};
    for (; taken.count() < 0.1; taken = Clock::now() - start, calls += points)
      for (size_t i = 0; i < points; ++i)
        holds = holds + evaluate(i);
    best = std::max(best, static_cast<double>(calls) / taken.count());
  }
  return best;
}

int main(int argc, char **argv) {
  std::vector<Knob> knobs = matmulKnobs();
  std::mt19937_64 random(1);
  std::vector<std::vector<uint32_t>> points(4096);
  std::vector<NaiveConstraint::Point> values(points.size());
  for (size_t i = 0; i < points.size(); ++i)
    for (const Knob &knob : knobs) {
      points[i].push_back(
          static_cast<uint32_t>(random() % knob.options.size()));
      values[i][knob.name] = knob.options[points[i].back()];
    }
  std::printf("  compiled      plain  ratio  constraint\n");
  for (const char *text : constraints) {
    auto parsed = Constraint::parse(text);
    auto program = ConstraintProgram::compile(*parsed, knobs);
    double compiled = measure(points.size(), [&](size_t i) {
      return program->evaluate(points[i]) == Truth::holds;
    });
    NaiveConstraint naive(*parsed);
    double plain = measure(points.size(), [&](size_t i) {
      return naive.evaluate(values[i]) == true;
    });
    std::printf("%6.1f M/s %6.2f M/s %6.0f  %s\n", compiled / 1e6, plain / 1e6,
                compiled / plain, text);
  }
  std::printf("\n4096 random points in turn, best of 5 rounds. Again with:\n"
              "  %s\n",
              argv[0]);
}

//===- Detection rates for mutants in MLIR --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Measures how often the correctness gate finds the mutants in the folder
// `mutants`, and checks that it refuses no legitimate variant.

#include "MutantFile.h"

#include <cstdio>
#include <cstdlib>
#include <map>

using namespace tonno;
using namespace tonno::gate;

namespace {

struct Family {
  size_t mutants = 0, always = 0, never = 0, variants = 0, refused = 0;
};

/// Outcome of one variant over all seeds.
struct Outcome {
  size_t refused = 0;
  std::string message; ///< of the first refusal
};

} // namespace

static void count(const MutantFile::Variant &variant, const Outcome &outcome,
                  size_t seeds, Family &family) {
  if (variant.isRight) {
    ++family.variants;
    family.refused += outcome.refused > 0;
    return;
  }
  ++family.mutants;
  family.always += outcome.refused == seeds;
  family.never += outcome.refused == 0;
}

static void print(const MutantFile &file, const MutantFile::Variant &variant,
                  const Outcome &outcome, size_t seeds) {
  if (variant.isRight && outcome.refused > 0)
    std::printf("refused in %zu of %zu seeds: %s, %s: %s\n", outcome.refused,
                seeds, file.name.c_str(), variant.name.c_str(),
                outcome.message.c_str());
  if (!variant.isRight && outcome.refused < seeds)
    std::printf("caught in %zu of %zu seeds: %s, %s\n", outcome.refused, seeds,
                file.name.c_str(), variant.name.c_str());
}

static Result<void> judgeFile(const std::string &path, size_t seeds,
                              uint64_t first,
                              std::map<std::string, Family> &families) {
  auto file = TONNO_TRY(MutantFile::load(path));
  RunnerProcess runner({RUNNER});
  std::vector<Outcome> outcomes(file.variants.size());
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    auto results = TONNO_TRY(judge(file, runner, seed));
    for (size_t i = 0; i < outcomes.size(); ++i)
      if (results[i].status != Status::ok && outcomes[i].refused++ == 0)
        outcomes[i].message = results[i].message;
  }
  for (size_t i = 0; i < outcomes.size(); ++i) {
    count(file.variants[i], outcomes[i], seeds, families[file.family()]);
    print(file, file.variants[i], outcomes[i], seeds);
  }
  return {};
}

int main(int argc, char **argv) {
  size_t seeds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100;
  uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (seeds == 0 || argc > 4) {
    std::fprintf(stderr, "usage: %s [seeds [seed [part of a name]]]\n",
                 argv[0]);
    return 1;
  }
  std::map<std::string, Family> families;
  bool isWhole = true;
  for (const std::string &path : mutantFiles()) {
    if (argc == 4 && path.find(argv[3]) == std::string::npos)
      continue;
    if (auto judged = judgeFile(path, seeds, first, families); !judged) {
      std::fprintf(stderr, "error: %s\n", judged.error().message.c_str());
      isWhole = false;
    }
  }
  std::printf("\n| family | mutants | always caught | never | variants | "
              "refused |\n| --- | --- | --- | --- | --- | --- |\n");
  for (const auto &[name, family] : families)
    std::printf("| %s | %zu | %zu | %zu | %zu | %zu |\n", name.c_str(),
                family.mutants, family.always, family.never, family.variants,
                family.refused);
  return isWhole ? 0 : 1;
}

//===- A genetic algorithm ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_STRATEGIES_GENETICSEARCH_H
#define TONNO_LIB_STRATEGIES_GENETICSEARCH_H

#include "GenerationalSearch.h"

namespace tonno {

/// A genetic algorithm like Kernel Tuner's
/// (github.com/KernelTuner/kernel_tuner, strategies/genetic_algorithm.py), with
/// constants that were best on recorded spaces. Each generation consists of
/// children of the previous one, whose better half has more of them. Two
/// parents exchange their knobs from a random one on (single-point crossover);
/// illegal children are repaired to a legal point nearby; a few then mutate in
/// one knob.
class GeneticSearch : public GenerationalSearch {
public:
  struct Options {
    size_t population = 26;
    size_t generations = 400; ///< at most
    size_t mutation = 55;     ///< one child in this many
    double twins = 0.02;      ///< chance that an equal child is kept
    double strangers = 0.01;  ///< chance of a random point, with each pair
    bool restarts = false;    ///< not published
  };

  GeneticSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed,
                Options options)
      : GenerationalSearch(std::move(space), seed), options(options) {}
  GeneticSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : GeneticSearch(std::move(space), seed, Options()) {}

private:
  std::optional<std::vector<Configuration>>
  nextGeneration(bool isComplete) final;
  std::vector<Configuration> start();
  std::vector<const Observation *> parents();
  std::vector<Configuration>
  children(std::span<const Observation *const> parents);
  Configuration repair(const Configuration &point);
  Configuration mutate(Configuration point);
  size_t drawParent(size_t count);

  Options options;
  std::vector<Configuration> population;
  std::vector<Configuration> late; ///< of generations before, still pending
  size_t generation = 0;
};

} // namespace tonno

#endif // TONNO_LIB_STRATEGIES_GENETICSEARCH_H

//===- Neighbours of the best few -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_PATTERNSEARCH_H
#define TONNO_SEARCH_PATTERNSEARCH_H

#include "tonno/Search/GenerationalSearch.h"

namespace tonno {

/// Helion's PatternSearch (github.com/pytorch/helion, ef091f4), as published:
/// draws an initial population, and moves from the best few of it, the copies,
/// to their best neighbours, until none is better. Neighbours differ in one
/// knob by one step, or in two block sizes. As published it ends early.
///
/// Block sizes are here the ordered knobs with more than two options, but for
/// the number of warps, which is a knob called `warps` or `num_warps`. Not
/// here: that the best are timed again, which is the session's to decide, and
/// the final attempt to return to defaults.
class PatternSearch : public GenerationalSearch {
public:
  struct Options {
    size_t initial = 100; ///< points in the population
    size_t copies = 5;
    size_t generations = 20;         ///< at most
    double leastImprovement = 0.001; ///< a smaller relative change is none
    size_t patience = 0; ///< generations without improvement, that don't end it
    /// Begins again when it ends, knowing what was tried: not published.
    bool restarts = false;

    /// Helion's effort "quick", and restarts.
    static Options quick() {
      return {.initial = 30, .copies = 2, .generations = 5, .restarts = true};
    }
  };

  PatternSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed,
                Options options);
  PatternSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : PatternSearch(std::move(space), seed, Options()) {}

protected:
  using PointSet = std::unordered_set<Configuration, ConfigurationHash>;

  /// Called before the points of each generation are chosen.
  virtual void learn() {}
  /// What a copy compares next; it ends unless these are two at least. May
  /// contain `current`.
  virtual std::vector<Configuration> candidates(const Configuration &current);

  /// Whether a restart may pass through points that were tried before.
  virtual bool revisits() const { return true; }

  /// From 1 on; 0 before there are copies.
  size_t generation() const { return generationCount; }

  std::vector<size_t> blocks; ///< the knobs that are block sizes
  std::optional<size_t> warps;
  /// Since the start or restart: not to be compared again.
  PointSet visited;

private:
  /// One path through the space.
  struct Copy {
    Configuration current;
    std::vector<Configuration> candidates;
    size_t patience;
  };

  std::optional<std::vector<Configuration>>
  nextGeneration(bool isComplete) final;
  std::vector<Configuration> start();
  void chooseCopies();
  bool settle(Copy &copy);
  std::vector<Configuration> moveCopies();
  std::vector<Configuration> neighbours(const Configuration &point) const;

  Options options;
  std::vector<Configuration> population; ///< drawn, the copies not chosen yet
  bool isFirst = true;                   ///< start
  std::vector<Copy> copies;
  size_t generationCount = 0;
};

} // namespace tonno

#endif // TONNO_SEARCH_PATTERNSEARCH_H

//===- Helion's pattern searches ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_STRATEGIES_PATTERNSEARCH_H
#define TONNO_LIB_STRATEGIES_PATTERNSEARCH_H

#include "tonno/Search/Forest.h"
#include "GenerationalSearch.h"

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
    /// Restarts the search when it ends, skipping tried points: not published.
    bool restarts = false;
  };

  PatternSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed,
                Options options);
  PatternSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : PatternSearch(std::move(space), seed, Options()) {}

protected:
  using PointSet = std::unordered_set<Configuration, ConfigurationHash>;

  /// Called before the points of each generation are chosen.
  virtual void learn() {}
  /// Returns the points that a copy compares next; the copy ends if there are
  /// fewer than two. May contain `current`.
  virtual std::vector<Configuration> candidates(const Configuration &current);

  /// Returns true if a restart may pass through points that were tried before.
  virtual bool revisits() const { return true; }

  /// Returns the generation, from 1 on; 0 before there are copies.
  size_t generation() const { return generationCount; }

  std::vector<size_t> blocks; ///< the knobs that are block sizes
  std::optional<size_t> warps;
  /// Points compared since the start or restart, which are not compared again.
  PointSet visited;

private:
  /// A path through the space.
  struct Copy {
    Configuration current;
    std::vector<Configuration> candidates;
    size_t patience;
  };

  std::optional<std::vector<Configuration>>
  nextGeneration(bool isComplete) final;
  std::vector<Configuration> start();
  void chooseCopies();
  bool moveToBestCandidate(Copy &copy);
  std::vector<Configuration> moveCopies();
  std::vector<Configuration> neighbours(const Configuration &point) const;

  Options options;
  std::vector<Configuration> population; ///< drawn, the copies not chosen yet
  bool isFirst = true;                   ///< start
  std::vector<Copy> copies;
  size_t generationCount = 0;
};

/// Helion's LFBOPatternSearch (github.com/pytorch/helion, ef091f4), as
/// published, with two flaws: neighbours that were generated and not selected
/// are never looked at again, and the best of those selected replaces the
/// current point even if it is worse.
///
/// Neighbours of a copy are drawn: a block size moved by up to `radius` steps,
/// warps likewise, and up to `radius` other knobs by one. A classifier selects
/// a tenth of them, one by one: by probability less their mean similarity to
/// those selected, which is the share of trees that have them in one leaf.
class LfboPatternSearch : public PatternSearch {
public:
  struct Options {
    PatternSearch::Options pattern = {.patience = 1};
    size_t neighbours = 300; ///< drawn for each copy and generation
    double selected = 0.1;   ///< share of these that are tried
    uint32_t radius = 2;
    double similarityPenalty = 1;
    LfboClassifier classifier;
    /// Allows points that were not selected to be drawn again: without the
    /// first flaw.
    bool forgetsUnselected = false;
  };

  LfboPatternSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed,
                    Options options);
  LfboPatternSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : LfboPatternSearch(std::move(space), seed, Options()) {}

protected:
  /// Draws neighbours; may repeat points, or return illegal points or the point
  /// itself.
  virtual std::vector<Configuration> draw(const Configuration &point);

  /// Returns the classifier; none as long as all points are of one class.
  const std::optional<Forest> &classifier() const { return model; }

  /// Draws another option of a knob within the radius; returns `option` if
  /// there is none.
  uint32_t drawNear(size_t knob, uint32_t option);

  Options options;

private:
  void learn() final;
  bool revisits() const final { return false; }
  std::vector<Configuration> candidates(const Configuration &current) final;
  std::vector<Configuration> select(std::vector<Configuration> points);
  void changeOthers(Configuration &point, std::span<const size_t> changed);

  std::optional<Forest> model;
};

/// Helion's LFBOTreeSearch (github.com/pytorch/helion, ef091f4), as published:
/// LfboPatternSearch with neighbours that, from the second generation on,
/// follow a random tree of the classifier. One after another of the knobs on
/// the current point's path, a random block size, and warps gets the option
/// within the radius that the tree scores best.
class LfboTreeSearch : public LfboPatternSearch {
public:
  /// Returns LfboPatternSearch's options, with 200 neighbours.
  static Options published() {
    Options options;
    options.neighbours = 200;
    return options;
  }

  using LfboPatternSearch::LfboPatternSearch;
  LfboTreeSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : LfboPatternSearch(std::move(space), seed, published()) {}

private:
  std::vector<Configuration> draw(const Configuration &point) final;
  void climb(const DecisionTree &tree, Configuration &point);
};

} // namespace tonno

#endif // TONNO_LIB_STRATEGIES_PATTERNSEARCH_H

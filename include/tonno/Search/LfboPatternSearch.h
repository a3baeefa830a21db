//===- Pattern search, filtered by a classifier ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_LFBOPATTERNSEARCH_H
#define TONNO_SEARCH_LFBOPATTERNSEARCH_H

#include "tonno/Search/LfboClassifier.h"
#include "tonno/Search/PatternSearch.h"

namespace tonno {

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
    /// What was not selected may be drawn again: without the first flaw.
    bool forgetsUnselected = false;

    /// Helion's effort "quick", and restarts.
    static Options quick() {
      Options options;
      options.pattern = PatternSearch::Options::quick();
      options.pattern.patience = 1;
      return options;
    }
  };

  LfboPatternSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed,
                    Options options);
  LfboPatternSearch(std::shared_ptr<const LegalSpace> space, uint64_t seed)
      : LfboPatternSearch(std::move(space), seed, Options()) {}

protected:
  /// May repeat points, be illegal, or the point itself.
  virtual std::vector<Configuration> draw(const Configuration &point);

  /// None: there is nothing to tell apart yet.
  const std::optional<Forest> &classifier() const { return model; }

  /// Of a knob's options one within the radius and not the same, if any.
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

} // namespace tonno

#endif // TONNO_SEARCH_LFBOPATTERNSEARCH_H

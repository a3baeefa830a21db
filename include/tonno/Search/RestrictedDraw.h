//===- Points of a diagram within ranges ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_RESTRICTEDDRAW_H
#define TONNO_SEARCH_RESTRICTEDDRAW_H

#include "tonno/Search/Diagram.h"

#include <functional>

namespace tonno {

/// Which options a knob may have: one, either of two, or any.
struct KnobRange {
  uint32_t one = 0, other = 0;
  bool isFree = false;

  bool has(uint32_t option) const {
    return isFree || option == one || option == other;
  }
};

/// Draws points of a diagram within ranges. Holds what it writes meanwhile.
class RestrictedDraw {
public:
  explicit RestrictedDraw(const Diagram &diagram)
      : diagram(diagram), points(diagram.nodeList.size()),
        stamps(diagram.nodeList.size()), upTo(diagram.edgeList.size()) {}

  /// Only points with options in these ranges, one for each knob, from now on.
  /// Returns how many there are; takes time linear in the diagram's edges that
  /// are within, while each draw takes but a path.
  double restrict(std::span<const KnobRange> ranges);

  /// How many edges `restrict` has counted the points of so far.
  uint64_t edgesCounted() const { return counted; }

  /// Uniform among the points that `restrict` left. Precondition: there are.
  void draw(Random &random, Configuration &point) const;

  /// All points that `restrict` left.
  void forEach(const std::function<void(const Configuration &)> &visit) const;

  bool draw(std::span<const KnobRange> ranges, Random &random,
            Configuration &point) {
    if (restrict(ranges) <= 0)
      return false;
    draw(random, point);
    return true;
  }

private:
  double pointsBelow(uint32_t node);
  double pointsOf(const Diagram::Edge &edge, uint32_t knob);
  double countedBelow(const Diagram::Edge &edge, uint32_t knob) const;
  const Diagram::Edge &chosen(const Diagram::Node &node, double drawn) const;
  void visitAll(std::vector<uint32_t> &open, Configuration &point,
                const std::function<void(const Configuration &)> &visit) const;

  const Diagram &diagram;
  std::vector<KnobRange> ranges;
  std::vector<double> points; ///< of each node within the ranges
  std::vector<uint32_t> stamps;
  std::vector<double> upTo; ///< of the edges of a node whose knob is free: the
                            ///< points of those up to it
  uint64_t counted = 0;
  uint32_t stamp = 0; ///< that marks what was counted for these ranges
};

} // namespace tonno

#endif // TONNO_SEARCH_RESTRICTEDDRAW_H

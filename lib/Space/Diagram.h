//===- Sets of points as decision diagrams --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SPACE_DIAGRAM_H
#define TONNO_LIB_SPACE_DIAGRAM_H

#include "tonno/Space/Random.h"
#include "tonno/Space/SearchSpace.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace tonno {

/// A number from 0 up, with the precision of a double and no bound: a space of
/// a thousand knobs has more points than a double counts. Rounds as doubles do.
class ScaledNumber {
public:
  ScaledNumber(double number = 0) { set(number, 0); }

  ScaledNumber operator*(const ScaledNumber &other) const {
    return ScaledNumber(mantissa * other.mantissa, exponent + other.exponent);
  }
  ScaledNumber operator+(const ScaledNumber &other) const {
    if (mantissa == 0 || other.mantissa == 0)
      return mantissa == 0 ? other : *this;
    int64_t common = std::max(exponent, other.exponent);
    return ScaledNumber(scaled(common) + other.scaled(common), common);
  }
  /// Returns the quotient, which must fit a double.
  double operator/(const ScaledNumber &other) const {
    return times2To(mantissa / other.mantissa, exponent - other.exponent);
  }
  /// Returns the double, which may be infinite.
  explicit operator double() const { return times2To(mantissa, exponent); }

private:
  ScaledNumber(double number, int64_t exponent) { set(number, exponent); }

  void set(double number, int64_t scale) {
    int shift = 0;
    mantissa = std::frexp(number, &shift);
    exponent = mantissa == 0 ? 0 : scale + shift;
  }
  double scaled(int64_t common) const {
    return times2To(mantissa, exponent - common);
  }
  static double times2To(double number, int64_t power) {
    return std::ldexp(
        number, static_cast<int>(std::clamp<int64_t>(power, -5000, 5000)));
  }

  double mantissa = 0; ///< 0, or from 1/2 to 1
  int64_t exponent = 0;
};

/// A set of points as an AND/OR decision diagram (R. Mateescu, R. Dechter,
/// R. Marinescu, "AND/OR Multi-Valued Decision Diagrams (AOMDDs) for Graphical
/// Models", 2008): the knobs stand in a forest; a node holds options of one
/// knob, and below each option one node for each child of that knob. Below
/// different options of a knob its children are independent of each other, so
/// that counts multiply. Each knob of the forest is in each point once.
class Diagram {
public:
  /// The knobs below each knob; `roots` are those below none.
  struct Forest {
    std::vector<std::vector<uint32_t>> children;
    std::vector<uint32_t> roots;
  };

  /// Options of one knob, each with the nodes of the knob's children in order.
  struct Branch {
    uint32_t option;
    std::vector<uint32_t> nodes;
  };

  class Builder;

  /// Creates the diagram of these points, sorted; duplicates count once.
  static Diagram of(std::vector<Configuration> points, size_t knobs);

  bool isEmpty() const { return total == 0; }
  PointCount count() const { return total; }
  /// Returns the count, rounded, without saturation.
  const ScaledNumber &points() const { return totalPoints; }
  size_t nodes() const { return nodeList.size(); }
  size_t edges() const { return edgeList.size(); }
  size_t bytes() const;

  bool contains(const Configuration &point) const;

  /// Returns all points, sorted.
  std::vector<Configuration> list() const;

  /// Draws a point uniformly. Precondition: not empty.
  void draw(Random &random, Configuration &point) const;

  /// Returns the point with the least sum of costs[knob][option]. Precondition:
  /// not empty.
  Configuration cheapest(const std::vector<std::vector<double>> &costs) const;

private:
  friend class RestrictedDraw;

  struct Node {
    uint32_t knob;
    uint32_t firstEdge;
    uint32_t endEdge;
  };
  struct Edge {
    uint32_t option;
    uint32_t firstChild; ///< of `childNodes`; as many as the knob has children
    double share;        ///< of the node's points, with those of edges before
  };

  size_t getNumChildren(uint32_t knob) const {
    return forest.children[knob].size();
  }
  void list(std::vector<uint32_t> &open, Configuration &point,
            std::vector<Configuration> &all) const;
  const Edge *edgeTo(const Node &node, uint32_t option) const;

  Forest forest;
  std::vector<Node> nodeList; ///< those below a node come before it
  std::vector<Edge> edgeList; ///< of a node: ascending options
  std::vector<uint32_t> childNodes;
  std::vector<uint32_t> rootNodes;
  PointCount total = 0;
  ScaledNumber totalPoints;
};

/// Makes a diagram from its leaves up. Nodes that would be equal are one.
class Diagram::Builder {
public:
  /// A node without points.
  static constexpr uint32_t none = ~uint32_t(0);

  explicit Builder(Forest forest);

  /// Returns the node of the knob with these branches, in ascending order of
  /// options; `none` if there are none. No branch leads to `none`.
  uint32_t node(uint32_t knob, std::span<const Branch> branches);

  /// Takes the nodes of the roots, in their order; with a `none` among them the
  /// set is empty.
  Diagram finish(std::vector<uint32_t> roots);

private:
  Diagram diagram;
  std::vector<PointCount> counts; ///< of each node
  std::vector<ScaledNumber> points;
  std::map<std::vector<uint32_t>, uint32_t> known;
};

/// The options that a knob may have: one, either of two, or any.
struct KnobRange {
  uint32_t one = 0, other = 0;
  bool isFree = false;

  bool has(uint32_t option) const {
    return isFree || option == one || option == other;
  }
};

/// Draws points of a diagram within ranges. Owns the buffers of draws.
class RestrictedDraw {
public:
  explicit RestrictedDraw(const Diagram &diagram)
      : diagram(diagram), points(diagram.nodeList.size()),
        stamps(diagram.nodeList.size()), upTo(diagram.edgeList.size()) {}

  /// Restricts draws to points with options in these ranges, one for each knob.
  /// Returns the number of such points. Takes time linear in the diagram's
  /// edges within the ranges; a draw takes time linear in the length of a path.
  double restrict(std::span<const KnobRange> ranges);

  /// Returns the number of edges whose points `restrict` has counted so far.
  uint64_t edgesCounted() const { return counted; }

  /// Draws uniformly among the points within the ranges. Precondition: there
  /// are some.
  void draw(Random &random, Configuration &point) const;

  /// Calls `visit` for each point within the ranges.
  void forEach(const std::function<void(const Configuration &)> &visit) const;

private:
  double pointsBelow(uint32_t node);
  double countEdgePoints(const Diagram::Edge &edge, uint32_t knob);
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

#endif // TONNO_LIB_SPACE_DIAGRAM_H

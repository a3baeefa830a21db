//===- A set of points as a decision diagram ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_DIAGRAM_H
#define TONNO_SEARCH_DIAGRAM_H

#include "tonno/Core/Configuration.h"
#include "tonno/Core/PointCount.h"
#include "tonno/Search/Random.h"
#include "tonno/Search/ScaledNumber.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tonno {

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

  /// These points, sorted; equal ones count once.
  static Diagram of(std::vector<Configuration> points, size_t knobs);

  bool isEmpty() const { return total == 0; }
  PointCount count() const { return total; }
  /// The count, rounded, which does not saturate.
  const ScaledNumber &points() const { return totalPoints; }
  size_t nodes() const { return nodeList.size(); }
  size_t edges() const { return edgeList.size(); }
  size_t bytes() const;

  bool contains(const Configuration &point) const;

  /// All points, sorted.
  std::vector<Configuration> list() const;

  /// Uniform. Precondition: not empty.
  void draw(Random &random, Configuration &point) const;

  /// The point with the least sum of costs[knob][option]. Precondition: not
  /// empty.
  Configuration cheapest(const std::vector<std::vector<double>> &costs) const;

private:
  friend class ImportanceSampler;
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

  size_t childrenOf(uint32_t knob) const {
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

  /// The node of the knob with these branches, whose options ascend; `none` if
  /// there are none. No branch leads to `none`.
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

} // namespace tonno

#endif // TONNO_SEARCH_DIAGRAM_H

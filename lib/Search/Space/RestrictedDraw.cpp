//===- Points of a diagram within ranges ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/RestrictedDraw.h"

#include <algorithm>

using namespace tonno;

double RestrictedDraw::pointsOf(const Diagram::Edge &edge, uint32_t knob) {
  ++counted;
  double product = 1;
  for (size_t i = 0; i < diagram.childrenOf(knob) && product > 0; ++i)
    product *= pointsBelow(diagram.childNodes[edge.firstChild + i]);
  return product;
}

/// The same where `restrict` has counted.
double RestrictedDraw::countedBelow(const Diagram::Edge &edge,
                                    uint32_t knob) const {
  double product = 1;
  for (size_t i = 0; i < diagram.childrenOf(knob) && product > 0; ++i)
    product *= points[diagram.childNodes[edge.firstChild + i]];
  return product;
}

double RestrictedDraw::pointsBelow(uint32_t id) {
  if (stamps[id] == stamp)
    return points[id];
  const Diagram::Node &node = diagram.nodeList[id];
  const KnobRange &range = ranges[node.knob];
  double sum = 0;
  if (range.isFree) {
    for (uint32_t edge = node.firstEdge; edge < node.endEdge; ++edge) {
      sum += pointsOf(diagram.edgeList[edge], node.knob);
      upTo[edge] = sum;
    }
  } else {
    if (const Diagram::Edge *edge = diagram.edgeTo(node, range.one))
      sum += pointsOf(*edge, node.knob);
    if (range.other != range.one)
      if (const Diagram::Edge *edge = diagram.edgeTo(node, range.other))
        sum += pointsOf(*edge, node.knob);
  }
  stamps[id] = stamp;
  points[id] = sum;
  return sum;
}

double RestrictedDraw::restrict(std::span<const KnobRange> wanted) {
  ranges.assign(wanted.begin(), wanted.end());
  if (diagram.isEmpty())
    return 0;
  if (++stamp == 0) { // wrapped: no old mark may look new
    std::fill(stamps.begin(), stamps.end(), 0);
    stamp = 1;
  }
  double product = 1;
  for (size_t i = 0; i < diagram.rootNodes.size() && product > 0; ++i)
    product *= pointsBelow(diagram.rootNodes[i]);
  return product;
}

/// The edge to the point with this number, from 0, of those below the node.
const Diagram::Edge &RestrictedDraw::chosen(const Diagram::Node &node,
                                            double drawn) const {
  const KnobRange &range = ranges[node.knob];
  if (range.isFree) {
    auto first = upTo.begin() + node.firstEdge;
    auto end = upTo.begin() + node.endEdge;
    auto found = std::upper_bound(first, end, drawn);
    if (found == end) // rounded up: the last that has points
      found = std::lower_bound(first, end, *(end - 1));
    return diagram.edgeList[static_cast<size_t>(found - upTo.begin())];
  }
  const Diagram::Edge *one = diagram.edgeTo(node, range.one);
  const Diagram::Edge *other =
      range.other == range.one ? nullptr : diagram.edgeTo(node, range.other);
  if (!one || !other)
    return one ? *one : *other;
  double first = countedBelow(*one, node.knob);
  bool isFirst =
      first > 0 && (drawn < first || countedBelow(*other, node.knob) <= 0);
  return isFirst ? *one : *other;
}

void RestrictedDraw::draw(Random &random, Configuration &point) const {
  std::vector<uint32_t> open(diagram.rootNodes.rbegin(),
                             diagram.rootNodes.rend());
  while (!open.empty()) {
    uint32_t id = open.back();
    open.pop_back();
    const Diagram::Node &node = diagram.nodeList[id];
    const Diagram::Edge &edge = chosen(node, random.uniform() * points[id]);
    point.indices[node.knob] = edge.option;
    const uint32_t *child = diagram.childNodes.data() + edge.firstChild;
    for (size_t i = diagram.childrenOf(node.knob); i-- > 0;)
      open.push_back(child[i]);
  }
}

void RestrictedDraw::visitAll(
    std::vector<uint32_t> &open, Configuration &point,
    const std::function<void(const Configuration &)> &visit) const {
  if (open.empty()) {
    visit(point);
    return;
  }
  uint32_t id = open.back();
  open.pop_back();
  const Diagram::Node &node = diagram.nodeList[id];
  auto take = [&](const Diagram::Edge *edge) {
    if (!edge || countedBelow(*edge, node.knob) <= 0)
      return;
    point.indices[node.knob] = edge->option;
    size_t before = open.size();
    const uint32_t *child = diagram.childNodes.data() + edge->firstChild;
    open.insert(open.end(), child, child + diagram.childrenOf(node.knob));
    visitAll(open, point, visit);
    open.resize(before);
  };
  const KnobRange &range = ranges[node.knob];
  if (range.isFree) {
    for (uint32_t edge = node.firstEdge; edge < node.endEdge; ++edge)
      if (upTo[edge] > (edge == node.firstEdge ? 0 : upTo[edge - 1]))
        take(&diagram.edgeList[edge]);
  } else {
    take(diagram.edgeTo(node, range.one));
    if (range.other != range.one)
      take(diagram.edgeTo(node, range.other));
  }
  open.push_back(id);
}

void RestrictedDraw::forEach(
    const std::function<void(const Configuration &)> &visit) const {
  std::vector<uint32_t> open = diagram.rootNodes;
  Configuration point;
  point.indices.resize(ranges.size());
  visitAll(open, point, visit);
}

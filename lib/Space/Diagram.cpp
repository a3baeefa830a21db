//===- Sets of points as decision diagrams --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diagram.h"

#include <limits>

using namespace tonno;

Diagram::Builder::Builder(Forest forest) { diagram.forest = std::move(forest); }

uint32_t Diagram::Builder::node(uint32_t knob,
                                std::span<const Branch> branches) {
  if (branches.empty())
    return none;
  std::vector<uint32_t> key = {knob};
  for (const Branch &branch : branches) {
    key.push_back(branch.option);
    key.insert(key.end(), branch.nodes.begin(), branch.nodes.end());
  }
  auto id = static_cast<uint32_t>(diagram.nodeList.size());
  auto [place, isNew] = known.emplace(std::move(key), id);
  if (!isNew)
    return place->second;

  PointCount count = 0;
  ScaledNumber sum;
  std::vector<ScaledNumber> sums;
  auto firstEdge = static_cast<uint32_t>(diagram.edgeList.size());
  for (const Branch &branch : branches) {
    PointCount below = 1;
    ScaledNumber pointsBelow = 1;
    for (uint32_t child : branch.nodes) {
      below = saturatingProduct(below, counts[child]);
      pointsBelow = pointsBelow * points[child];
    }
    count = saturatingSum(count, below);
    sum = sum + pointsBelow;
    sums.push_back(sum);
    diagram.edgeList.push_back(
        {branch.option, static_cast<uint32_t>(diagram.childNodes.size()), 0});
    diagram.childNodes.insert(diagram.childNodes.end(), branch.nodes.begin(),
                              branch.nodes.end());
  }
  auto endEdge = static_cast<uint32_t>(diagram.edgeList.size());
  for (uint32_t edge = firstEdge; edge < endEdge; ++edge)
    diagram.edgeList[edge].share = sums[edge - firstEdge] / sum;
  diagram.nodeList.push_back({knob, firstEdge, endEdge});
  counts.push_back(count);
  points.push_back(sum);
  return id;
}

Diagram Diagram::Builder::finish(std::vector<uint32_t> roots) {
  if (std::find(roots.begin(), roots.end(), none) != roots.end())
    return std::move(diagram);
  diagram.total = 1;
  diagram.totalPoints = 1;
  for (uint32_t root : roots) {
    diagram.total = saturatingProduct(diagram.total, counts[root]);
    diagram.totalPoints = diagram.totalPoints * points[root];
  }
  diagram.rootNodes = std::move(roots);
  return std::move(diagram);
}

Diagram Diagram::of(std::vector<Configuration> points, size_t knobs) {
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  Forest forest; // the knobs one below the other
  forest.children.resize(knobs);
  for (uint32_t knob = 0; knob < knobs; ++knob)
    (knob == 0 ? forest.roots : forest.children[knob - 1]).push_back(knob);
  Builder builder(std::move(forest));
  // The node of the knob for the points in [begin, end), which agree in the
  // knobs before it.
  std::function<uint32_t(uint32_t, size_t, size_t)> buildNode =
      [&](uint32_t knob, size_t begin, size_t end) {
        std::vector<Branch> branches;
        while (begin < end) {
          uint32_t option = points[begin].indices[knob];
          size_t next = begin + 1;
          while (next < end && points[next].indices[knob] == option)
            ++next;
          branches.push_back({option, {}});
          if (knob + 1 < knobs)
            branches.back().nodes.push_back(buildNode(knob + 1, begin, next));
          begin = next;
        }
        return builder.node(knob, branches);
      };
  if (points.empty())
    return builder.finish({Builder::none});
  if (knobs == 0)
    return builder.finish({});
  return builder.finish({buildNode(0, 0, points.size())});
}

size_t Diagram::bytes() const {
  return nodeList.size() * sizeof(Node) + edgeList.size() * sizeof(Edge) +
         (childNodes.size() + rootNodes.size()) * sizeof(uint32_t);
}

const Diagram::Edge *Diagram::edgeTo(const Node &node, uint32_t option) const {
  const Edge *begin = edgeList.data() + node.firstEdge;
  const Edge *end = edgeList.data() + node.endEdge;
  const Edge *edge = std::lower_bound(
      begin, end, option,
      [](const Edge &edge, uint32_t wanted) { return edge.option < wanted; });
  return edge != end && edge->option == option ? edge : nullptr;
}

bool Diagram::contains(const Configuration &point) const {
  if (isEmpty())
    return false;
  std::vector<uint32_t> open = rootNodes;
  while (!open.empty()) {
    const Node &node = nodeList[open.back()];
    open.pop_back();
    const Edge *edge = edgeTo(node, point.indices[node.knob]);
    if (!edge)
      return false;
    auto child = childNodes.begin() + edge->firstChild;
    open.insert(open.end(), child,
                child + static_cast<ptrdiff_t>(getNumChildren(node.knob)));
  }
  return true;
}

/// Appends the completions of `point` by the open nodes.
void Diagram::list(std::vector<uint32_t> &open, Configuration &point,
                   std::vector<Configuration> &all) const {
  if (open.empty()) {
    all.push_back(point);
    return;
  }
  uint32_t id = open.back();
  open.pop_back();
  const Node &node = nodeList[id];
  for (uint32_t i = node.firstEdge; i < node.endEdge; ++i) {
    const Edge &edge = edgeList[i];
    point.indices[node.knob] = edge.option;
    auto child = childNodes.begin() + edge.firstChild;
    std::vector<uint32_t> next = open;
    next.insert(next.end(), child,
                child + static_cast<ptrdiff_t>(getNumChildren(node.knob)));
    list(next, point, all);
  }
  open.push_back(id);
}

std::vector<Configuration> Diagram::list() const {
  std::vector<Configuration> all;
  if (isEmpty())
    return all;
  std::vector<uint32_t> open = rootNodes;
  Configuration point;
  point.indices.resize(forest.children.size());
  list(open, point, all);
  std::sort(all.begin(), all.end());
  return all;
}

void Diagram::draw(Random &random, Configuration &point) const {
  std::vector<uint32_t> open = rootNodes;
  while (!open.empty()) {
    const Node &node = nodeList[open.back()];
    open.pop_back();
    const Edge *edge = edgeList.data() + node.firstEdge;
    const Edge *last = edgeList.data() + node.endEdge - 1;
    if (edge != last) {
      double drawn = random.uniform();
      if (last - edge > 32)
        edge = std::upper_bound(
            edge, last, drawn,
            [](double drawn, const Edge &each) { return drawn < each.share; });
      while (edge != last && drawn >= edge->share)
        ++edge;
    }
    point.indices[node.knob] = edge->option;
    const uint32_t *child = childNodes.data() + edge->firstChild;
    open.insert(open.end(), child, child + getNumChildren(node.knob));
  }
}

Configuration
Diagram::cheapest(const std::vector<std::vector<double>> &costs) const {
  std::vector<double> least(nodeList.size(),
                            std::numeric_limits<double>::infinity());
  std::vector<uint32_t> chosen(nodeList.size());
  for (size_t id = 0; id < nodeList.size(); ++id) {
    const Node &node = nodeList[id];
    for (uint32_t edge = node.firstEdge; edge < node.endEdge; ++edge) {
      double cost = costs[node.knob][edgeList[edge].option];
      for (size_t i = 0; i < getNumChildren(node.knob); ++i)
        cost += least[childNodes[edgeList[edge].firstChild + i]];
      if (cost < least[id]) {
        least[id] = cost;
        chosen[id] = edge;
      }
    }
  }
  Configuration point;
  point.indices.resize(costs.size());
  std::vector<uint32_t> open = rootNodes;
  while (!open.empty()) {
    uint32_t id = open.back();
    open.pop_back();
    const Edge &edge = edgeList[chosen[id]];
    uint32_t knob = nodeList[id].knob;
    point.indices[knob] = edge.option;
    auto child = childNodes.begin() + edge.firstChild;
    open.insert(open.end(), child,
                child + static_cast<ptrdiff_t>(getNumChildren(knob)));
  }
  return point;
}

double RestrictedDraw::countEdgePoints(const Diagram::Edge &edge,
                                       uint32_t knob) {
  ++counted;
  double product = 1;
  for (size_t i = 0; i < diagram.getNumChildren(knob) && product > 0; ++i)
    product *= pointsBelow(diagram.childNodes[edge.firstChild + i]);
  return product;
}

/// Returns the number of points below an edge that `restrict` has counted.
double RestrictedDraw::countedBelow(const Diagram::Edge &edge,
                                    uint32_t knob) const {
  double product = 1;
  for (size_t i = 0; i < diagram.getNumChildren(knob) && product > 0; ++i)
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
      sum += countEdgePoints(diagram.edgeList[edge], node.knob);
      upTo[edge] = sum;
    }
  } else {
    if (const Diagram::Edge *edge = diagram.edgeTo(node, range.one))
      sum += countEdgePoints(*edge, node.knob);
    if (range.other != range.one)
      if (const Diagram::Edge *edge = diagram.edgeTo(node, range.other))
        sum += countEdgePoints(*edge, node.knob);
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

/// Returns the edge to the point with this number, from 0, among those below
/// the node.
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
    for (size_t i = diagram.getNumChildren(node.knob); i-- > 0;)
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
    open.insert(open.end(), child, child + diagram.getNumChildren(node.knob));
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

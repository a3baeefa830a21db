//===- A set of points as a decision diagram ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Search/Diagram.h"

#include <algorithm>
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

namespace {

/// The diagram of a sorted list: the knobs one below the other.
class ListedDiagram {
public:
  ListedDiagram(std::span<const Configuration> points, Diagram::Forest forest)
      : points(points), builder(std::move(forest)) {}

  /// The node of the knob for the points in [begin, end), which agree in the
  /// knobs before it.
  uint32_t node(uint32_t knob, size_t begin, size_t end) {
    std::vector<Diagram::Branch> branches;
    while (begin < end) {
      uint32_t option = points[begin].indices[knob];
      size_t next = begin + 1;
      while (next < end && points[next].indices[knob] == option)
        ++next;
      branches.push_back({option, {}});
      if (knob + 1 < points[begin].indices.size())
        branches.back().nodes.push_back(node(knob + 1, begin, next));
      begin = next;
    }
    return builder.node(knob, branches);
  }

  Diagram finish(size_t knobs) {
    if (points.empty())
      return builder.finish({Diagram::Builder::none});
    if (knobs == 0)
      return builder.finish({});
    return builder.finish({node(0, 0, points.size())});
  }

private:
  std::span<const Configuration> points;
  Diagram::Builder builder;
};

} // namespace

Diagram Diagram::of(std::vector<Configuration> points, size_t knobs) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  Forest forest;
  forest.children.resize(knobs);
  for (size_t knob = 0; knob < knobs; ++knob)
    if (knob == 0)
      forest.roots.push_back(0);
    else
      forest.children[knob - 1].push_back(static_cast<uint32_t>(knob));
  return ListedDiagram(points, std::move(forest)).finish(knobs);
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
                child + static_cast<ptrdiff_t>(childrenOf(node.knob)));
  }
  return true;
}

/// What the nodes still open add to a point.
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
                child + static_cast<ptrdiff_t>(childrenOf(node.knob)));
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
    open.insert(open.end(), child, child + childrenOf(node.knob));
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
      for (size_t i = 0; i < childrenOf(node.knob); ++i)
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
                child + static_cast<ptrdiff_t>(childrenOf(knob)));
  }
  return point;
}

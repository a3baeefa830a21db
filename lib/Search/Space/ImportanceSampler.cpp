//===- ImportanceSampler.cpp - Points drawn with a look ahead -------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImportanceSampler.h"

using namespace tonno;

/// Whether intervals allow the option beside those that were drawn.
bool ImportanceSampler::mayHold(uint32_t knob, uint32_t option) {
  point.options[knob] = option;
  for (const PartialCondition *condition : conditions)
    if (condition->knobs().contains(knob) &&
        condition->outlook(point) == Outlook::broken)
      return false;
  return true;
}

double ImportanceSampler::draw(Random &random, Configuration &drawn) {
  point.decided = KnobSet(point.options.size());
  std::vector<uint32_t> open = diagram.rootNodes;
  std::vector<double> shares;
  double weight = 1;
  while (!open.empty()) {
    const Diagram::Node &node = diagram.nodeList[open.back()];
    open.pop_back();
    point.decided.insert(node.knob);
    shares.clear();
    double before = 0, sum = 0;
    for (uint32_t edge = node.firstEdge; edge < node.endEdge; ++edge) {
      const Diagram::Edge &each = diagram.edgeList[edge];
      if (mayHold(node.knob, each.option))
        sum += each.share - before;
      shares.push_back(sum);
      before = each.share;
    }
    if (sum <= 0)
      return 0;
    weight *= sum;
    double target = random.uniform() * sum;
    size_t chosen = 0;
    while (shares[chosen] <= target)
      ++chosen;
    const Diagram::Edge &edge = diagram.edgeList[node.firstEdge + chosen];
    point.options[node.knob] = edge.option;
    const uint32_t *child = diagram.childNodes.data() + edge.firstChild;
    open.insert(open.end(), child, child + diagram.childrenOf(node.knob));
  }
  drawn.indices = point.options;
  return weight;
}

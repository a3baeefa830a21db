//===- Points drawn with a look ahead -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ImportanceSampler.h"

using namespace tonno;

ImportanceSampler::ImportanceSampler(
    const Diagram &diagram, std::span<const PartialCondition *const> conditions,
    size_t knobs)
    : diagram(diagram), conditions(knobs), point(knobs) {
  for (const PartialCondition *condition : conditions)
    for (uint32_t knob : condition->knobs().members())
      this->conditions[knob].push_back(condition);
}

/// Of two knobs, those left open are soon tried: only others are worth an
/// outlook.
void ImportanceSampler::collectChecks(uint32_t knob) {
  checks.clear();
  for (const PartialCondition *condition : conditions[knob]) {
    bool isDecided = condition->knobs().isWithin(point.decided);
    if (isDecided || condition->knobs().count() > 2)
      checks.push_back({condition, isDecided});
  }
}

/// Whether the conditions allow the option beside those that were drawn.
bool ImportanceSampler::mayHold(uint32_t knob, uint32_t option) {
  point.options[knob] = option;
  for (const Check &check : checks) {
    workDone += check.isDecided ? 2 : check.condition->size();
    if (check.isDecided ? !check.condition->holds(point)
                        : check.condition->outlook(point) == Outlook::broken)
      return false;
  }
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
    collectChecks(node.knob);
    workDone += 1 + node.endEdge - node.firstEdge;
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

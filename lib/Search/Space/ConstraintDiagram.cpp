//===- ConstraintDiagram.cpp - The points that conditions allow -----------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstraintDiagram.h"

#include <algorithm>

using namespace tonno;

/// At which a condition is evaluated in the time in which an option is tried.
static constexpr size_t pointsPerWork = 64;
/// Of a condition, of which intervals are found in that time.
static constexpr size_t partsPerWork = 16;

ConstraintDiagram::ConstraintDiagram(
    std::span<const PartialCondition *const> conditions,
    std::span<const Knob> knobs, KnobOrder knobOrder)
    : conditions(conditions), knobs(knobs), order(std::move(knobOrder)),
      builder(order.forest), point(knobs.size()), touching(knobs.size()),
      crossing(knobs.size()), current(conditions.size()),
      remembered(conditions.size()), classes(conditions.size()),
      nodes(knobs.size()) {
  std::vector<KnobSet> below(knobs.size(), KnobSet(knobs.size()));
  for (uint32_t knob : order.upward) {
    below[knob].insert(knob);
    if (auto parent = order.parents[knob])
      below[*parent].insert(below[knob]);
  }
  for (uint32_t condition = 0; condition < conditions.size(); ++condition) {
    const KnobSet &scope = conditions[condition]->knobs();
    for (uint32_t knob = 0; knob < knobs.size(); ++knob) {
      if (scope.contains(knob))
        touching[knob].push_back(condition);
      if (scope.meets(below[knob]) && !scope.isWithin(below[knob]))
        crossing[knob].push_back(condition);
    }
  }
}

size_t ConstraintDiagram::KeyHash::operator()(const Key &key) const {
  uint64_t hash = key.size();
  for (int64_t value : key) {
    hash = (hash ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 29;
  }
  return hash;
}

ConstraintDiagram::Class ConstraintDiagram::classOf(uint32_t condition,
                                                    Key key) {
  auto next = static_cast<Class>(classes[condition].size() + 1);
  return classes[condition].emplace(std::move(key), next).first->second;
}

/// By its truth at each combination of options of the open knobs.
ConstraintDiagram::Class
ConstraintDiagram::tabulate(uint32_t condition,
                            const std::vector<uint32_t> &open,
                            size_t combinations) {
  workDone += combinations / pointsPerWork;
  Key key = {-1 - static_cast<int64_t>(open.size())};
  bool all = true, none = true;
  uint64_t word = 0;
  for (uint32_t knob : open)
    point.options[knob] = 0;
  for (size_t i = 0; i < combinations; ++i) {
    bool holds = conditions[condition]->holds(point);
    all &= holds;
    none &= !holds;
    word = word << 1 | (holds ? 1 : 0);
    if (i % 64 == 63)
      key.push_back(static_cast<int64_t>(std::exchange(word, 0)));
    for (uint32_t knob : open) {
      if (++point.options[knob] < knobs[knob].options.size())
        break;
      point.options[knob] = 0;
    }
  }
  if (all)
    return satisfied;
  if (none)
    return broken;
  key.push_back(static_cast<int64_t>(word));
  return classOf(condition, std::move(key));
}

/// What is left of the condition at the present point.
ConstraintDiagram::Class ConstraintDiagram::remainderOf(uint32_t condition) {
  const PartialCondition &what = *conditions[condition];
  size_t openKnobs = what.knobs().countWithout(point.decided);
  if (openKnobs == 0)
    return what.holds(point) ? satisfied : broken;
  // The knobs of a condition get options in one order, so that their number
  // says which are open.
  Key key = {static_cast<int64_t>(openKnobs)};
  what.appendKey(point, key);
  if (auto known = remembered[condition].find(key);
      known != remembered[condition].end())
    return known->second;

  workDone += 1 + what.size() / partsPerWork;
  Class found;
  Outlook outlook = what.outlook(point);
  if (outlook != Outlook::open) {
    found = outlook == Outlook::holds ? satisfied : broken;
  } else {
    constexpr double mostTabulated = 4096;
    std::vector<uint32_t> open;
    double combinations = 1;
    for (uint32_t knob : what.knobs().members())
      if (!point.decided.contains(knob)) {
        open.push_back(knob);
        combinations *= static_cast<double>(knobs[knob].options.size());
      }
    found = combinations <= mostTabulated
                ? tabulate(condition, open, static_cast<size_t>(combinations))
                : classOf(condition, key);
  }
  remembered[condition].emplace(std::move(key), found);
  return found;
}

/// Gives the knob the option and adds what is below, if anything is. The
/// classes of the conditions are left as they are then.
bool ConstraintDiagram::descend(uint32_t knob, uint32_t option,
                                std::vector<Diagram::Branch> &branches) {
  ++workDone;
  point.options[knob] = option;
  for (uint32_t condition : touching[knob]) {
    if (current[condition] == satisfied)
      continue;
    current[condition] = remainderOf(condition);
    if (current[condition] == broken)
      return false;
  }
  Diagram::Branch branch = {option, {}};
  for (uint32_t child : order.forest.children[knob]) {
    uint32_t node = nodeOf(child);
    if (node == Diagram::Builder::none)
      return false;
    branch.nodes.push_back(node);
  }
  branches.push_back(std::move(branch));
  return true;
}

uint32_t ConstraintDiagram::nodeOf(uint32_t knob) {
  Key key;
  for (uint32_t condition : crossing[knob])
    key.push_back(current[condition]);
  if (auto known = nodes[knob].find(key); known != nodes[knob].end())
    return known->second;

  std::vector<Class> before;
  for (uint32_t condition : touching[knob])
    before.push_back(current[condition]);
  std::vector<Diagram::Branch> branches;
  point.decided.insert(knob);
  for (uint32_t option = 0;
       option < knobs[knob].options.size() && workDone < workAllowed;
       ++option) {
    descend(knob, option, branches);
    for (size_t i = 0; i < before.size(); ++i)
      current[touching[knob][i]] = before[i];
  }
  point.decided.erase(knob);
  uint32_t node = builder.node(knob, branches);
  nodes[knob].emplace(std::move(key), node);
  return node;
}

std::optional<Diagram> ConstraintDiagram::build(size_t mostWork) {
  workAllowed = mostWork;
  for (const Knob &knob : knobs) // what no condition can save
    workAllowed += knob.options.size();
  std::vector<uint32_t> roots;
  for (uint32_t condition = 0; condition < conditions.size(); ++condition) {
    Class start = classOf(condition, {});
    current[condition] = start;
    Outlook outlook = conditions[condition]->outlook(point);
    if (outlook == Outlook::holds)
      current[condition] = satisfied;
    if (outlook == Outlook::broken)
      return builder.finish({Diagram::Builder::none});
  }
  for (uint32_t root : order.forest.roots)
    roots.push_back(nodeOf(root));
  if (workDone >= workAllowed)
    return std::nullopt;
  return builder.finish(std::move(roots));
}

//===- The points that conditions allow -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintDiagram.h"

#include <algorithm>

using namespace tonno;

/// What is done in the time of a unit of work.
static constexpr size_t pointsPerWork = 16; // at which a condition is evaluated
static constexpr size_t partsPerWork = 8;   // of which intervals are found
static constexpr size_t numbersPerWork = 4; // of a key
/// Of a knob with more, no sets are made.
static constexpr size_t mostInSet = 1 << 16;

ConstraintDiagram::ConstraintDiagram(
    std::span<const PartialCondition *const> conditions,
    std::span<const Knob> knobs, KnobOrder knobOrder)
    : conditions(conditions), knobs(knobs), order(std::move(knobOrder)),
      builder(order.forest), point(knobs.size()), touching(knobs.size()),
      lastKnobs(conditions.size()), narrowed(knobs.size()),
      crossing(knobs.size()), crossingSets(knobs.size()),
      current(conditions.size()), allowed(knobs.size(), OptionSets::all),
      remembered(conditions.size()), classes(conditions.size()),
      nodes(knobs.size()) {
  for (const Knob &knob : knobs)
    sets.emplace_back(knob.options.size());
  arrange();
}

/// Whether the condition is a set of its last knob's options where that many
/// of its knobs have no option.
bool ConstraintDiagram::isSet(uint32_t condition, size_t open) const {
  return open == 1 && knobs[lastKnobs[condition]].options.size() <= mostInSet;
}

void ConstraintDiagram::arrange() {
  std::vector<uint32_t> openAfter(conditions.size());
  std::vector<KnobSet> setsBelow(knobs.size(), KnobSet(knobs.size()));
  std::vector<KnobSet> below = setsBelow, narrows = setsBelow;
  for (uint32_t knob : order.upward) {
    below[knob].insert(knob);
    if (auto parent = order.parents[knob])
      below[*parent].insert(below[knob]);
  }
  for (uint32_t knob : order.upward)
    for (uint32_t condition = 0; condition < conditions.size(); ++condition) {
      const KnobSet &scope = conditions[condition]->knobs();
      if (!scope.contains(knob))
        continue;
      uint32_t &open = openAfter[condition];
      if (open == 0)
        lastKnobs[condition] = knob;
      touching[knob].push_back({condition, open});
      if (isSet(condition, open))
        narrows[knob].insert(lastKnobs[condition]);
      ++open;
    }
  for (uint32_t knob = 0; knob < knobs.size(); ++knob) {
    for (uint32_t condition = 0; condition < conditions.size(); ++condition) {
      const KnobSet &scope = conditions[condition]->knobs();
      if (!scope.meets(below[knob]) || scope.isWithin(below[knob]))
        continue;
      if (isSet(condition, scope.count() - scope.countWithout(below[knob])))
        setsBelow[knob].insert(lastKnobs[condition]);
      else
        crossing[knob].push_back(condition);
    }
    narrowed[knob] = narrows[knob].members();
    crossingSets[knob] = setsBelow[knob].members();
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
ConstraintDiagram::tabulate(const Touch &touch,
                            const std::vector<uint32_t> &open,
                            size_t combinations) {
  workDone += combinations / pointsPerWork;
  const PartialCondition &condition = *conditions[touch.condition];
  std::vector<uint64_t> truths((combinations + 63) / 64);
  size_t held = 0;
  for (uint32_t knob : open)
    point.options[knob] = 0;
  for (size_t i = 0; i < combinations; ++i) {
    if (condition.holds(point)) {
      truths[i / 64] |= uint64_t(1) << i % 64;
      ++held;
    }
    for (uint32_t knob : open) {
      if (++point.options[knob] < knobs[knob].options.size())
        break;
      point.options[knob] = 0;
    }
  }
  if (held == combinations)
    return satisfied;
  if (held == 0)
    return broken;
  if (isSet(touch.condition, touch.open))
    return sets[lastKnobs[touch.condition]].add(std::move(truths));
  Key key = {-1 - static_cast<int64_t>(open.size())};
  for (uint64_t word : truths)
    key.push_back(static_cast<int64_t>(word));
  return classOf(touch.condition, std::move(key));
}

/// What is left of the condition at the present point, which the key tells.
ConstraintDiagram::Class ConstraintDiagram::decide(const Touch &touch,
                                                   const Key &key) {
  const PartialCondition &condition = *conditions[touch.condition];
  workDone += 1 + condition.size() / partsPerWork;
  Outlook outlook = condition.outlook(point);
  if (outlook != Outlook::open)
    return outlook == Outlook::holds ? satisfied : broken;
  constexpr double mostTabulated = 4096;
  std::vector<uint32_t> open;
  double combinations = 1;
  for (uint32_t knob : condition.knobs().members())
    if (!point.decided.contains(knob)) {
      open.push_back(knob);
      combinations *= static_cast<double>(knobs[knob].options.size());
    }
  return combinations <= mostTabulated || isSet(touch.condition, touch.open)
             ? tabulate(touch, open, static_cast<size_t>(combinations))
             : classOf(touch.condition, key);
}

ConstraintDiagram::Class ConstraintDiagram::remainderOf(const Touch &touch) {
  const PartialCondition &condition = *conditions[touch.condition];
  ++workDone;
  if (touch.open == 0)
    return condition.holds(point) ? satisfied : broken;
  // The knobs of a condition get options in one order, so that their number
  // says which are open.
  Key key = {static_cast<int64_t>(touch.open)};
  workDone += condition.size() / partsPerWork;
  condition.appendKey(point, key);
  Table<Class> &known = remembered[touch.condition];
  if (auto found = known.find(key); found != known.end())
    return found->second;
  Class found = decide(touch, key);
  workDone += key.size() / numbersPerWork;
  known.emplace(std::move(key), found);
  return found;
}

/// What is left of the condition once its knob has an option; false: nothing.
bool ConstraintDiagram::update(const Touch &touch) {
  Class &remainder = current[touch.condition];
  if (remainder == satisfied)
    return true;
  remainder = remainderOf(touch);
  if (remainder == broken)
    return false;
  if (isSet(touch.condition, touch.open)) {
    uint32_t last = lastKnobs[touch.condition];
    allowed[last] = sets[last].intersection(allowed[last], remainder);
    remainder = satisfied; // since the set says it
    return allowed[last] != OptionSets::empty;
  }
  return true;
}

/// Gives the knob the option and adds what is below, if anything is. The
/// conditions and sets are left as they are then.
bool ConstraintDiagram::descend(uint32_t knob, uint32_t option,
                                std::vector<Diagram::Branch> &branches) {
  ++workDone;
  point.options[knob] = option;
  for (const Touch &touch : touching[knob])
    if (!update(touch))
      return false;
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
  for (uint32_t other : crossingSets[knob])
    key.push_back(allowed[other]);
  workDone += key.size() / numbersPerWork;
  if (auto known = nodes[knob].find(key); known != nodes[knob].end())
    return known->second;

  std::vector<Class> before;
  for (const Touch &touch : touching[knob])
    before.push_back(current[touch.condition]);
  std::vector<uint32_t> setsBefore;
  for (uint32_t other : narrowed[knob])
    setsBefore.push_back(allowed[other]);
  std::vector<Diagram::Branch> branches;
  point.decided.insert(knob);
  for (uint32_t option = 0;
       option < knobs[knob].options.size() && workDone < workAllowed;
       ++option) {
    if (!sets[knob].has(allowed[knob], option))
      continue;
    descend(knob, option, branches);
    for (size_t i = 0; i < before.size(); ++i)
      current[touching[knob][i].condition] = before[i];
    for (size_t i = 0; i < setsBefore.size(); ++i)
      allowed[narrowed[knob][i]] = setsBefore[i];
  }
  point.decided.erase(knob);
  workDone += knobs[knob].options.size() / pointsPerWork;
  uint32_t node = builder.node(knob, branches);
  nodes[knob].emplace(std::move(key), node);
  return node;
}

std::optional<Diagram> ConstraintDiagram::build(size_t mostWork) {
  workAllowed = mostWork;
  for (const Knob &knob : knobs) // what no condition can save
    workAllowed += 4 * knob.options.size();
  for (uint32_t condition = 0; condition < conditions.size(); ++condition) {
    Outlook outlook = conditions[condition]->outlook(point);
    if (outlook == Outlook::broken)
      return builder.finish({Diagram::Builder::none});
    size_t open = conditions[condition]->knobs().count();
    current[condition] =
        outlook == Outlook::holds ? satisfied : classOf(condition, {});
    if (isSet(condition, open) &&
        !update({condition, static_cast<uint32_t>(open)}))
      return builder.finish({Diagram::Builder::none});
  }
  std::vector<uint32_t> roots;
  for (uint32_t root : order.forest.roots)
    roots.push_back(nodeOf(root));
  if (workDone >= workAllowed)
    return std::nullopt;
  return builder.finish(std::move(roots));
}

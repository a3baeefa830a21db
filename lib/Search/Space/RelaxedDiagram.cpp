//===- A diagram of at least the legal points -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RelaxedDiagram.h"
#include "RoundedConditions.h"

#include <algorithm>
#include <numeric>

using namespace tonno;

Conditions::Conditions(const SearchSpace &space) {
  for (const std::string &text : space.constraints()) {
    // The space was made of these constraints, so they parse.
    auto constraint = Constraint::parse(text);
    auto tree = constraint::resolve(*constraint, space.knobs());
    programs.push_back(*ConstraintProgram::compile(*constraint, space.knobs()));
    trees.push_back(*std::move(tree));
    std::vector<const constraint::Node *> conjuncts =
        constraint::conjuncts(trees.back());
    for (size_t i = 0; i < conjuncts.size(); ++i) {
      conditions.emplace_back(*conjuncts[i], programs.back().conjuncts()[i],
                              space.knobs());
      nodes.push_back(conjuncts[i]);
      constraints.push_back(programs.size() - 1);
    }
  }
}

size_t Conditions::indexOf(const PartialCondition &condition) const {
  auto is = [&](const PartialCondition &each) { return &each == &condition; };
  auto found = std::ranges::find_if(conditions, is);
  return static_cast<size_t>(found - conditions.begin());
}

namespace {

class Relaxation {
public:
  Relaxation(const Conditions &conditions, std::span<const Knob> knobs,
             const LegalSpace::Limits &limits)
      : conditions(conditions), knobs(knobs), limits(limits) {
    for (const PartialCondition &condition : conditions.all())
      used.push_back(&condition);
  }

  RelaxedDiagram build();

private:
  std::optional<Diagram> smallest();
  std::optional<Diagram> buildOne(size_t mostWork, double spread);
  void drop(size_t count);
  void addRounded(Diagram &diagram);

  const Conditions &conditions;
  std::span<const Knob> knobs;
  const LegalSpace::Limits &limits;
  std::vector<const PartialCondition *> used, dropped;
  std::vector<size_t> remainders; ///< of each used one, in the last failure
  size_t workInAll = 0;
  Random random{1};
};

} // namespace

RelaxedDiagram Relaxation::build() {
  for (size_t toDrop = 1;; toDrop *= 2) {
    if (std::optional<Diagram> found = smallest()) {
      if (!dropped.empty() && !found->isEmpty())
        addRounded(*found);
      return {*std::move(found), std::move(dropped), workInAll};
    }
    // Work that was in vain is bounded too.
    drop(workInAll < limits.mostInAll ? toDrop : 4 * toDrop);
  }
}

std::optional<Diagram> Relaxation::buildOne(size_t mostWork, double spread) {
  ConstraintDiagram builder(used, knobs,
                            KnobOrder::create(used, knobs, spread, random));
  std::optional<Diagram> found = builder.build(mostWork);
  workInAll += builder.work();
  if (!found) {
    remainders.clear();
    for (size_t condition = 0; condition < used.size(); ++condition)
      remainders.push_back(builder.remainders(condition));
  }
  return found;
}

std::optional<Diagram> Relaxation::smallest() {
  constexpr double spread = 2; // of the orders after the first
  size_t mostFailures = dropped.empty() ? 2 : 1;
  std::optional<Diagram> best;
  size_t failures = 0;
  for (size_t i = 0;
       i < limits.orders && (!best || workInAll < limits.mostInAll); ++i) {
    std::optional<Diagram> found = buildOne(limits.mostWork, i ? spread : 0);
    if (!found) {
      if (!best && ++failures == mostFailures)
        return std::nullopt;
      continue;
    }
    bool isSame = best && found->edges() == best->edges();
    if (!best || found->edges() < best->edges())
      best = std::move(found);
    if (best->edges() < limits.fewEdges || isSame)
      break;
  }
  return best;
}

/// Leaves the diagram as it is where that fails.
void Relaxation::addRounded(Diagram &diagram) {
  constexpr double workPerOption = 6;
  constexpr size_t mostTries = 3;
  std::vector<const constraint::Node *> nodes;
  for (const PartialCondition *condition : dropped)
    nodes.push_back(&conditions.treeOf(*condition));
  double options = static_cast<double>(limits.mostWork) / workPerOption;
  for (size_t i = 0; i < mostTries; ++i, options /= 6) {
    RoundedConditions rounded(nodes, knobs, options);
    if (rounded.all().empty())
      return;
    size_t before = used.size();
    for (const PartialCondition &condition : rounded.all())
      used.push_back(&condition);
    std::optional<Diagram> found = buildOne(limits.mostWork, 0);
    used.resize(before);
    if (found) {
      diagram = *std::move(found);
      return;
    }
  }
}

void Relaxation::drop(size_t count) {
  std::vector<size_t> order(used.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(remainders[a], b) > std::pair(remainders[b], a);
  });
  order.resize(std::min(count, order.size()));
  std::sort(order.rbegin(), order.rend());
  for (size_t condition : order) {
    dropped.push_back(used[condition]);
    used.erase(used.begin() + static_cast<ptrdiff_t>(condition));
  }
}

RelaxedDiagram RelaxedDiagram::create(const Conditions &conditions,
                                      std::span<const Knob> knobs,
                                      const LegalSpace::Limits &limits) {
  return Relaxation(conditions, knobs, limits).build();
}

//===- RelaxedDiagram.cpp - A diagram of at least the legal points --------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelaxedDiagram.h"

#include <algorithm>
#include <numeric>

using namespace tonno;

Conditions::Conditions(const SearchSpace &space) {
  for (const std::string &text : space.constraints()) {
    // The space was made of these constraints, so they parse.
    auto constraint = Constraint::parse(text);
    auto tree = constraint::resolve(*constraint, space.knobs());
    programs.push_back(*ConstraintProgram::compile(*constraint, space.knobs()));
    std::vector<const constraint::Node *> conjuncts =
        constraint::conjuncts(*tree);
    for (size_t i = 0; i < conjuncts.size(); ++i) {
      conditions.emplace_back(*conjuncts[i], programs.back().conjuncts()[i],
                              space.knobs());
      constraints.push_back(programs.size() - 1);
    }
  }
}

size_t Conditions::constraintOf(const PartialCondition &condition) const {
  auto is = [&](const PartialCondition &each) { return &each == &condition; };
  auto found = std::ranges::find_if(conditions, is);
  return constraints[static_cast<size_t>(found - conditions.begin())];
}

namespace {

class Relaxation {
public:
  Relaxation(const Conditions &conditions, std::span<const Knob> knobs,
             const LegalSpace::Limits &limits)
      : knobs(knobs), limits(limits) {
    for (const PartialCondition &condition : conditions.all())
      used.push_back(&condition);
  }

  RelaxedDiagram build() {
    for (size_t toDrop = 1;; toDrop *= 2) {
      if (std::optional<Diagram> found = smallest())
        return {*std::move(found), std::move(dropped)};
      drop(toDrop);
    }
  }

private:
  std::optional<Diagram> smallest();
  void drop(size_t count);

  std::span<const Knob> knobs;
  const LegalSpace::Limits &limits;
  std::vector<const PartialCondition *> used, dropped;
  std::vector<size_t> remainders; ///< of each used one, in the last failure
  Random random{1};
};

} // namespace

std::optional<Diagram> Relaxation::smallest() {
  constexpr size_t mostFailures = 2;
  constexpr double spread = 2; // of the orders after the first
  std::optional<Diagram> best;
  size_t failures = 0, work = 0;
  for (size_t i = 0; i < limits.orders && (!best || work < limits.mostInAll);
       ++i) {
    ConstraintDiagram builder(
        used, knobs, KnobOrder::create(used, knobs, i ? spread : 0, random));
    std::optional<Diagram> found = builder.build(limits.mostWork);
    work += builder.work();
    if (!found) {
      remainders.clear();
      for (size_t condition = 0; condition < used.size(); ++condition)
        remainders.push_back(builder.remainders(condition));
      if (!best && ++failures == mostFailures)
        return std::nullopt;
      continue;
    }
    if (!best || found->edges() < best->edges())
      best = std::move(found);
    if (best->edges() < limits.fewEdges)
      break;
  }
  return best;
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

//===- Enumerating legal points -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintProgram.h"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

using namespace tonno;

namespace {

/// A condition that is checked once its last knob has an option.
struct Check {
  const Condition *condition;
  KnobSet levels; ///< of its knobs, as indices into State::levels
};

/// A condition whose intervals may show early that it is broken.
using Forecast = Check; // with the levels of knobs that have an option

/// A knob, in the order in which knobs get options.
struct Level {
  uint32_t knob;
  std::vector<uint32_t> options; ///< to try, in this order
  size_t position;               ///< of the one being tried
  std::vector<Check> checks;
  std::vector<Forecast> forecasts;
  KnobSet culprits; ///< the earlier levels due to which options failed
};

} // namespace

/// Depth first, with conflict-directed backjumping (P. Prosser, "Hybrid
/// algorithms for the constraint satisfaction problem", 1993): where no option
/// of a knob is left, the knobs in between that had no part in that keep none
/// of their other options either.
struct LegalPoints::State {
  State(const SearchSpace &space, const std::vector<bool> &isFixed);

  std::optional<Configuration> next();
  void shuffle(std::mt19937_64 &random, bool byInfluence);
  bool findNext();
  bool advanceToConsistentOption(Level &level);
  const KnobSet *findBrokenLevels(const Level &level);
  void enter(size_t level);
  bool backtrack();
  void order(const std::vector<uint32_t> &knobs);
  void spend(uint64_t steps) { stepsLeft -= std::min(steps, stepsLeft); }

  std::shared_ptr<const std::vector<ConstraintProgram>> programs;
  std::vector<const Condition *> conditions; ///< all conjuncts of `programs`
  std::vector<Level> levels;                 ///< those of fixed knobs first
  size_t fixedLevels = 0;
  PartialPoint point;
  size_t depth = 0;
  bool hasFound = false; ///< `point` is the last one found
  bool hasEnded = false;
  uint64_t stepsLeft = std::numeric_limits<uint64_t>::max();
};

/// Returns true if intervals pay off: trying the options of one remaining knob
/// is cheaper.
static bool hasForecasts(const Condition &condition) {
  return condition.knobs().count() > 2;
}

LegalPoints::State::State(const SearchSpace &space,
                          const std::vector<bool> &isFixed)
    : programs(space.programs), point(space.knobs().size()) {
  const std::vector<Knob> &knobs = space.knobs();
  std::vector<uint32_t> inOrder;
  for (bool wanted : {true, false}) {
    for (uint32_t knob = 0; knob < knobs.size(); ++knob)
      if (isFixed[knob] == wanted)
        inOrder.push_back(knob);
    if (wanted)
      fixedLevels = inOrder.size();
  }
  for (uint32_t knob : inOrder) {
    Level level = {knob, {}, 0, {}, {}, KnobSet(knobs.size())};
    if (isFixed[knob])
      level.options.push_back(knobs[knob].defaultIndex);
    else
      for (uint32_t option = 0; option < knobs[knob].options.size(); ++option)
        level.options.push_back(option);
    levels.push_back(std::move(level));
  }
  for (const ConstraintProgram &program : space.compiledConstraints())
    for (const Condition &condition : program.conjuncts())
      conditions.push_back(&condition);
  order(inOrder);
}

/// Puts the levels into this order of their knobs, and starts anew.
void LegalPoints::State::order(const std::vector<uint32_t> &knobs) {
  std::vector<size_t> levelByKnob(knobs.size());
  for (size_t i = 0; i < knobs.size(); ++i) {
    levelByKnob[knobs[i]] = i;
    auto level =
        std::find_if(levels.begin() + static_cast<ptrdiff_t>(i), levels.end(),
                     [&](const Level &each) { return each.knob == knobs[i]; });
    std::swap(levels[i], *level);
    levels[i].checks.clear();
    levels[i].forecasts.clear();
  }
  hasFound = hasEnded = false;
  for (const Condition *condition : conditions) {
    KnobSet all(levels.size());
    for (uint32_t knob : condition->knobs().members())
      all.insert(levelByKnob[knob]);
    auto last = all.greatest();
    if (!last) {
      hasEnded |= !condition->holds(point);
      continue;
    }
    levels[*last].checks.push_back({condition, all});
    while (hasForecasts(*condition)) {
      all.erase(*last);
      last = all.greatest();
      if (!last)
        break;
      levels[*last].forecasts.push_back({condition, all});
    }
  }
  point.decided = KnobSet(levels.size());
  depth = 0;
  if (!levels.empty())
    enter(0);
}

/// Changes the order of options, and of knobs that are not fixed: at random, or
/// by influence, so that the last knobs can complete a sum.
void LegalPoints::State::shuffle(std::mt19937_64 &random, bool byInfluence) {
  std::vector<uint32_t> knobs;
  for (Level &level : levels) {
    knobs.push_back(level.knob);
    for (size_t i = level.options.size(); i > 1; --i)
      std::swap(level.options[i - 1], level.options[random() % i]);
  }
  for (size_t i = knobs.size(); i > fixedLevels + 1; --i)
    std::swap(knobs[i - 1], knobs[fixedLevels + random() % (i - fixedLevels)]);
  if (byInfluence) {
    std::vector<double> influence(knobs.size());
    for (const Condition *condition : conditions)
      for (uint32_t knob : condition->knobs().members())
        influence[knob] =
            std::max(influence[knob], condition->computeInfluence(knob));
    std::sort(knobs.begin() + static_cast<ptrdiff_t>(fixedLevels), knobs.end(),
              [&](uint32_t a, uint32_t b) {
                return std::pair(influence[a], b) > std::pair(influence[b], a);
              });
  }
  order(knobs);
}

void LegalPoints::State::enter(size_t level) {
  depth = level;
  levels[depth].culprits.clear();
  levels[depth].position = 0;
  point.decided.insert(levels[depth].knob);
}

/// Returns the levels of a condition that the current options break.
const KnobSet *LegalPoints::State::findBrokenLevels(const Level &level) {
  for (const Check &check : level.checks) {
    if (&check != &level.checks.front())
      spend(1);
    if (!check.condition->holds(point))
      return &check.levels;
  }
  for (const Forecast &forecast : level.forecasts) {
    constexpr uint64_t partsPerStep = 4; // of which intervals are found
    spend(1 + forecast.condition->size() / partsPerStep);
    if (forecast.condition->outlook(point) == Outlook::broken)
      return &forecast.levels;
  }
  return nullptr;
}

/// Leaves the level's knob at the first option, from its present one, that
/// breaks nothing.
bool LegalPoints::State::advanceToConsistentOption(Level &level) {
  for (; level.position < level.options.size() && stepsLeft > 0;
       ++level.position) {
    spend(1);
    point.options[level.knob] = level.options[level.position];
    const KnobSet *breaker = findBrokenLevels(level);
    if (!breaker)
      return true;
    level.culprits.insert(*breaker);
  }
  return false;
}

/// Advances the last knob that contributed to the failure to its next option.
bool LegalPoints::State::backtrack() {
  KnobSet culprits = levels[depth].culprits;
  culprits.erase(depth);
  auto last = culprits.greatest();
  if (!last)
    return false;
  for (; depth > *last; --depth)
    point.decided.erase(levels[depth].knob);
  levels[depth].culprits.insert(culprits);
  ++levels[depth].position;
  return true;
}

bool LegalPoints::State::findNext() {
  while (!hasEnded) {
    if (!advanceToConsistentOption(levels[depth])) {
      hasEnded = stepsLeft == 0 || !backtrack();
      continue;
    }
    if (depth + 1 == levels.size())
      return true;
    enter(depth + 1);
  }
  return false;
}

std::optional<Configuration> LegalPoints::State::next() {
  if (levels.empty())
    return std::exchange(hasEnded, true)
               ? std::nullopt
               : std::optional(Configuration{point.options});
  if (hasFound) {
    // There is a legal point below each option: none may be jumped over.
    KnobSet earlier(levels.size());
    for (size_t i = 0; i < levels.size(); ++i) {
      levels[i].culprits.insert(earlier);
      earlier.insert(i);
    }
    ++levels[depth].position;
  }
  hasFound = findNext();
  return hasFound ? std::optional(Configuration{point.options}) : std::nullopt;
}

LegalPoints::LegalPoints(const SearchSpace &space, uint64_t mostSteps)
    : state(std::make_unique<State>(space,
                                    std::vector<bool>(space.knobs().size()))) {
  state->stepsLeft = mostSteps;
}

LegalPoints::LegalPoints(LegalPoints &&) noexcept = default;
LegalPoints &LegalPoints::operator=(LegalPoints &&) noexcept = default;
LegalPoints::~LegalPoints() = default;

std::optional<Configuration> LegalPoints::next() { return state->next(); }

bool LegalPoints::hasReachedStepLimit() const { return state->stepsLeft == 0; }

std::optional<Configuration>
LegalPoints::firstLegal(const SearchSpace &space,
                        const std::vector<bool> &isFixed, uint64_t mostSteps,
                        bool &hasReachedStepLimit) {
  State search(space, isFixed);
  search.stepsLeft = mostSteps / 4;
  auto point = search.next();
  hasReachedStepLimit = !point && search.stepsLeft == 0;
  // Hard in that order; hardly in all others. The tries grow, so that what can
  // only be refuted is.
  std::mt19937_64 random;
  uint64_t left = mostSteps - mostSteps / 4, most = mostSteps / 32;
  for (size_t i = 1; hasReachedStepLimit && left > 0; ++i) {
    bool byInfluence = i % 4 != 0;
    search.shuffle(random, byInfluence);
    search.stepsLeft = std::min(most, left);
    left -= search.stepsLeft;
    point = search.next();
    hasReachedStepLimit = !point && search.stepsLeft == 0;
    most += most / 4;
  }
  return point;
}

//===- Enumerating legal points -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/ConstraintProgram.h"
#include "tonno/Core/PartialCondition.h"
#include "tonno/Core/SearchSpace.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <random>
#include <utility>

using namespace tonno;
using constraint::Code;

namespace {

/// A set of levels of the search.
class LevelSet {
public:
  explicit LevelSet(size_t levels) : words((levels + 63) / 64) {}

  void insert(size_t level) { words[level / 64] |= uint64_t(1) << level % 64; }
  void erase(size_t level) {
    words[level / 64] &= ~(uint64_t(1) << level % 64);
  }
  void clear() { std::fill(words.begin(), words.end(), 0); }
  void insert(const LevelSet &other) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i] |= other.words[i];
  }
  std::optional<size_t> greatest() const {
    for (size_t i = words.size(); i-- > 0;)
      if (words[i])
        return i * 64 + 63 - std::countl_zero(words[i]);
    return std::nullopt;
  }

private:
  std::vector<uint64_t> words;
};

/// A condition that is checked once its last knob has an option.
struct Check {
  const Code *code;
  LevelSet levels; ///< of its knobs
};

/// A condition of which intervals may tell before that that it is broken.
struct Forecast {
  const PartialCondition *condition;
  LevelSet levels; ///< of its knobs that have an option
};

/// One knob, in the order in which they get options.
struct Level {
  uint32_t knob;
  std::vector<uint32_t> options; ///< to try, in this order
  size_t position;               ///< of the one being tried
  std::vector<Check> checks;
  std::vector<Forecast> forecasts;
  LevelSet culprits; ///< the earlier levels due to which options failed
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
  bool tryOptions(Level &level);
  const LevelSet *breakerOf(const Level &level);
  void enter(size_t level);
  bool goBack();
  void order(const std::vector<uint32_t> &knobs);
  void spend(uint64_t steps) { stepsLeft -= std::min(steps, stepsLeft); }

  std::shared_ptr<const std::vector<ConstraintProgram>> programs;
  std::deque<PartialCondition> conditions; ///< of each conjunct of `programs`
  std::vector<Level> levels;               ///< those of fixed knobs first
  size_t fixedLevels = 0;
  PartialPoint point;
  size_t depth = 0;
  bool hasFound = false; ///< `point` is the last one found
  bool hasEnded = false;
  uint64_t stepsLeft = std::numeric_limits<uint64_t>::max();
};

/// Whether intervals are worth their time: one knob that is left is soon tried.
static bool hasForecasts(const Code &code) { return code.knobs.size() > 2; }

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
    Level level = {knob, {}, 0, {}, {}, LevelSet(knobs.size())};
    if (isFixed[knob])
      level.options.push_back(knobs[knob].defaultIndex);
    else
      for (uint32_t option = 0; option < knobs[knob].options.size(); ++option)
        level.options.push_back(option);
    levels.push_back(std::move(level));
  }
  for (size_t i = 0; programs && i < programs->size(); ++i) {
    // The space was made of these constraints, so they parse.
    auto tree =
        constraint::resolve(*Constraint::parse(space.conditions[i]), knobs);
    const std::vector<Code> &codes = (*programs)[i].conjuncts();
    std::vector<const constraint::Node *> nodes = constraint::conjuncts(*tree);
    for (size_t j = 0; j < codes.size(); ++j)
      conditions.emplace_back(*nodes[j], codes[j], knobs);
  }
  order(inOrder);
}

/// Puts the levels into this order of their knobs, and starts anew.
void LegalPoints::State::order(const std::vector<uint32_t> &knobs) {
  std::vector<size_t> levelOf(knobs.size());
  for (size_t i = 0; i < knobs.size(); ++i) {
    levelOf[knobs[i]] = i;
    auto level =
        std::find_if(levels.begin() + static_cast<ptrdiff_t>(i), levels.end(),
                     [&](const Level &each) { return each.knob == knobs[i]; });
    std::swap(levels[i], *level);
    levels[i].checks.clear();
    levels[i].forecasts.clear();
  }
  hasFound = hasEnded = false;
  auto condition = conditions.begin();
  for (size_t i = 0; programs && i < programs->size(); ++i)
    for (const Code &code : (*programs)[i].conjuncts()) {
      const PartialCondition &whole = *condition++;
      LevelSet all(levels.size());
      for (uint32_t knob : code.knobs)
        all.insert(levelOf[knob]);
      auto last = all.greatest();
      if (!last) {
        hasEnded |= code.run(point.options.data()) != Truth::holds;
        continue;
      }
      levels[*last].checks.push_back({&code, all});
      while (hasForecasts(code)) {
        all.erase(*last);
        last = all.greatest();
        if (!last)
          break;
        levels[*last].forecasts.push_back({&whole, all});
      }
    }
  point.decided = KnobSet(levels.size());
  depth = 0;
  if (!levels.empty())
    enter(0);
}

/// Another order of the options, and of the knobs that aren't fixed: by chance,
/// or those on which most depends first, so that the last ones can meet what a
/// sum has still to reach.
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
    for (const PartialCondition &condition : conditions)
      for (uint32_t knob : condition.knobs().members())
        influence[knob] =
            std::max(influence[knob], condition.influenceOf(knob));
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

/// The levels of a condition that the present options break.
const LevelSet *LegalPoints::State::breakerOf(const Level &level) {
  for (const Check &check : level.checks) {
    if (&check != &level.checks.front())
      spend(1);
    if (check.code->run(point.options.data()) != Truth::holds)
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
bool LegalPoints::State::tryOptions(Level &level) {
  for (; level.position < level.options.size() && stepsLeft > 0;
       ++level.position) {
    spend(1);
    point.options[level.knob] = level.options[level.position];
    const LevelSet *breaker = breakerOf(level);
    if (!breaker)
      return true;
    level.culprits.insert(*breaker);
  }
  return false;
}

/// To the next option of the last knob that has a part in the failure here.
bool LegalPoints::State::goBack() {
  LevelSet culprits = levels[depth].culprits;
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
    if (!tryOptions(levels[depth])) {
      hasEnded = stepsLeft == 0 || !goBack();
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
    LevelSet earlier(levels.size());
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

bool LegalPoints::gaveUp() const { return state->stepsLeft == 0; }

std::optional<Configuration>
LegalPoints::firstLegal(const SearchSpace &space,
                        const std::vector<bool> &isFixed, uint64_t mostSteps,
                        bool &gaveUp) {
  State search(space, isFixed);
  search.stepsLeft = mostSteps / 4;
  auto point = search.next();
  gaveUp = !point && search.stepsLeft == 0;
  // Hard in that order; hardly in all others. The tries grow, so that what can
  // only be refuted is.
  std::mt19937_64 random;
  uint64_t left = mostSteps - mostSteps / 4, most = mostSteps / 32;
  for (size_t i = 1; gaveUp && left > 0; ++i) {
    bool byInfluence = i % 4 != 0;
    search.shuffle(random, byInfluence);
    search.stepsLeft = std::min(most, left);
    left -= search.stepsLeft;
    point = search.next();
    gaveUp = !point && search.stepsLeft == 0;
    most += most / 4;
  }
  return point;
}

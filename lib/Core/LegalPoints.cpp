//===- LegalPoints.cpp - Enumerating legal points -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/ConstraintProgram.h"
#include "tonno/Core/SearchSpace.h"

#include <algorithm>
#include <bit>
#include <limits>
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

/// One knob, in the order in which they get options.
struct Level {
  uint32_t knob;
  uint32_t first, last; ///< of the options to try
  std::vector<Check> checks;
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
  bool findNext();
  bool tryOptions(Level &level);
  bool goBack();

  std::shared_ptr<const std::vector<ConstraintProgram>> programs;
  std::vector<Level> levels; ///< those of fixed knobs first
  Configuration point;
  size_t depth = 0;
  bool hasFound = false; ///< `point` is the last one found
  bool hasEnded = false;
  uint64_t stepsLeft = std::numeric_limits<uint64_t>::max();
};

LegalPoints::State::State(const SearchSpace &space,
                          const std::vector<bool> &isFixed)
    : programs(space.programs), point(space.defaultConfiguration()) {
  const std::vector<Knob> &knobs = space.knobs();
  std::vector<uint32_t> order;
  for (bool wanted : {true, false})
    for (uint32_t knob = 0; knob < knobs.size(); ++knob)
      if (isFixed[knob] == wanted)
        order.push_back(knob);
  std::vector<size_t> levelOf(knobs.size());
  for (uint32_t knob : order) {
    levelOf[knob] = levels.size();
    auto last = static_cast<uint32_t>(knobs[knob].options.size());
    uint32_t first = isFixed[knob] ? knobs[knob].defaultIndex : 0;
    levels.push_back({knob,
                      first,
                      isFixed[knob] ? first + 1 : last,
                      {},
                      LevelSet(knobs.size())});
  }
  if (!levels.empty())
    point.indices[levels[0].knob] = levels[0].first;
  if (!programs)
    return;
  for (const ConstraintProgram &program : *programs)
    for (const Code &code : program.conjuncts()) {
      LevelSet set(knobs.size());
      for (uint32_t knob : code.knobs)
        set.insert(levelOf[knob]);
      if (auto last = set.greatest())
        levels[*last].checks.push_back({&code, std::move(set)});
      else
        hasEnded |= code.run(point.indices.data()) != Truth::holds;
    }
}

/// Leaves the level's knob at the first option, from its present one, that
/// breaks nothing.
bool LegalPoints::State::tryOptions(Level &level) {
  uint32_t &option = point.indices[level.knob];
  for (; option < level.last && stepsLeft > 0; ++option) {
    --stepsLeft;
    auto broken = std::find_if(
        level.checks.begin(), level.checks.end(), [&](const Check &check) {
          return check.code->run(point.indices.data()) != Truth::holds;
        });
    if (broken == level.checks.end())
      return true;
    level.culprits.insert(broken->levels);
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
  depth = *last;
  levels[depth].culprits.insert(culprits);
  ++point.indices[levels[depth].knob];
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
    ++depth;
    levels[depth].culprits.clear();
    point.indices[levels[depth].knob] = levels[depth].first;
  }
  return false;
}

std::optional<Configuration> LegalPoints::State::next() {
  if (levels.empty())
    return std::exchange(hasEnded, true) ? std::nullopt : std::optional(point);
  if (hasFound) {
    // There is a legal point below each option: none may be jumped over.
    LevelSet earlier(levels.size());
    for (size_t i = 0; i < levels.size(); ++i) {
      levels[i].culprits.insert(earlier);
      earlier.insert(i);
    }
    ++point.indices[levels[depth].knob];
  }
  hasFound = findNext();
  return hasFound ? std::optional(point) : std::nullopt;
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
  search.stepsLeft = mostSteps;
  auto point = search.next();
  gaveUp = search.stepsLeft == 0;
  return point;
}

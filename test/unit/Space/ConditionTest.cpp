//===- Conditions, knob by knob -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintProgram.h"
#include "ConstraintWriter.h"

#include <gtest/gtest.h>

#include <map>

using namespace tonno;

namespace {

/// Evaluates the condition for each completion of a partial point.
class Completions {
public:
  Completions(const Condition &condition, std::span<const Knob> knobs)
      : condition(condition), knobs(knobs) {}

  std::vector<bool> of(const PartialPoint &start) {
    truths.clear();
    PartialPoint point = start;
    complete(point, 0);
    return truths;
  }

private:
  void complete(PartialPoint &point, uint32_t knob) {
    if (knob == knobs.size()) {
      truths.push_back(condition.holds(point));
    } else if (!condition.knobs().contains(knob) ||
               point.decided.contains(knob)) {
      complete(point, knob + 1);
    } else {
      for (point.options[knob] = 0;
           point.options[knob] < knobs[knob].options.size();
           ++point.options[knob])
        complete(point, knob + 1);
    }
  }

  const Condition &condition;
  std::span<const Knob> knobs;
  std::vector<bool> truths;
};

TEST(Condition, TellsWhatEachCompletionDoes) {
  std::vector<Knob> knobs = knobsForAll();
  ConstraintWriter writer(11);
  std::mt19937_64 random(12);
  size_t told[3] = {}, shared = 0;
  for (int i = 0; i < 600; ++i) {
    std::string text = writer.condition(1 + i % 4);
    Constraint constraint = *Constraint::parse(text);
    ConstraintProgram program = *ConstraintProgram::compile(constraint, knobs);
    for (const Condition &condition : program.conjuncts()) {
      Completions completions(condition, knobs);
      KnobSet decided(knobs.size());
      for (uint32_t knob : condition.knobs().members())
        if (random() % 2)
          decided.insert(knob);
      std::map<std::vector<int64_t>, std::vector<bool>> byKey;
      for (int j = 0; j < 12; ++j) {
        PartialPoint point(knobs.size());
        point.decided = decided;
        for (uint32_t knob : decided.members())
          point.options[knob] =
              static_cast<uint32_t>(random() % knobs[knob].options.size());
        std::vector<bool> truths = completions.of(point);
        Outlook outlook = condition.outlook(point);
        ++told[static_cast<size_t>(outlook)];
        for (bool truth : truths)
          if (outlook != Outlook::open)
            ASSERT_EQ(truth, outlook == Outlook::holds) << text;
        std::vector<int64_t> key;
        condition.appendKey(point, key);
        auto [same, isNew] = byKey.emplace(key, truths);
        shared += !isNew;
        ASSERT_EQ(same->second, truths) << text;
      }
    }
  }
  for (size_t count : told) // or it would test little
    EXPECT_GT(count, 500u);
  EXPECT_GT(shared, 1000u);
}

TEST(Condition, MergesFactorsOnlyWhereNoOrderOverflows) {
  // x * y overflows, unless z comes first: so products of x and z don't tell.
  std::vector<Knob> knobs = {{"x", {0, int64_t(1) << 40}},
                             {"y", {0, int64_t(1) << 40}},
                             {"z", {0, 1}}};
  Constraint constraint = *Constraint::parse("x * y * z == 0");
  ConstraintProgram program = *ConstraintProgram::compile(constraint, knobs);
  const Condition &condition = program.conjuncts()[0];
  PartialPoint point(3);
  point.decided = KnobSet(3, std::vector<uint32_t>{0, 2});
  std::vector<int64_t> one, other;
  point.options = {0, 0, 1};
  condition.appendKey(point, one);
  point.options = {1, 0, 0};
  condition.appendKey(point, other);
  EXPECT_NE(one, other);
}

} // namespace

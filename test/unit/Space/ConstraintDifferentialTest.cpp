//===- Against the plain way ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintProgram.h"
#include "ConstraintWriter.h"
#include "NaiveConstraint.h"

#include <gmock/gmock.h>
#include <random>
#include <regex>

using namespace tonno;
using constraint::Code;
using constraint::From;
using constraint::Instruction;
using constraint::Kind;

static std::vector<Configuration> randomPoints(const std::vector<Knob> &knobs,
                                               size_t count) {
  std::mt19937_64 random(7);
  std::vector<Configuration> points(count);
  for (Configuration &point : points)
    for (const Knob &knob : knobs)
      point.indices.push_back(random() % knob.options.size());
  return points;
}

/// Point at which a constraint is evaluated, in both representations.
struct Sample {
  Configuration point;
  NaiveConstraint::Point values;
};

static std::vector<Sample> samplesOf(const std::vector<Knob> &knobs,
                                     size_t count) {
  std::vector<Sample> samples;
  for (Configuration &point : randomPoints(knobs, count)) {
    NaiveConstraint::Point values;
    for (size_t i = 0; i < knobs.size(); ++i)
      values[knobs[i].name] = knobs[i].options[point.indices[i]];
    samples.push_back({std::move(point), std::move(values)});
  }
  return samples;
}

/// Returns the naive evaluation of each sample.
static std::vector<Truth> naiveTruths(const Constraint &constraint,
                                      const std::vector<Sample> &samples) {
  NaiveConstraint naive(constraint);
  std::vector<Truth> truths;
  for (const Sample &sample : samples) {
    auto holds = naive.evaluate(sample.values);
    truths.push_back(!holds   ? Truth::undefined
                     : *holds ? Truth::holds
                              : Truth::broken);
  }
  return truths;
}

TEST(ConstraintDifferential, AgreesWithThePlainWay) {
  std::vector<Knob> knobs = knobsForAll();
  std::vector<Sample> samples = samplesOf(knobs, 60);
  size_t seen[3] = {};
  ConstraintWriter writer(1);
  for (int i = 0; i < 4000; ++i) {
    std::string text = writer.constraint();
    auto parsed = Constraint::parse(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().text();
    std::vector<Truth> expected = naiveTruths(*parsed, samples);
    for (uint64_t limit : {0, 10, 100, 4096}) {
      auto program =
          ConstraintProgram::compile(*parsed, knobs, {limit, limit / 8});
      ASSERT_TRUE(program.ok()) << text << ": " << program.error().text();
      for (size_t j = 0; j < samples.size(); ++j) {
        ASSERT_EQ(program->evaluate(samples[j].point.indices), expected[j])
            << text << "\n  limit " << limit << ", "
            << Json(samples[j].values).dump();
        ++seen[static_cast<size_t>(expected[j])];
      }
    }
  }
  for (size_t count : seen) // or it would test little
    EXPECT_GT(count, 100000u);
}

/// Returns a space of all combinations of options of the knobs that the text
/// names. Of the others, on which nothing depends, it has the first option.
static SearchSpace namedIn(const std::string &text, std::vector<Knob> knobs) {
  for (Knob &knob : knobs)
    if (!std::regex_search(text, std::regex("\\b" + knob.name + "\\b")))
      knob.options.resize(1);
  return SearchSpace(std::move(knobs));
}

TEST(ConstraintDifferential, SpacesRefuseWhatIsUndefinedSomewhere) {
  std::vector<Knob> knobs = knobsForAll();
  ConstraintWriter writer(2);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string text = writer.constraint();
    auto program = ConstraintProgram::compile(*Constraint::parse(text), knobs);
    ASSERT_TRUE(program.ok());
    SearchSpace all = namedIn(text, knobs);
    bool isUndefined = false;
    for (uint64_t j = 0; j < all.size() && !isUndefined; ++j)
      isUndefined = program->evaluate(all.at(j).indices) == Truth::undefined;
    refused += isUndefined;
    EXPECT_EQ(SearchSpace::create(knobs, {text}).ok(), !isUndefined) << text;
  }
  EXPECT_GT(refused, 50);
  EXPECT_LT(refused, 350);
}

/// Compiles one constraint of one conjunct and checks its meaning.
class MutantTest : public testing::Test {
protected:
  void compile(const std::string &text, ConstraintProgram::Limits limits) {
    knobs = knobsForAll();
    samples = samplesOf(knobs, 3000);
    auto constraint = Constraint::parse(text);
    expected = naiveTruths(*constraint, samples);
    auto program = ConstraintProgram::compile(*constraint, knobs, limits);
    ASSERT_TRUE(program.ok()) << program.error().text();
    ASSERT_EQ(program->conjuncts().size(), 1u);
    code = program->conjuncts().front().code();
    ASSERT_FALSE(isCaught(code)) << text;
  }

  bool isCaught(const Code &mutant) const {
    for (size_t i = 0; i < samples.size(); ++i)
      if (mutant.run(samples[i].point.indices.data()) != expected[i])
        return true;
    return false;
  }

  /// Returns the first instruction of this operation.
  Instruction &find(Code &mutant, Kind operation) {
    for (Instruction &each : mutant.instructions)
      if (each.operation == operation)
        return each;
    ADD_FAILURE() << "no such instruction";
    return mutant.instructions.front();
  }

  std::vector<Knob> knobs;
  std::vector<Sample> samples;
  std::vector<Truth> expected; ///< at each of the samples
  Code code;
};

static constexpr ConstraintProgram::Limits noTables = {0, 0};

TEST_F(MutantTest, OtherArithmeticIsCaught) {
  const char *words[] = {"+", "-", "*", "floordiv", "ceildiv", "mod"};
  for (int right = 0; right < 6; ++right) {
    compile(std::string("a ") + words[right] + " b == d - 1", noTables);
    auto operation = static_cast<Kind>(static_cast<int>(Kind::add) + right);
    for (int wrong = 0; wrong < 6; ++wrong) {
      Code mutant = code;
      find(mutant, operation).operation =
          static_cast<Kind>(static_cast<int>(Kind::add) + wrong);
      EXPECT_EQ(isCaught(mutant), right != wrong)
          << words[right] << " as " << words[wrong];
    }
  }
}

TEST_F(MutantTest, OtherComparisonsAreCaught) {
  const char *words[] = {"==", "!=", "<", "<=", ">", ">="};
  for (int right = 0; right < 6; ++right) {
    compile(std::string("a ") + words[right] + " d", noTables);
    for (int wrong = 0; wrong < 6; ++wrong) {
      Code mutant = code;
      mutant.instructions[1].operation =
          static_cast<Kind>(static_cast<int>(Kind::equal) + wrong);
      EXPECT_EQ(isCaught(mutant), right != wrong)
          << words[right] << " as " << words[wrong];
    }
  }
}

TEST_F(MutantTest, OtherJumpsAreCaught) {
  compile("if a < b or a == d then d * b > a and not q else p", noTables);
  size_t jumps = 0;
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    Kind operation = code.instructions[i].operation;
    if (operation < Kind::jump || operation > Kind::jumpIfHolds)
      continue;
    ++jumps;
    for (int wrong = 0; wrong < 3; ++wrong) {
      Code mutant = code;
      mutant.instructions[i].operation =
          static_cast<Kind>(static_cast<int>(Kind::jump) + wrong);
      EXPECT_EQ(isCaught(mutant), mutant.instructions[i].operation != operation)
          << i << " as " << wrong;
    }
    Code mutant = code;
    --mutant.instructions[i].operand;
    EXPECT_TRUE(isCaught(mutant)) << i;
  }
  EXPECT_EQ(jumps, 4u);
}

TEST_F(MutantTest, OtherUnaryOperationsAreCaught) {
  compile("-a * b == d", noTables);
  Code mutant = code;
  find(mutant, Kind::negate).operation = Kind::logicalNot;
  EXPECT_TRUE(isCaught(mutant));
  compile("not (a < b)", noTables);
  mutant = code;
  find(mutant, Kind::logicalNot).operation = Kind::negate;
  EXPECT_TRUE(isCaught(mutant)); // -1 holds
}

TEST_F(MutantTest, OtherOperandsAreCaught) {
  compile("(a - b) * (d - l[0]) <= a + 1", noTables);
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    Kind operation = code.instructions[i].operation;
    if (operation == Kind::end)
      continue;
    Code mutant = code;
    Instruction &changed = mutant.instructions[i];
    if (changed.from == From::slot)
      changed.operand ^= 1;
    else if (changed.from == From::knob)
      changed.knob = changed.knob == 3 ? 9 : 3;
    else
      ++mutant.values[changed.operand];
    EXPECT_TRUE(isCaught(mutant)) << i;
    mutant = code;
    mutant.instructions[i].slot ^= 1;
    EXPECT_TRUE(isCaught(mutant)) << i;
  }
}

TEST_F(MutantTest, ChangedTablesAreCaught) {
  compile("a * b - 1 < d * b + l[0] - 3", {20, 40});
  ASSERT_GT(code.values.size(), 35u);
  for (size_t i = 0; i < code.values.size(); ++i) {
    Code less = code, more = code;
    less.values[i] = -100000;
    more.values[i] = 100000;
    EXPECT_TRUE(isCaught(less) || isCaught(more)) << "value " << i;
  }
  for (size_t i = 0; i < code.axes.size(); ++i) {
    Code mutant = code;
    mutant.axes[i].stride ^= 2;
    mutant.values.resize(mutant.values.size() + 100);
    EXPECT_TRUE(isCaught(mutant)) << "axis " << i;
  }
}

TEST_F(MutantTest, ChangedTruthsAreCaught) {
  compile("d floordiv b > a or p", {4096, 512});
  ASSERT_GT(code.truths.size(), 100u);
  for (size_t i = 0; i < code.truths.size(); ++i)
    for (Truth other : {Truth::broken, Truth::holds, Truth::undefined}) {
      Code mutant = code;
      mutant.truths[i] = other;
      EXPECT_EQ(isCaught(mutant), other != code.truths[i]) << i;
    }
}

TEST_F(MutantTest, AMissingCheckOfATableIsCaught) {
  compile("c * d + 12 floordiv b > a", {0, 10});
  Code mutant = code;
  Instruction &check = find(mutant, Kind::require);
  check.operation = Kind::jump; // to the next one
  check.operand =
      static_cast<uint32_t>(&check - mutant.instructions.data()) + 1;
  EXPECT_TRUE(isCaught(mutant));
}

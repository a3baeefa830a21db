//===- Constraints as people write them -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Space/Constraint.h"
#include "ConstraintProgram.h"
#include "Fuzz.h"

using namespace tonno;

static const std::vector<Knob> knobs = {
    {"A", {0, 1, -3, 16, INT64_MAX, INT64_MIN}, 1},
    {"B", {2, 3, 5}, 0},
    {"T", {"mask", "peel"}, 0},
    {"F", {true, false}, 0},
    {"L", {{1, 2}, {2, 1}}, 0},
    {"M", {1, "mask", true}, 0}};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(textOf(data, size));
  auto constraint = Constraint::parse(text);
  if (!constraint) {
    require(constraint.error().column <= text.size() + 1,
            "errors are within the text");
    return 0;
  }
  auto space = SearchSpace::create(knobs, {text});
  auto program = ConstraintProgram::compile(*constraint, knobs);
  require(program.ok() || !space.ok(), "what makes a space compiles");
  if (!program)
    return 0;
  auto plain = ConstraintProgram::compile(*constraint, knobs, {1, 1});
  require(plain.ok(), "it compiles without tables");
  SearchSpace all(knobs);
  for (uint64_t i = 0; i < all.size(); ++i) {
    std::vector<uint32_t> point = all.at(i).indices;
    Truth truth = program->evaluate(point);
    require(truth == plain->evaluate(point), "tables are as good as code");
    require(!space || truth != Truth::undefined, "no point is undefined");
  }
  return 0;
}

//===- Random constraints -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_CONSTRAINTWRITER_H
#define TONNO_TEST_UNIT_CONSTRAINTWRITER_H

#include "tonno/Space/SearchSpace.h"

#include <initializer_list>
#include <limits>
#include <random>
#include <string>

namespace tonno {

/// Returns knobs of each kind that the writer's constraints refer to.
inline std::vector<Knob> knobsForAll() {
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  return {{"a", {-7, -3, -1, 0, 1, 2, 12}, 0},
          {"b", {-4, -1, 0, 3, 5}, 0},
          {"c", {least, least + 1, -2, most, most / 2}, 0},
          {"d", {1, 2, 4, 8}, 0},
          {"p", {false, true}, 0},
          {"q", {true, false}, 0},
          {"s", {"x", "y", "z"}, 0},
          {"t", {"y", "w"}, 0},
          {"m", {"x", 1, 2, true, Json{{"mlir", "unit"}}}, 0},
          {"l", {Json{0, 1, "x"}, Json{1, 0, "y"}}, 0}};
}

/// Writes well-typed constraints of all that the language has.
class ConstraintWriter {
public:
  explicit ConstraintWriter(uint64_t seed) : random(seed) {}

  std::string condition(int depth) {
    if (depth == 0)
      return pick({"p", "q", "true", "false", "(not p)", "(s == 'x')",
                   "(s != t)", "(m == 1)", "(m != 'x')", "(m == true)",
                   "(l[2] == s)", "(s == m)", "(a < b)", "(d == l[1])"});
    switch (random() % 8) {
    case 0:
      return "(not " + condition(depth - 1) + ")";
    case 1:
      return joined("and", depth);
    case 2:
      return joined("or", depth);
    case 3:
      return "(if " + condition(depth - 1) + " then " + condition(depth - 1) +
             " else " + condition(depth - 1) + ")";
    case 4:
      return "(" + condition(depth - 1) + pick({" == ", " != "}) +
             condition(depth - 1) + ")";
    case 5:
      return "((if " + condition(depth - 1) +
             " then s else t) == " + pick({"s", "t", "m", "l[2]"}) + ")";
    default:
      return "(" + number(depth - 1) +
             pick({" == ", " != ", " < ", " <= ", " > ", " >= "}) +
             number(depth - 1) + ")";
    }
  }

  std::string constraint() {
    std::string text = condition(random() % 5);
    while (random() % 3 == 0)
      text += ", " + condition(random() % 4);
    return text;
  }

private:
  std::string pick(std::initializer_list<const char *> words) {
    return words.begin()[random() % words.size()];
  }

  std::string joined(const std::string &word, int depth) {
    std::string text = "(" + condition(depth - 1);
    do
      text += " " + word + " " + condition(depth - 1);
    while (random() % 3 == 0);
    return text + ")";
  }

  std::string number(int depth) {
    if (depth <= 0)
      return pick({"a", "b", "c", "d", "l[0]", "l[1]", "0", "1", "-1", "3",
                   "-9223372036854775808", "9223372036854775807", "64"});
    switch (random() % 8) {
    case 0:
      return "-" + number(depth - 1);
    case 1:
      return "(if " + condition(depth - 1) + " then " + number(depth - 1) +
             " else " + number(depth - 1) + ")";
    default:
      return "(" + number(depth - 1) +
             pick({" + ", " - ", " * ", " floordiv ", " ceildiv ", " mod "}) +
             number(depth - 1) + ")";
    }
  }

  std::mt19937_64 random;
};

} // namespace tonno

#endif // TONNO_TEST_UNIT_CONSTRAINTWRITER_H

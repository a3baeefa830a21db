//===- Constraints, the plain way -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_CORE_NAIVECONSTRAINT_H
#define TONNO_TEST_UNIT_CORE_NAIVECONSTRAINT_H

#include "ConstraintTree.h"

#include <map>
#include <optional>

namespace tonno {

/// Evaluates a constraint as it is read: from the tree, with the values of the
/// knobs by name, in integers of 128 bits. Slow, and without a line in common
/// with ConstraintProgram, which is tested against it.
class NaiveConstraint {
public:
  explicit NaiveConstraint(const Constraint &constraint)
      : root(constraint.expression()) {}

  using Point = std::map<std::string, Json, std::less<>>;

  /// Returns the constraint's truth; none where it is undefined.
  std::optional<bool> evaluate(const Point &point) const {
    auto value = valueOf(root, point);
    return value ? std::optional<bool>(value->number != 0) : std::nullopt;
  }

private:
  using Expression = constraint::Expression;
  using Kind = constraint::Kind;
  using Wide = __int128;

  /// A number, which may be a boolean, or what else an option is.
  struct Value {
    Wide number = 0;
    const Json *other = nullptr;
    const std::string *text = nullptr;
    bool isBoolean = false;
  };
  using Maybe = std::optional<Value>;

  static Value truth(bool holds) { return {holds, nullptr, nullptr, true}; }

  static Value fromJson(const Json &json) {
    if (json.is_boolean())
      return truth(json.get<bool>());
    if (json.is_number_integer())
      return {json.get<int64_t>()};
    if (json.is_string())
      return {0, nullptr, json.get_ptr<const std::string *>()};
    return {0, &json};
  }

  static bool agree(const Value &a, const Value &b) {
    if (a.text || b.text)
      return a.text && b.text && *a.text == *b.text;
    if (a.other || b.other)
      return a.other && b.other && *a.other == *b.other;
    return a.isBoolean == b.isBoolean && a.number == b.number;
  }

  static Maybe in64Bits(Wide number) {
    if (number != static_cast<int64_t>(number))
      return std::nullopt;
    return Value{number};
  }

  static Wide floorOf(Wide a, Wide b) {
    Wide quotient = a / b;
    if (quotient * b != a && (a < 0) != (b < 0))
      return quotient - 1;
    return quotient;
  }

  static Maybe compute(Kind kind, Wide a, Wide b) {
    bool divides =
        kind == Kind::floordiv || kind == Kind::ceildiv || kind == Kind::mod;
    if (divides && b == 0)
      return std::nullopt;
    switch (kind) {
    case Kind::add:
      return in64Bits(a + b);
    case Kind::subtract:
      return in64Bits(a - b);
    case Kind::multiply:
      return in64Bits(a * b);
    case Kind::floordiv:
      return in64Bits(floorOf(a, b));
    case Kind::ceildiv:
      return in64Bits(-floorOf(-a, b));
    case Kind::mod:
      b = b < 0 ? -b : b;
      return in64Bits(a - b * floorOf(a, b));
    case Kind::less:
      return truth(a < b);
    case Kind::lessEqual:
      return truth(a <= b);
    case Kind::greater:
      return truth(a > b);
    default:
      return truth(a >= b);
    }
  }

  static Maybe binary(const Expression &node, const Point &point) {
    Maybe a = valueOf(node.operands[0], point);
    Maybe b = valueOf(node.operands[1], point);
    if (!a || !b)
      return std::nullopt;
    if (node.kind == Kind::equal)
      return truth(agree(*a, *b));
    if (node.kind == Kind::notEqual)
      return truth(!agree(*a, *b));
    return compute(node.kind, a->number, b->number);
  }

  static Maybe valueOf(const Expression &node, const Point &point) {
    switch (node.kind) {
    case Kind::integer:
      return Value{node.number};
    case Kind::boolean:
      return truth(node.number != 0);
    case Kind::string:
      return Value{0, nullptr, &node.text};
    case Kind::knob:
      return fromJson(point.find(node.text)->second);
    case Kind::element:
      return fromJson(point.find(node.text)->second[node.number]);
    case Kind::negate: {
      Maybe value = valueOf(node.operands[0], point);
      return value ? in64Bits(-value->number) : value;
    }
    case Kind::logicalNot: {
      Maybe value = valueOf(node.operands[0], point);
      return value ? truth(value->number == 0) : value;
    }
    case Kind::conjunction:
    case Kind::disjunction:
      for (const Expression &operand : node.operands) {
        Maybe value = valueOf(operand, point);
        if (!value || (value->number != 0) == (node.kind == Kind::disjunction))
          return value;
      }
      return truth(node.kind == Kind::conjunction);
    case Kind::conditional: {
      Maybe value = valueOf(node.operands[0], point);
      return value ? valueOf(node.operands[value->number ? 1 : 2], point)
                   : value;
    }
    default:
      return binary(node, point);
    }
  }

  const Expression &root;
};

} // namespace tonno

#endif // TONNO_TEST_UNIT_CORE_NAIVECONSTRAINT_H

//===- The knobs and types of a constraint --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ConstraintTree.h"

#include <algorithm>
#include <iterator>
#include <limits>

using namespace tonno;
using namespace tonno::constraint;

namespace {

using Resolved = Result<Node, ConstraintError>;

/// Turns expressions into nodes, from the leaves upward.
class Resolver {
public:
  Resolver(std::string_view source, std::span<const Knob> knobs)
      : source(source), knobs(knobs) {}

  Resolved condition(const Expression &expression);

private:
  Resolved any(const Expression &expression);
  Resolved integer(const Expression &expression, const Expression &user);
  Resolved literal(const Expression &expression);
  Resolved knob(const Expression &expression);
  Resolved logical(const Expression &expression);
  Resolved arithmetic(const Expression &expression);
  Resolved equality(const Expression &expression);
  Resolved conditional(const Expression &expression);
  Resolved leaf(const Expression &expression, std::vector<Json> options);

  std::optional<ConstraintError> selectElements(const Expression &expression,
                                                std::vector<Json> &options);
  std::optional<ConstraintError> findTypo(const Node &literal,
                                          const Node &other) const;
  std::optional<ConstraintError> unify(Node &left, Node &right);
  std::optional<ConstraintError> useNumbers(Node &node);
  int64_t numberOf(const Json &value);

  std::string quote(size_t begin, size_t end) const;
  ConstraintError unknownKnob(const Expression &expression) const;
  ConstraintError noCondition(const Node &node) const;

  std::string_view source;
  std::span<const Knob> knobs;
  std::vector<Json> distinct; ///< what is only compared for equality
};

} // namespace

static Kinds kindOf(const Json &value) {
  if (value.is_boolean())
    return booleans;
  if (value.is_string())
    return strings;
  bool fits = value.is_number_integer() &&
              (!value.is_number_unsigned() || value.get<uint64_t>() >> 63 == 0);
  return fits ? integers : others;
}

static std::string describe(Kinds kinds) {
  constexpr std::pair<Kinds, const char *> words[] = {
      {integers, "an integer"},
      {booleans, "a boolean"},
      {strings, "a string"},
      {others, "a list or another attribute"}};
  std::string text;
  for (auto [kind, word] : words)
    if (kinds & kind)
      text += (text.empty() ? "" : " or ") + std::string(word);
  return text;
}

static std::string listNames(std::span<const Knob> knobs) {
  std::string list;
  for (const Knob &knob : knobs)
    list += (list.empty() ? "" : ", ") + quoteKnobName(knob.name);
  return list.empty() ? "none" : list;
}

std::string Resolver::quote(size_t begin, size_t end) const {
  return "`" + std::string(source.substr(begin, end - begin)) + "`";
}

ConstraintError Resolver::unknownKnob(const Expression &expression) const {
  return {"there is no knob " + quoteKnobName(expression.text) +
              "; the knobs are: " + listNames(knobs),
          expression.column()};
}

ConstraintError Resolver::noCondition(const Node &node) const {
  std::string text = quote(node.begin, node.end);
  std::string hint =
      node.kinds == integers ? "; compare it with one, as in `BM <= 64`" : "";
  return {"expected a condition, and " + text + " is " + describe(node.kinds) +
              hint,
          node.begin + 1};
}

/// A number that equal values share, within this constraint.
int64_t Resolver::numberOf(const Json &value) {
  auto found = std::find(distinct.begin(), distinct.end(), value);
  if (found == distinct.end())
    found = distinct.insert(found, value);
  return found - distinct.begin();
}

/// Of what is always an integer or always a boolean, and is to be compared with
/// what is not: numbers as of the others.
std::optional<ConstraintError> Resolver::useNumbers(Node &node) {
  if (node.kinds != integers && node.kinds != booleans)
    return std::nullopt; // it has them
  if (node.isLeaf() || node.kind == Kind::conditional)
    node.kinds |= numbered;
  if (node.isLeaf()) {
    for (size_t i = 0; i < node.options.size(); ++i)
      node.values[i] = numberOf(node.options[i]);
    return std::nullopt;
  }
  if (node.kind == Kind::conditional) {
    auto failure = useNumbers(node.operands[1]);
    return failure ? failure : useNumbers(node.operands[2]);
  }
  return ConstraintError{quote(node.begin, node.end) + " is " +
                             describe(node.kinds) +
                             ", and what it is compared with is not always one",
                         node.begin + 1};
}

Resolved Resolver::leaf(const Expression &expression,
                        std::vector<Json> options) {
  Node node;
  node.kind = expression.kind;
  node.begin = expression.begin;
  node.end = expression.end;
  node.kinds = 0;
  for (const Json &option : options)
    node.kinds |= kindOf(option);
  for (const Json &option : options)
    node.values.push_back(node.kinds == integers   ? option.get<int64_t>()
                          : node.kinds == booleans ? option.get<bool>()
                                                   : numberOf(option));
  node.options = std::move(options);
  return node;
}

Resolved Resolver::literal(const Expression &expression) {
  if (expression.kind == Kind::string)
    return leaf(expression, {expression.text});
  if (expression.kind == Kind::boolean)
    return leaf(expression, {expression.number != 0});
  return leaf(expression, {expression.number});
}

/// Replaces lists by their elements.
std::optional<ConstraintError>
Resolver::selectElements(const Expression &expression,
                         std::vector<Json> &options) {
  auto index = static_cast<uint64_t>(expression.number);
  std::string knob = quoteKnobName(expression.text);
  for (Json &option : options) {
    if (!option.is_array())
      return ConstraintError{"the option " + printed(option) + " of " + knob +
                                 " is no list",
                             expression.column()};
    if (index >= option.size())
      return ConstraintError{"the option " + printed(option) + " of " + knob +
                                 " has no element " + std::to_string(index) +
                                 ", counted from 0",
                             expression.column()};
    option = Json(option[index]);
  }
  return std::nullopt;
}

Resolved Resolver::knob(const Expression &expression) {
  auto found = std::find_if(knobs.begin(), knobs.end(), [&](const Knob &knob) {
    return knob.name == expression.text;
  });
  if (found == knobs.end())
    return unknownKnob(expression);
  std::vector<Json> options = found->options;
  if (expression.kind == Kind::element)
    if (auto failure = selectElements(expression, options))
      return *failure;
  Resolved node = leaf(expression, std::move(options));
  node->knobs = {static_cast<uint32_t>(found - knobs.begin())};
  return node;
}

static Node inner(const Expression &expression, Kinds kinds,
                  std::vector<Node> operands) {
  Node node;
  node.kind = expression.kind;
  node.begin = expression.begin;
  node.end = expression.end;
  node.kinds = kinds;
  for (const Node &operand : operands) {
    std::vector<uint32_t> all;
    std::set_union(node.knobs.begin(), node.knobs.end(), operand.knobs.begin(),
                   operand.knobs.end(), std::back_inserter(all));
    node.knobs = std::move(all);
  }
  node.operands = std::move(operands);
  return node;
}

Resolved Resolver::condition(const Expression &expression) {
  Resolved node = any(expression);
  if (node && !node->isCondition())
    return noCondition(*node);
  return node;
}

Resolved Resolver::integer(const Expression &expression,
                           const Expression &user) {
  Resolved node = any(expression);
  if (!node || node->kinds == integers)
    return node;
  return ConstraintError{"expected an integer, and " +
                             quote(node->begin, node->end) + " is " +
                             describe(node->kinds) +
                             (user.kind >= Kind::less
                                  ? "; such are only equal (`==`) or not (`!=`)"
                                  : ""),
                         node->begin + 1};
}

Resolved Resolver::logical(const Expression &expression) {
  std::vector<Node> operands;
  for (const Expression &each : expression.operands) {
    Resolved operand = condition(each);
    if (!operand)
      return operand;
    operands.push_back(*std::move(operand));
  }
  return inner(expression, booleans, std::move(operands));
}

Resolved Resolver::arithmetic(const Expression &expression) {
  std::vector<Node> operands;
  for (const Expression &each : expression.operands) {
    Resolved operand = integer(each, expression);
    if (!operand)
      return operand;
    operands.push_back(*std::move(operand));
  }
  bool isComparison = expression.kind >= Kind::less;
  return inner(expression, isComparison ? booleans : integers,
               std::move(operands));
}

/// A string that the other side never is, most likely misspelt.
std::optional<ConstraintError> Resolver::findTypo(const Node &literal,
                                                  const Node &other) const {
  if (literal.kind != Kind::string || !other.isLeaf() || other.knobs.empty() ||
      std::count(other.options.begin(), other.options.end(),
                 literal.options[0]))
    return std::nullopt;
  return ConstraintError{
      printed(literal.options[0]) + " is no option of " +
          quote(other.begin, other.end) +
          "; its options are: " + printed(Json(other.options)),
      literal.begin + 1};
}

/// Makes values comparable: numbers of the same meaning.
std::optional<ConstraintError> Resolver::unify(Node &left, Node &right) {
  if (left.kinds == right.kinds)
    return std::nullopt; // both are integers, booleans, or numbered
  auto failure = useNumbers(left);
  return failure ? failure : useNumbers(right);
}

Resolved Resolver::equality(const Expression &expression) {
  Resolved left = any(expression.operands[0]);
  if (!left)
    return left;
  Resolved right = any(expression.operands[1]);
  if (!right)
    return right;
  if (!(left->kinds & right->kinds & ~numbered))
    return ConstraintError{quote(left->begin, left->end) + " is " +
                               describe(left->kinds) + ", and " +
                               quote(right->begin, right->end) + " is " +
                               describe(right->kinds) + ": they never agree",
                           expression.column()};
  auto failure = findTypo(*left, *right);
  if (!failure)
    failure = findTypo(*right, *left);
  if (!failure)
    failure = unify(*left, *right);
  if (failure)
    return *failure;
  return inner(expression, booleans, {*std::move(left), *std::move(right)});
}

Resolved Resolver::conditional(const Expression &expression) {
  Resolved holds = condition(expression.operands[0]);
  if (!holds)
    return holds;
  Resolved then = any(expression.operands[1]);
  if (!then)
    return then;
  Resolved otherwise = any(expression.operands[2]);
  if (!otherwise)
    return otherwise;
  if (auto failure = unify(*then, *otherwise))
    return *failure;
  Kinds kinds = then->kinds | otherwise->kinds;
  return inner(expression, kinds,
               {*std::move(holds), *std::move(then), *std::move(otherwise)});
}

Resolved Resolver::any(const Expression &expression) {
  switch (expression.kind) {
  case Kind::integer:
  case Kind::boolean:
  case Kind::string:
    return literal(expression);
  case Kind::knob:
  case Kind::element:
    return knob(expression);
  case Kind::logicalNot:
  case Kind::conjunction:
  case Kind::disjunction:
    return logical(expression);
  case Kind::equal:
  case Kind::notEqual:
    return equality(expression);
  case Kind::conditional:
    return conditional(expression);
  default:
    return arithmetic(expression);
  }
}

Resolved constraint::resolve(const Constraint &constraint,
                             std::span<const Knob> knobs) {
  return Resolver(constraint.text(), knobs).condition(constraint.expression());
}

uint64_t constraint::countCombinations(std::span<const uint32_t> of,
                                       std::span<const Knob> knobs) {
  uint64_t count = 1;
  for (uint32_t knob : of)
    if (__builtin_mul_overflow(count, knobs[knob].options.size(), &count))
      return std::numeric_limits<uint64_t>::max();
  return count;
}

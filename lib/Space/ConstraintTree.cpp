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

/// Turns expressions into nodes, from the leaves upward. Throws a
/// ConstraintError at the first that has no meaning.
class Resolver {
public:
  Resolver(std::string_view source, std::span<const Knob> knobs,
           std::span<const Dimension> dimensions)
      : source(source), knobs(knobs), dimensions(dimensions) {}

  Node condition(const Expression &expression);

private:
  Node any(const Expression &expression);
  Node integer(const Expression &expression, const Expression &user);
  Node literal(const Expression &expression);
  Node name(const Expression &expression);
  Node knob(const Expression &expression, size_t index);
  Node dimension(const Expression &expression, const Dimension &dimension);
  Node logical(const Expression &expression);
  Node arithmetic(const Expression &expression);
  Node equality(const Expression &expression);
  Node conditional(const Expression &expression);
  Node leaf(const Expression &expression, std::vector<Json> options);

  void selectElements(const Expression &expression, std::vector<Json> &options);
  void refuseTypo(const Node &literal, const Node &other) const;
  void unify(Node &left, Node &right);
  void useNumbers(Node &node);
  int64_t getValueNumber(const Json &value);

  std::string quote(const Node &node) const;
  ConstraintError unknownName(const Expression &expression) const;
  ConstraintError noCondition(const Node &node) const;

  std::string_view source;
  std::span<const Knob> knobs;
  std::span<const Dimension> dimensions;
  std::vector<Json> distinct; ///< what is only compared for equality
};

} // namespace

static Kinds classifyOption(const Json &value) {
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

/// Returns the names of knobs or dimensions as a constraint has them.
template <typename Named>
static std::string listNames(std::span<const Named> all) {
  std::string list;
  for (const Named &each : all)
    list += (list.empty() ? "" : ", ") + quoteKnobName(each.name);
  return list.empty() ? "none" : list;
}

std::string Resolver::quote(const Node &node) const {
  return "`" + std::string(source.substr(node.begin, node.end - node.begin)) +
         "`";
}

ConstraintError Resolver::unknownName(const Expression &expression) const {
  std::string name = quoteKnobName(expression.text);
  std::string known = "the knobs are: " + listNames(knobs);
  if (dimensions.empty())
    return {"there is no knob " + name + "; " + known, expression.column()};
  return {"there is no knob or dimension " + name + "; " + known +
              "; the dimensions are: " + listNames(dimensions),
          expression.column()};
}

ConstraintError Resolver::noCondition(const Node &node) const {
  std::string hint =
      node.kinds == integers ? "; compare it with one, as in `BM <= 64`" : "";
  return {"expected a condition, and " + quote(node) + " is " +
              describe(node.kinds) + hint,
          node.begin + 1};
}

/// Returns a number that equal values share, within this constraint.
int64_t Resolver::getValueNumber(const Json &value) {
  auto found = std::find(distinct.begin(), distinct.end(), value);
  if (found == distinct.end())
    found = distinct.insert(found, value);
  return found - distinct.begin();
}

/// Replaces the values of a node that is always an integer or always a boolean
/// by numbers that equal values share, so that it can be compared with nodes of
/// mixed kinds.
void Resolver::useNumbers(Node &node) {
  if (node.kinds != integers && node.kinds != booleans)
    return; // it has them
  if (!node.isLeaf() && node.kind != Kind::conditional)
    throw ConstraintError{
        quote(node) + " is " + describe(node.kinds) +
            ", and what it is compared with is not always one",
        node.begin + 1};
  node.kinds |= numbered;
  for (size_t i = 0; i < node.options.size(); ++i)
    node.values[i] = getValueNumber(node.options[i]);
  for (size_t i = 1; i < node.operands.size(); ++i)
    useNumbers(node.operands[i]); // but not the condition
}

Node Resolver::leaf(const Expression &expression, std::vector<Json> options) {
  Node node;
  node.kind = expression.kind;
  node.begin = expression.begin;
  node.end = expression.end;
  node.kinds = 0;
  for (const Json &option : options)
    node.kinds |= classifyOption(option);
  for (const Json &option : options)
    node.values.push_back(node.kinds == integers   ? option.get<int64_t>()
                          : node.kinds == booleans ? option.get<bool>()
                                                   : getValueNumber(option));
  node.options = std::move(options);
  return node;
}

Node Resolver::literal(const Expression &expression) {
  if (expression.kind == Kind::string)
    return leaf(expression, {expression.text});
  if (expression.kind == Kind::boolean)
    return leaf(expression, {expression.number != 0});
  return leaf(expression, {expression.number});
}

/// Replaces lists by their elements.
void Resolver::selectElements(const Expression &expression,
                              std::vector<Json> &options) {
  auto index = static_cast<uint64_t>(expression.number);
  std::string knob = quoteKnobName(expression.text);
  for (Json &option : options) {
    bool isList = option.is_array();
    if (!isList || index >= option.size())
      throw ConstraintError{"the option " + printed(option) + " of " + knob +
                                (isList ? " has no element " +
                                              std::to_string(index) +
                                              ", counted from 0"
                                        : " is not a list"),
                            expression.column()};
    option = Json(option[index]);
  }
}

Node Resolver::name(const Expression &expression) {
  auto isNamed = [&](const auto &each) { return each.name == expression.text; };
  auto knob = std::ranges::find_if(knobs, isNamed);
  if (knob != knobs.end())
    return this->knob(expression, static_cast<size_t>(knob - knobs.begin()));
  auto dimension = std::ranges::find_if(dimensions, isNamed);
  if (dimension == dimensions.end())
    throw unknownName(expression);
  return this->dimension(expression, *dimension);
}

/// Returns the size of a dimension as a literal.
Node Resolver::dimension(const Expression &expression,
                         const Dimension &dimension) {
  if (expression.kind == Kind::element)
    throw ConstraintError{"dimension " + quoteKnobName(dimension.name) +
                              " is an integer, and has no elements",
                          expression.column()};
  Node node = leaf(expression, {dimension.size});
  node.kind = Kind::integer;
  return node;
}

Node Resolver::knob(const Expression &expression, size_t index) {
  std::vector<Json> options = knobs[index].options;
  if (expression.kind == Kind::element)
    selectElements(expression, options);
  Node node = leaf(expression, std::move(options));
  node.knobs = {static_cast<uint32_t>(index)};
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

Node Resolver::condition(const Expression &expression) {
  Node node = any(expression);
  if (!node.isCondition())
    throw noCondition(node);
  return node;
}

Node Resolver::integer(const Expression &expression, const Expression &user) {
  Node node = any(expression);
  if (node.kinds == integers)
    return node;
  throw ConstraintError{"expected an integer, and " + quote(node) + " is " +
                            describe(node.kinds) +
                            (user.kind >= Kind::less
                                 ? "; compare these only by `==` or `!=`"
                                 : ""),
                        node.begin + 1};
}

Node Resolver::logical(const Expression &expression) {
  std::vector<Node> operands;
  for (const Expression &each : expression.operands)
    operands.push_back(condition(each));
  return inner(expression, booleans, std::move(operands));
}

Node Resolver::arithmetic(const Expression &expression) {
  std::vector<Node> operands;
  for (const Expression &each : expression.operands)
    operands.push_back(integer(each, expression));
  bool isComparison = expression.kind >= Kind::less;
  return inner(expression, isComparison ? booleans : integers,
               std::move(operands));
}

/// Refuses a string that the other side never is, most likely misspelt.
void Resolver::refuseTypo(const Node &literal, const Node &other) const {
  if (literal.kind == Kind::string && other.isLeaf() && !other.knobs.empty() &&
      std::ranges::find(other.options, literal.options[0]) ==
          other.options.end())
    throw ConstraintError{
        printed(literal.options[0]) + " is not an option of " + quote(other) +
            "; its options are: " + printed(Json(other.options)),
        literal.begin + 1};
}

/// Makes values comparable: numbers of the same meaning.
void Resolver::unify(Node &left, Node &right) {
  if (left.kinds == right.kinds)
    return; // both are integers, booleans, or numbered
  useNumbers(left);
  useNumbers(right);
}

Node Resolver::equality(const Expression &expression) {
  Node left = any(expression.operands[0]);
  Node right = any(expression.operands[1]);
  if (!(left.kinds & right.kinds & ~numbered))
    throw ConstraintError{quote(left) + " is " + describe(left.kinds) +
                              ", and " + quote(right) + " is " +
                              describe(right.kinds) + ": they never agree",
                          expression.column()};
  refuseTypo(left, right);
  refuseTypo(right, left);
  unify(left, right);
  return inner(expression, booleans, {std::move(left), std::move(right)});
}

Node Resolver::conditional(const Expression &expression) {
  Node holds = condition(expression.operands[0]);
  Node then = any(expression.operands[1]);
  Node otherwise = any(expression.operands[2]);
  unify(then, otherwise);
  Kinds kinds = then.kinds | otherwise.kinds;
  return inner(expression, kinds,
               {std::move(holds), std::move(then), std::move(otherwise)});
}

Node Resolver::any(const Expression &expression) {
  switch (expression.kind) {
  case Kind::integer:
  case Kind::boolean:
  case Kind::string:
    return literal(expression);
  case Kind::knob:
  case Kind::element:
    return name(expression);
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

Result<Node, ConstraintError>
constraint::resolve(const Constraint &constraint, std::span<const Knob> knobs,
                    std::span<const Dimension> dimensions) {
  try {
    return Resolver(constraint.text(), knobs, dimensions)
        .condition(constraint.expression());
  } catch (const ConstraintError &error) {
    return error;
  }
}

uint64_t constraint::countCombinations(std::span<const uint32_t> of,
                                       std::span<const Knob> knobs) {
  uint64_t count = 1;
  for (uint32_t knob : of)
    if (__builtin_mul_overflow(count, knobs[knob].options.size(), &count))
      return std::numeric_limits<uint64_t>::max();
  return count;
}

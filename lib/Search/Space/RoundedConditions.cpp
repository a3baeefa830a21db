//===- Conditions on sums, weakened ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RoundedConditions.h"

#include "tonno/Core/ConstraintArithmetic.h"
#include "tonno/Core/ConstraintProgram.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

using namespace tonno;
using constraint::Kind;
using constraint::Node;

namespace {

/// What is added up: of one knob by option, of more by combination.
struct Term {
  std::vector<uint32_t> knobs;
  std::vector<int64_t> values;
  Node node; ///< of more than one knob

  bool operator<(const Term &other) const {
    return std::tie(knobs, values) < std::tie(other.knobs, other.values);
  }
  int64_t low() const { return *std::ranges::min_element(values); }
  int64_t high() const { return *std::ranges::max_element(values); }
};

/// A condition as: sum of terms, compared with a bound.
class ComparedSum {
public:
  /// None where the condition is something else.
  static std::optional<ComparedSum> of(const Node &condition,
                                       std::span<const Knob> knobs);

  const std::vector<Term> &terms() const { return all; }
  /// How many options its knobs have.
  double options(std::span<const Knob> knobs) const;
  /// With at most so many sums; none where it has no more anyway.
  std::optional<Node> rounded(double sums) const;

private:
  bool collect(const Node &node, bool isNegative, std::span<const Knob> knobs);
  bool addTerm(const Node &node, bool isNegative, std::span<const Knob> knobs);
  void turn();
  Node roundedDown(int64_t unit) const;
  Node remainders(int64_t divisor) const;
  template <typename Round>
  Node sumOf(Kind kind, int64_t by, Round round) const;

  Kind kind = Kind::equal;
  std::vector<Term> all;
  int64_t bound = 0;
};

} // namespace

static Node literal(int64_t value) {
  Node node;
  node.values = {value};
  return node;
}

static Node inner(Kind kind, Node left, Node right) {
  Node node;
  node.kind = kind;
  node.kinds =
      kind >= Kind::equal ? constraint::booleans : constraint::integers;
  std::ranges::set_union(left.knobs, right.knobs,
                         std::back_inserter(node.knobs));
  node.operands.push_back(std::move(left));
  node.operands.push_back(std::move(right));
  return node;
}

bool ComparedSum::addTerm(const Node &node, bool isNegative,
                          std::span<const Knob> knobs) {
  constexpr uint64_t mostCombinations = 4096;
  uint64_t count = constraint::countCombinations(node.knobs, knobs);
  if (count > mostCombinations)
    return false;
  Term term = {node.knobs, {}, {}};
  std::vector<uint32_t> options(knobs.size());
  for (; count > 0; --count) {
    std::optional<int64_t> value = constraint::evaluate(node, options.data());
    constexpr int64_t most = int64_t(1) << 48;
    if (!value || *value > most || *value < -most)
      return false;
    term.values.push_back(isNegative ? -*value : *value);
    for (uint32_t knob : node.knobs) {
      if (++options[knob] < knobs[knob].options.size())
        break;
      options[knob] = 0;
    }
  }
  if (node.knobs.empty()) {
    bound -= term.values[0];
    return true;
  }
  if (node.knobs.size() > 1)
    term.node = isNegative ? inner(Kind::subtract, literal(0), node) : node;
  auto same = std::ranges::find(all, term.knobs, &Term::knobs);
  if (same == all.end() || node.knobs.size() > 1) {
    all.push_back(std::move(term));
    return true;
  }
  for (size_t i = 0; i < term.values.size(); ++i)
    same->values[i] += term.values[i];
  return true;
}

bool ComparedSum::collect(const Node &node, bool isNegative,
                          std::span<const Knob> knobs) {
  if (node.kind == Kind::negate)
    return collect(node.operands[0], !isNegative, knobs);
  if (node.kind != Kind::add && node.kind != Kind::subtract)
    return addTerm(node, isNegative, knobs);
  return collect(node.operands[0], isNegative, knobs) &&
         collect(node.operands[1], isNegative != (node.kind == Kind::subtract),
                 knobs);
}

/// Compares its negative, so that `a - b <= 1` and `b - a >= 2` have one sum.
void ComparedSum::turn() {
  for (Term &term : all) {
    for (int64_t &value : term.values)
      value = -value;
    if (term.knobs.size() > 1)
      term.node = inner(Kind::subtract, literal(0), std::move(term.node));
  }
  bound = -bound;
  if (kind != Kind::equal)
    kind = kind == Kind::lessEqual ? Kind::greaterEqual : Kind::lessEqual;
}

std::optional<ComparedSum> ComparedSum::of(const Node &condition,
                                           std::span<const Knob> knobs) {
  constexpr size_t fewestTerms = 3, mostTerms = 1024;
  if (condition.kind < Kind::equal || condition.kind > Kind::greaterEqual ||
      condition.kind == Kind::notEqual ||
      condition.operands[0].kinds != constraint::integers ||
      condition.operands[1].kinds != constraint::integers)
    return std::nullopt;
  ComparedSum sum;
  if (!sum.collect(condition.operands[0], false, knobs) ||
      !sum.collect(condition.operands[1], true, knobs) ||
      sum.all.size() < fewestTerms || sum.all.size() > mostTerms)
    return std::nullopt;
  sum.kind = condition.kind;
  if (sum.kind == Kind::less || sum.kind == Kind::greater) {
    sum.bound += sum.kind == Kind::less ? -1 : 1;
    sum.kind = sum.kind == Kind::less ? Kind::lessEqual : Kind::greaterEqual;
  }
  std::ranges::sort(sum.all, {}, &Term::knobs);
  const std::vector<int64_t> &first = sum.all[0].values;
  if (first.back() < first.front())
    sum.turn();
  return sum;
}

double ComparedSum::options(std::span<const Knob> knobs) const {
  std::set<uint32_t> distinct;
  for (const Term &term : all)
    distinct.insert(term.knobs.begin(), term.knobs.end());
  double count = 0;
  for (uint32_t knob : distinct)
    count += static_cast<double>(knobs[knob].options.size());
  return count;
}

/// The sum of the terms, each rounded.
template <typename Round>
Node ComparedSum::sumOf(Kind operation, int64_t by, Round round) const {
  std::optional<Node> sum;
  for (const Term &term : all) {
    Node node;
    if (term.knobs.size() == 1) {
      node.kind = Kind::knob;
      node.knobs = term.knobs;
      for (int64_t value : term.values) {
        int64_t rounded = 0;
        round(value, by, rounded);
        node.values.push_back(rounded);
      }
    } else {
      node = inner(operation, term.node, literal(by));
    }
    sum = sum ? inner(Kind::add, *std::move(sum), std::move(node))
              : std::move(node);
  }
  return *std::move(sum);
}

Node ComparedSum::roundedDown(int64_t unit) const {
  int64_t lost = 0; // at most, by rounding
  for (const Term &term : all) {
    int64_t most = 0;
    for (int64_t value : term.values) {
      int64_t rest = 0;
      constraint::remainder(value, unit, rest);
      most = std::max(most, rest);
    }
    lost += most;
  }
  int64_t units = 0;
  if (kind == Kind::lessEqual)
    constraint::floorDivide(bound, unit, units);
  else
    constraint::ceilDivide(bound - lost, unit, units);
  return inner(kind, sumOf(Kind::floordiv, unit, constraint::floorDivide),
               literal(units));
}

Node ComparedSum::remainders(int64_t divisor) const {
  int64_t rest = 0;
  constraint::remainder(bound, divisor, rest);
  Node sum = sumOf(Kind::mod, divisor, constraint::remainder);
  return inner(Kind::equal, inner(Kind::mod, std::move(sum), literal(divisor)),
               literal(rest));
}

static int64_t primeUpTo(int64_t most) {
  auto isPrime = [](int64_t number) {
    for (int64_t divisor = 2; divisor * divisor <= number; ++divisor)
      if (number % divisor == 0)
        return false;
    return true;
  };
  while (!isPrime(most))
    --most;
  return most;
}

std::optional<Node> ComparedSum::rounded(double sums) const {
  double range = 1;
  for (const Term &term : all)
    range += static_cast<double>(term.high() - term.low());
  if (range <= sums || sums < 8)
    return std::nullopt;
  if (kind == Kind::equal)
    return remainders(primeUpTo(static_cast<int64_t>(sums)));
  return roundedDown(static_cast<int64_t>(std::ceil(range / sums)));
}

RoundedConditions::RoundedConditions(std::span<const Node *const> conditions,
                                     std::span<const Knob> knobs,
                                     double mostOptions) {
  std::vector<ComparedSum> sums;
  std::set<std::vector<Term>> distinct;
  double options = 1; // at most, of the knobs of one
  for (const Node *condition : conditions)
    if (auto sum = ComparedSum::of(*condition, knobs)) {
      distinct.insert(sum->terms());
      options = std::max(options, sum->options(knobs));
      sums.push_back(*std::move(sum));
    }
  // Of several sums the remainders multiply.
  double each = std::pow(std::max(1.0, mostOptions / options),
                         1 / static_cast<double>(distinct.size()));
  for (const ComparedSum &sum : sums)
    if (std::optional<Node> node = sum.rounded(each)) {
      codes.push_back(ConstraintProgram::compile(*node, knobs));
      rounded.emplace_back(*node, codes.back(), knobs);
    }
}

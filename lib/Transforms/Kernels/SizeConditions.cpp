//===- Constraints over sizes as IR ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/SizeConditions.h"
#include "tonno/Space/Expression.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <limits>

using namespace mlir;
using namespace tonno;
using constraint::Expression;
using constraint::Kind;

namespace {

/// An index or an i1.
struct Term {
  Value value;
  int64_t least = 0; ///< of an index
};

class ConditionWriter {
public:
  ConditionWriter(ImplicitLocOpBuilder &builder, const Json &values,
                  function_ref<Value(StringRef)> findSize)
      : builder(builder), values(values), findSize(findSize) {}

  Result<Term> write(const Expression &expression) {
    switch (expression.kind) {
    case Kind::integer:
    case Kind::boolean:
    case Kind::string:
    case Kind::element:
      return writeLiteral(*findLiteral(expression));
    case Kind::knob:
      if (Value size = findSize(expression.text))
        return Term{size};
      return writeLiteral(*findLiteral(expression));
    case Kind::conjunction:
    case Kind::disjunction:
      return writeJunction(expression);
    case Kind::logicalNot: {
      Term operand = TONNO_TRY(write(expression.operands.front()));
      return Term{builder.createOrFold<arith::XOrIOp>(operand.value,
                                                      createBool(true).value)};
    }
    case Kind::conditional:
      return writeConditional(expression);
    case Kind::negate: {
      Term operand = TONNO_TRY(write(expression.operands.front()));
      return Term{
          builder.createOrFold<arith::SubIOp>(constant(0).value, operand.value),
          unknown};
    }
    case Kind::add:
    case Kind::subtract:
    case Kind::multiply:
      return writeSum(expression);
    case Kind::floordiv:
    case Kind::ceildiv:
    case Kind::mod:
      return writeQuotient(expression);
    default:
      return writeComparison(expression);
    }
  }

private:
  static constexpr int64_t unknown = std::numeric_limits<int64_t>::min();

  Term constant(int64_t number) {
    return {arith::ConstantIndexOp::create(builder, number), number};
  }

  Term createBool(bool holds) {
    return {arith::ConstantOp::create(builder, builder.getBoolAttr(holds))};
  }

  /// Returns the value of a literal, a knob or an element of one; none of an
  /// expression that depends on sizes.
  std::optional<Json> findLiteral(const Expression &expression) const {
    if (expression.kind == Kind::integer)
      return Json(expression.number);
    if (expression.kind == Kind::boolean)
      return Json(expression.number != 0);
    if (expression.kind == Kind::string)
      return Json(expression.text);
    bool isElement = expression.kind == Kind::element;
    if (!isElement && expression.kind != Kind::knob)
      return std::nullopt;
    auto found = values.find(expression.text);
    if (found == values.end())
      return std::nullopt;
    return isElement ? found->at(static_cast<size_t>(expression.number))
                     : *found;
  }

  Result<Term> writeLiteral(const Json &value) {
    if (value.is_boolean())
      return createBool(value.get<bool>());
    if (value.is_number_integer())
      return constant(value.get<int64_t>());
    return Error{"has the value " + value.dump() + " outside of a comparison"};
  }

  /// Writes `and` and `or` from left to right, up to the term that decides.
  Result<Term> writeJunction(const Expression &expression) {
    bool isAnd = expression.kind == Kind::conjunction;
    Value all;
    for (const Expression &operand : expression.operands) {
      Value term = TONNO_TRY(write(operand)).value;
      if (!all)
        all = term;
      else if (isAnd)
        all = builder.createOrFold<arith::AndIOp>(all, term);
      else
        all = builder.createOrFold<arith::OrIOp>(all, term);
      if (auto known = getConstantIntValue(all);
          known && (*known != 0) != isAnd)
        break;
    }
    return Term{all};
  }

  Result<Term> writeConditional(const Expression &expression) {
    Value condition = TONNO_TRY(write(expression.operands[0])).value;
    if (auto holds = getConstantIntValue(condition))
      return write(expression.operands[*holds ? 1 : 2]);
    Value then = TONNO_TRY(write(expression.operands[1])).value,
          otherwise = TONNO_TRY(write(expression.operands[2])).value;
    // Plans of launches have no numbers that depend on conditions.
    if (isa<IndexType>(then.getType()))
      return Error{"chooses between numbers by a size"};
    return Term{
        builder.createOrFold<arith::SelectOp>(condition, then, otherwise)};
  }

  Result<Term> writeSum(const Expression &expression) {
    Term left = TONNO_TRY(write(expression.operands[0])),
         right = TONNO_TRY(write(expression.operands[1]));
    bool isKnown = left.least != unknown && right.least != unknown;
    if (expression.kind == Kind::subtract) {
      auto number = getConstantIntValue(right.value);
      return Term{builder.createOrFold<arith::SubIOp>(left.value, right.value),
                  isKnown && number ? left.least - *number : unknown};
    }
    if (expression.kind == Kind::add)
      return Term{builder.createOrFold<arith::AddIOp>(left.value, right.value),
                  isKnown ? left.least + right.least : unknown};
    return Term{builder.createOrFold<arith::MulIOp>(left.value, right.value),
                left.least >= 0 && right.least >= 0 ? 0 : unknown};
  }

  Result<Term> writeQuotient(const Expression &expression) {
    Term left = TONNO_TRY(write(expression.operands[0])),
         right = TONNO_TRY(write(expression.operands[1]));
    auto divisor = getConstantIntValue(right.value);
    if (!divisor || *divisor <= 0)
      return Error{"divides by a size, or by a number below 1"};
    bool isMod = expression.kind == Kind::mod,
         isUp = expression.kind == Kind::ceildiv;
    if (auto number = getConstantIntValue(left.value))
      return constant(isMod  ? llvm::mod(*number, *divisor)
                      : isUp ? llvm::divideCeilSigned(*number, *divisor)
                             : llvm::divideFloorSigned(*number, *divisor));
    if (left.least < 0)
      return Error{"divides what may be negative"};
    if (isMod)
      return Term{arith::RemUIOp::create(builder, left.value, right.value)};
    if (isUp)
      left.value = builder.createOrFold<arith::AddIOp>(
          left.value, constant(*divisor - 1).value);
    return Term{arith::DivUIOp::create(builder, left.value, right.value)};
  }

  Result<Term> writeComparison(const Expression &expression) {
    const Expression &first = expression.operands[0],
                     &second = expression.operands[1];
    auto left = findLiteral(first), right = findLiteral(second);
    if (left && right &&
        (expression.kind == Kind::equal || expression.kind == Kind::notEqual))
      return createBool((*left == *right) == (expression.kind == Kind::equal));
    Value low = TONNO_TRY(write(first)).value,
          high = TONNO_TRY(write(second)).value;
    return Term{builder.createOrFold<arith::CmpIOp>(
        getPredicate(expression.kind), low, high)};
  }

  static arith::CmpIPredicate getPredicate(Kind kind) {
    switch (kind) {
    case Kind::equal:
      return arith::CmpIPredicate::eq;
    case Kind::notEqual:
      return arith::CmpIPredicate::ne;
    case Kind::less:
      return arith::CmpIPredicate::slt;
    case Kind::lessEqual:
      return arith::CmpIPredicate::sle;
    case Kind::greater:
      return arith::CmpIPredicate::sgt;
    default:
      return arith::CmpIPredicate::sge;
    }
  }

  ImplicitLocOpBuilder &builder;
  const Json &values;
  function_ref<Value(StringRef)> findSize;
};

} // namespace

Result<Value>
tonno::writeSizeCondition(ImplicitLocOpBuilder &builder,
                          const Constraint &constraint, const Json &values,
                          function_ref<Value(StringRef)> findSize) {
  ConditionWriter writer(builder, values, findSize);
  auto term = writer.write(constraint.expression());
  if (!term)
    return Error{"constraint \"" + constraint.text() + "\" " +
                 term.error().message +
                 ", which a kernel that dispatches cannot test"};
  return term->value;
}

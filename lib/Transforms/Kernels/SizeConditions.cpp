//===- Constraints over sizes as IR ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/SizeConditions.h"
#include "tonno/Space/Expression.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tonno;
using constraint::Expression;
using constraint::Kind;

namespace {

/// An index or an i1.
struct Term {
  Value value;
  bool isNonNegative = false; ///< an index that is known to be
};

class ConditionWriter {
public:
  ConditionWriter(ImplicitLocOpBuilder &builder, const Json &values,
                  function_ref<Value(StringRef)> findSize)
      : builder(builder), values(values), findSize(findSize) {}

  Result<Term> write(const Expression &expression) {
    switch (expression.kind) {
    case Kind::integer:
      return constant(expression.number);
    case Kind::boolean:
      return truth(expression.number != 0);
    case Kind::knob:
      if (Value size = findSize(expression.text))
        return Term{size, /*isNonNegative=*/true};
      [[fallthrough]];
    case Kind::element:
      return writeLiteral(*findLiteral(expression));
    case Kind::conjunction:
    case Kind::disjunction:
      return writeJunction(expression);
    case Kind::logicalNot: {
      Term operand = TONNO_TRY(write(expression.operands.front()));
      return Term{builder.createOrFold<arith::XOrIOp>(operand.value,
                                                      truth(true).value)};
    }
    case Kind::conditional:
      return writeConditional(expression);
    case Kind::negate: {
      Term operand = TONNO_TRY(write(expression.operands.front()));
      return Term{builder.createOrFold<arith::SubIOp>(constant(0).value,
                                                      operand.value)};
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
  Term constant(int64_t number) {
    return {arith::ConstantIndexOp::create(builder, number), number >= 0};
  }

  Term truth(bool holds) {
    return {arith::ConstantOp::create(builder, builder.getBoolAttr(holds))};
  }

  /// Returns the value of a literal, a knob or an element of one; none of an
  /// expression that depends on sizes.
  std::optional<Json> findLiteral(const Expression &expression) const {
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
      return truth(value.get<bool>());
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
    Term then = TONNO_TRY(write(expression.operands[1])),
         otherwise = TONNO_TRY(write(expression.operands[2]));
    if (isa<IndexType>(then.value.getType()))
      return Term{arith::SelectOp::create(builder, condition, then.value,
                                          otherwise.value),
                  then.isNonNegative && otherwise.isNonNegative};
    // Plans of launches take these, and no select.
    Value isOther =
        arith::XOrIOp::create(builder, condition, truth(true).value);
    return Term{builder.createOrFold<arith::OrIOp>(
        builder.createOrFold<arith::AndIOp>(condition, then.value),
        builder.createOrFold<arith::AndIOp>(isOther, otherwise.value))};
  }

  Result<Term> writeSum(const Expression &expression) {
    Term left = TONNO_TRY(write(expression.operands[0])),
         right = TONNO_TRY(write(expression.operands[1]));
    if (expression.kind == Kind::subtract)
      return Term{builder.createOrFold<arith::SubIOp>(left.value, right.value)};
    bool isNonNegative = left.isNonNegative && right.isNonNegative;
    return expression.kind == Kind::add
               ? Term{builder.createOrFold<arith::AddIOp>(left.value,
                                                          right.value),
                      isNonNegative}
               : Term{builder.createOrFold<arith::MulIOp>(left.value,
                                                          right.value),
                      isNonNegative};
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
    if (!left.isNonNegative)
      return Error{"divides a difference"};
    if (isMod)
      return Term{arith::RemUIOp::create(builder, left.value, right.value),
                  true};
    if (isUp)
      left.value = builder.createOrFold<arith::AddIOp>(
          left.value, constant(*divisor - 1).value);
    return Term{arith::DivUIOp::create(builder, left.value, right.value), true};
  }

  Result<Term> writeComparison(const Expression &expression) {
    const Expression &first = expression.operands[0],
                     &second = expression.operands[1];
    auto left = findLiteral(first), right = findLiteral(second);
    if (left && right &&
        (expression.kind == Kind::equal || expression.kind == Kind::notEqual))
      return truth((*left == *right) == (expression.kind == Kind::equal));
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

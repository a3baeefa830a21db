//===- Constraints of transform schedules ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Walks.h"
#include "tonno/Space/Constraint.h"
#include "Knobs/OpKnobs.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "mlir/Dialect/SMT/IR/SMTOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"

#include <limits>

using namespace mlir;
using namespace tonno;

namespace {
using Number = std::optional<int64_t>;
using Numbers = ArrayRef<int64_t>;
} // namespace

static Number ofAttribute(Attribute attribute) {
  auto integer = dyn_cast_if_present<IntegerAttr>(attribute);
  if (!integer || integer.getValue().getSignificantBits() > 64)
    return std::nullopt;
  return integer.getType().isInteger(1) ? integer.getValue().getZExtValue()
                                        : integer.getValue().getSExtValue();
}

static Number ofParam(Value param) {
  Operation *op = param.getDefiningOp();
  if (auto knob = dyn_cast_if_present<transform::tune::KnobOp>(op))
    return ofAttribute(knob.getSelectedAttr());
  if (auto constant = dyn_cast_if_present<transform::ParamConstantOp>(op))
    return ofAttribute(constant.getValue());
  return std::nullopt;
}

static Number fold(Numbers values, Number (*combine)(int64_t, int64_t)) {
  Number result = values.front();
  for (int64_t value : values.drop_front())
    if (result)
      result = combine(*result, value);
  return result;
}

static Number modulo(int64_t a, int64_t b) {
  if (b == 0)
    return std::nullopt;
  if (b == -1) // whose quotient may not fit
    return 0;
  int64_t rest = a % b;
  return rest < 0 ? rest + (b < 0 ? -b : b) : rest;
}

static Number divide(int64_t a, int64_t b) {
  Number rest = modulo(a, b);
  if (!rest || (b == -1 && a == std::numeric_limits<int64_t>::min()))
    return std::nullopt;
  Number whole = llvm::checkedSub(a, *rest);
  return whole ? Number(*whole / b) : std::nullopt;
}

static bool compare(smt::IntPredicate predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case smt::IntPredicate::lt:
    return a < b;
  case smt::IntPredicate::le:
    return a <= b;
  case smt::IntPredicate::gt:
    return a > b;
  case smt::IntPredicate::ge:
    return a >= b;
  }
  llvm_unreachable("unknown predicate");
}

static bool areDistinct(Numbers values) {
  SmallVector<int64_t> sorted(values);
  llvm::sort(sorted);
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

static Number ofOp(Operation *op, Numbers v) {
  return llvm::TypeSwitch<Operation *, Number>(op)
      .Case([&](smt::IntConstantOp constant) {
        return ofAttribute(constant.getValueAttr());
      })
      .Case([&](smt::BoolConstantOp constant) {
        return Number(constant.getValue());
      })
      .Case([&](smt::IntAddOp) { return fold(v, llvm::checkedAdd<int64_t>); })
      .Case([&](smt::IntMulOp) { return fold(v, llvm::checkedMul<int64_t>); })
      .Case([&](smt::IntSubOp) { return llvm::checkedSub(v[0], v[1]); })
      .Case([&](smt::IntModOp) { return modulo(v[0], v[1]); })
      .Case([&](smt::IntDivOp) { return divide(v[0], v[1]); })
      .Case([&](smt::IntAbsOp) {
        return v[0] < 0 ? llvm::checkedSub<int64_t>(0, v[0]) : Number(v[0]);
      })
      .Case([&](smt::IntCmpOp cmp) {
        return Number(compare(cmp.getPred(), v[0], v[1]));
      })
      .Case([&](smt::EqOp) { return Number(llvm::all_equal(v)); })
      .Case([&](smt::DistinctOp) { return Number(areDistinct(v)); })
      .Case([&](smt::NotOp) { return Number(!v[0]); })
      .Case([&](smt::AndOp) {
        return Number(llvm::all_of(v, [](int64_t x) { return x; }));
      })
      .Case([&](smt::OrOp) {
        return Number(llvm::any_of(v, [](int64_t x) { return x; }));
      })
      .Case([&](smt::XOrOp) {
        return Number(llvm::count_if(v, [](int64_t x) { return x; }) % 2);
      })
      .Case([&](smt::ImpliesOp) { return Number(!v[0] || v[1]); })
      .Case([&](smt::IteOp) { return Number(v[0] ? v[1] : v[2]); })
      .Default([](Operation *) { return Number(); });
}

/// Returns the value of a term in a `transform.smt.constrain_params`, whose
/// parameters come from knobs with a selected option or from constants;
/// booleans are 0 and 1. None if the term depends on something else, divides by
/// zero, or leaves 64 bits. Division is SMT's: the remainder is never negative.
static std::optional<int64_t> evaluateParam(Value term) {
  if (auto argument = dyn_cast<BlockArgument>(term)) {
    auto op = dyn_cast<transform::smt::ConstrainParamsOp>(
        argument.getOwner()->getParentOp());
    return op ? ofParam(op.getParams()[argument.getArgNumber()]) : std::nullopt;
  }
  SmallVector<int64_t> values;
  for (Value operand : term.getDefiningOp()->getOperands()) {
    Number value = evaluateParam(operand);
    if (!value)
      return std::nullopt;
    values.push_back(*value);
  }
  return ofOp(term.getDefiningOp(), values);
}

using transform::smt::ConstrainParamsOp;

static InFlightDiagnostic refuse(Operation *op) {
  return op->emitOpError() << "cannot be written as a constraint over knobs; ";
}

namespace {

/// Writes SMT values as constraint text.
class Writer {
public:
  FailureOr<std::string> write(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto op = cast<ConstrainParamsOp>(argument.getOwner()->getParentOp());
      return writeParam(op.getParams()[argument.getArgNumber()], op);
    }
    return writeOp(value.getDefiningOp());
  }

private:
  FailureOr<std::string> writeParam(Value param, Operation *user) {
    if (auto argument = dyn_cast<BlockArgument>(param))
      return writeSequenceArgument(argument, user);
    Operation *op = param.getDefiningOp();
    if (auto knob = dyn_cast<transform::tune::KnobOp>(op))
      return quoteKnobName(knob.getName().str());
    if (auto constant = dyn_cast<transform::ParamConstantOp>(op)) {
      auto integer = dyn_cast<IntegerAttr>(constant.getValue());
      if (!integer)
        return refuse(user) << "a constant operand is neither integer nor "
                               "boolean";
      if (integer.getType().isInteger(1))
        return std::string(integer.getValue().isZero() ? "false" : "true");
      SmallString<24> digits;
      integer.getValue().toStringSigned(digits);
      return ("(" + digits + ")").str();
    }
    if (auto other = dyn_cast<ConstrainParamsOp>(op))
      return write(other.getBody().front().getTerminator()->getOperand(
          cast<OpResult>(param).getResultNumber()));
    return refuse(user) << "an operand comes from '" << op->getName()
                        << "', not from a transform.tune.knob";
  }

  FailureOr<std::string> writeSequenceArgument(BlockArgument argument,
                                               Operation *user) {
    auto sequence = dyn_cast<transform::NamedSequenceOp>(
        argument.getOwner()->getParentOp());
    if (!sequence)
      return refuse(user)
             << "the operand does not come from a transform.tune.knob";
    std::optional<SymbolTable::UseRange> uses =
        SymbolTable::getSymbolUses(sequence, sequence->getParentOp());
    SmallVector<transform::IncludeOp> includes;
    if (uses)
      for (SymbolTable::SymbolUse use : *uses)
        if (auto include = dyn_cast<transform::IncludeOp>(use.getUser()))
          includes.push_back(include);
    if (includes.size() != 1)
      return refuse(user) << "the operand is an argument of @"
                          << sequence.getSymName() << ", which is included "
                          << includes.size()
                          << " times, not once; constrain the parameters where "
                             "it is included";
    return writeParam(includes.front().getOperands()[argument.getArgNumber()],
                      user);
  }

  FailureOr<std::string> writeOp(Operation *op) {
    ValueRange operands = op->getOperands();
    return llvm::TypeSwitch<Operation *, FailureOr<std::string>>(op)
        .Case([&](smt::IntConstantOp constant) -> FailureOr<std::string> {
          APInt value = constant.getValue();
          if (!value.isSignedIntN(64))
            return refuse(op) << "the constant does not fit into 64 bits";
          SmallString<24> digits;
          value.toStringSigned(digits);
          return value.isNegative() ? ("(" + digits + ")").str()
                                    : digits.str().str();
        })
        .Case([&](smt::BoolConstantOp constant) {
          return std::string(constant.getValue() ? "true" : "false");
        })
        .Case([&](smt::IntAddOp) { return join(operands, " + "); })
        .Case([&](smt::IntMulOp) { return join(operands, " * "); })
        .Case([&](smt::IntSubOp) { return format("$0 - $1", operands); })
        .Case([&](smt::IntModOp) { return format("$0 mod $1", operands); })
        .Case([&](smt::IntDivOp) {
          // Subtracts the remainder, which is never negative, so that the
          // division is exact.
          return format("($0 - ($0 mod $1)) floordiv $1", operands);
        })
        .Case([&](smt::IntAbsOp) {
          return format("if $0 < 0 then -$0 else $0", operands);
        })
        .Case([&](smt::IntCmpOp cmp) {
          constexpr StringLiteral patterns[] = {"$0 < $1", "$0 <= $1",
                                                "$0 > $1", "$0 >= $1"};
          return format(patterns[static_cast<unsigned>(cmp.getPred())],
                        operands);
        })
        .Case([&](smt::EqOp) { return chain(operands, "==", false); })
        .Case([&](smt::DistinctOp) { return chain(operands, "!=", true); })
        .Case([&](smt::NotOp) { return format("not $0", operands); })
        .Case([&](smt::AndOp) { return join(operands, " and "); })
        .Case([&](smt::OrOp) { return join(operands, " or "); })
        .Case([&](smt::XOrOp) -> FailureOr<std::string> {
          if (operands.size() != 2)
            return refuse(op) << "write the op with two operands";
          return format("$0 != $1", operands);
        })
        .Case([&](smt::ImpliesOp) { return format("not $0 or $1", operands); })
        .Case([&](smt::IteOp) {
          return format("if $0 then $1 else $2", operands);
        })
        .Default([&](Operation *) -> FailureOr<std::string> {
          return refuse(op)
                 << "only integers, booleans and their operations can";
        });
  }

  FailureOr<std::string> join(ValueRange values, StringRef infix) {
    std::string result;
    for (Value value : values) {
      FailureOr<std::string> text = write(value);
      if (failed(text))
        return failure();
      result += (result.empty() ? "" : infix.str()) + *text;
    }
    return "(" + result + ")";
  }

  /// Returns the comparison of each value with the next, or with all that
  /// follow.
  FailureOr<std::string> chain(ValueRange values, StringRef comparison,
                               bool allPairs) {
    std::string result;
    for (size_t i = 0; i + 1 < values.size(); ++i)
      for (size_t j = i + 1; j < (allPairs ? values.size() : i + 2); ++j) {
        FailureOr<std::string> text =
            format(("$0 " + comparison + " $1").str(), {values[i], values[j]});
        if (failed(text))
          return failure();
        result += (result.empty() ? "" : " and ") + *text;
      }
    return "(" + (result.empty() ? "true" : result) + ")";
  }

  /// Fills $0, $1, ... of a pattern.
  FailureOr<std::string> format(StringRef pattern, ValueRange values) {
    SmallVector<std::string> texts;
    for (Value value : values) {
      FailureOr<std::string> text = write(value);
      if (failed(text))
        return failure();
      texts.push_back(std::move(*text));
    }
    std::string result;
    for (size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] == '$')
        result += texts[pattern[++i] - '0'];
      else
        result += pattern[i];
    }
    return "(" + result + ")";
  }
};

} // namespace

FailureOr<SmallVector<std::string>>
tonno::extractConstraintTexts(ConstrainParamsOp op) {
  SmallVector<std::string> texts;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (auto assertion = dyn_cast<smt::AssertOp>(inner)) {
      FailureOr<std::string> text = Writer().write(assertion.getInput());
      if (failed(text))
        return failure();
      texts.push_back(std::move(*text));
    } else if (inner.getNumResults() == 0) {
      return refuse(&inner) << "only smt.assert states a condition";
    }
  }
  return texts;
}

/// Returns the parameter or constant that replaces a result of the op.
static FailureOr<Value> createResultReplacement(OpBuilder &builder,
                                                ConstrainParamsOp op,
                                                OpResult result) {
  Operation *yield = op.getBody().front().getTerminator();
  Value yielded = yield->getOperand(result.getResultNumber());
  if (auto argument = dyn_cast<BlockArgument>(yielded))
    return Value(op.getParams()[argument.getArgNumber()]);
  std::optional<int64_t> value = evaluateParam(yielded);
  if (!value)
    return op.emitOpError()
           << "computes a parameter from values that are unknown before the "
              "schedule is interpreted; compute it with transform.param ops";
  Attribute attribute = isa<smt::BoolType>(yielded.getType())
                            ? Attribute(builder.getBoolAttr(*value != 0))
                            : builder.getI64IntegerAttr(*value);
  return Value(transform::ParamConstantOp::create(builder, op.getLoc(),
                                                  result.getType(), attribute));
}

LogicalResult tonno::eraseParamConstraints(Operation *root) {
  for (auto op : collectOps<ConstrainParamsOp>(root)) {
    OpBuilder builder(op);
    for (OpResult result : op->getResults()) {
      if (result.use_empty())
        continue;
      FailureOr<Value> value = createResultReplacement(builder, op, result);
      if (failed(value))
        return failure();
      result.replaceAllUsesWith(*value);
    }
    op.erase();
  }
  return success();
}

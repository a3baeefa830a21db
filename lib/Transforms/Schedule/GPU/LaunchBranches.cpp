//===- Branches that choose launches --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/LaunchBranches.h"
#include "Schedule/KernelSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tonno;

namespace {

/// An expression of sizes that is 0, or at least 0.
struct SizeCondition {
  AffineExpr value;
  bool isZero = false;
};

/// Conditions that all hold.
using Case = SmallVector<SizeCondition>;

} // namespace

/// Splits an expression into one without and its constant.
static std::pair<AffineExpr, int64_t> splitConstant(AffineExpr value) {
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(value);
      sum && sum.getKind() == AffineExprKind::Add)
    if (auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS()))
      return {sum.getLHS(), constant.getValue()};
  if (auto constant = dyn_cast<AffineConstantExpr>(value))
    return {getAffineConstantExpr(0, value.getContext()), constant.getValue()};
  return {value, 0};
}

/// Adds a condition, the tighter one of two that differ by a constant. Returns
/// false if no sizes meet it together with the others.
static bool addCondition(Case &conditions, SizeCondition added) {
  auto [base, constant] = splitConstant(added.value);
  if (isa<AffineConstantExpr>(base))
    return added.isZero ? constant == 0 : constant >= 0;
  for (SizeCondition &known : conditions) {
    auto [other, bound] = splitConstant(known.value);
    if (known.isZero || added.isZero)
      continue;
    if (other == base) {
      if (constant < bound)
        known = added;
      return true;
    }
    if (other == base * -1 && constant + bound < 0)
      return false;
  }
  conditions.push_back(added);
  return true;
}

static SmallVector<Case> join(ArrayRef<Case> some, ArrayRef<Case> others) {
  SmallVector<Case> all;
  for (const Case &one : some)
    for (const Case &other : others) {
      Case both = one;
      if (llvm::all_of(other, [&](const SizeCondition &condition) {
            return addCondition(both, condition);
          }))
        all.push_back(std::move(both));
    }
  return all;
}

namespace {

/// Finds the sizes at which conditions hold.
class ConditionFinder {
public:
  explicit ConditionFinder(func::FuncOp kernel) : sizes(kernel) {}

  /// Returns the cases in which a condition is `holds`.
  FailureOr<SmallVector<Case>> find(Value condition, bool holds) const {
    if (auto constant = getConstantIntValue(condition))
      return (*constant != 0) == holds ? SmallVector<Case>{Case()}
                                       : SmallVector<Case>();
    if (auto choice = findChoice(condition))
      return findChosen(*choice,
                        [&](Value value) { return find(value, holds); });
    Operation *op = condition.getDefiningOp();
    if (auto compared = dyn_cast_if_present<arith::CmpIOp>(op)) {
      arith::CmpIPredicate predicate = compared.getPredicate();
      return compare(holds ? predicate : arith::invertPredicate(predicate),
                     compared.getLhs(), compared.getRhs());
    }
    if (auto negated = dyn_cast_if_present<arith::XOrIOp>(op);
        negated && matchPattern(negated.getRhs(), m_One()))
      return find(negated.getLhs(), !holds);
    if (!isa_and_present<arith::AndIOp, arith::OrIOp>(op))
      return failure();
    Value left = op->getOperand(0), right = op->getOperand(1);
    // A disjunction holds where one of its parts does, a conjunction does not
    // where one of its parts does not.
    bool isEither = isa<arith::OrIOp>(op) == holds;
    auto one = find(left, holds), other = find(right, holds);
    if (failed(one) || failed(other))
      return failure();
    if (!isEither)
      return join(*one, *other);
    auto without = find(left, !holds);
    if (failed(without))
      return failure();
    llvm::append_range(*one, join(*without, *other));
    return one;
  }

private:
  /// A value that is one of two.
  struct Choice {
    Value condition, yes, no;
  };
  static std::optional<Choice> findChoice(Value value) {
    if (auto select = value.getDefiningOp<arith::SelectOp>())
      return Choice{select.getCondition(), select.getTrueValue(),
                    select.getFalseValue()};
    auto branch = value.getDefiningOp<scf::IfOp>();
    if (!branch)
      return std::nullopt;
    unsigned number = cast<OpResult>(value).getResultNumber();
    return Choice{branch.getCondition(), branch.thenYield().getOperand(number),
                  branch.elseYield().getOperand(number)};
  }

  using Finder = function_ref<FailureOr<SmallVector<Case>>(Value)>;
  FailureOr<SmallVector<Case>> findChosen(const Choice &choice,
                                          Finder ofValue) const {
    SmallVector<Case> all;
    for (bool isYes : {true, false}) {
      auto reaches = find(choice.condition, isYes);
      auto chosen = ofValue(isYes ? choice.yes : choice.no);
      if (failed(reaches) || failed(chosen))
        return failure();
      llvm::append_range(all, join(*reaches, *chosen));
    }
    return all;
  }

  FailureOr<SmallVector<Case>> compare(arith::CmpIPredicate predicate,
                                       Value left, Value right) const {
    if (auto choice = findChoice(left))
      return findChosen(*choice, [&](Value value) {
        return compare(predicate, value, right);
      });
    if (auto choice = findChoice(right))
      return findChosen(*choice, [&](Value value) {
        return compare(predicate, left, value);
      });
    AffineExpr one = sizes.express(left), other = sizes.express(right);
    if (!one || !other)
      return failure();
    auto single = [&](AffineExpr value, bool isZero) {
      value = simplifyAffineExpr(value, 0, sizes.count());
      Case added;
      return addCondition(added, {value, isZero}) ? SmallVector<Case>{added}
                                                  : SmallVector<Case>();
    };
    auto atLeast = [&](AffineExpr more, AffineExpr less) {
      return single(more - less, /*isZero=*/false);
    };
    using enum arith::CmpIPredicate;
    switch (predicate) { // sizes are not negative
    case slt:
    case ult:
      return atLeast(other, one + 1);
    case sle:
    case ule:
      return atLeast(other, one);
    case sgt:
    case ugt:
      return atLeast(one, other + 1);
    case sge:
    case uge:
      return atLeast(one, other);
    case eq:
      return single(one - other, /*isZero=*/true);
    case ne: {
      SmallVector<Case> either = atLeast(other, one + 1);
      llvm::append_range(either, atLeast(one, other + 1));
      return either;
    }
    }
    llvm_unreachable("unknown predicate");
  }

  KernelSizes sizes;
};

} // namespace

bool tonno::isLaunchBranch(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  auto kernel = op->getParentOfType<func::FuncOp>();
  return branch && branch.getNumResults() == 0 && kernel &&
         succeeded(ConditionFinder(kernel).find(branch.getCondition(), true));
}

static void addLaunchBlocks(Block &block, SmallVectorImpl<Block *> &blocks) {
  blocks.push_back(&block);
  for (Operation &op : block)
    if (isLaunchBranch(&op))
      for (Region &region : op.getRegions())
        for (Block &nested : region)
          addLaunchBlocks(nested, blocks);
}

SmallVector<Block *> tonno::findLaunchBlocks(func::FuncOp kernel) {
  SmallVector<Block *> blocks;
  addLaunchBlocks(kernel.getBody().front(), blocks);
  return blocks;
}

FailureOr<SmallVector<IntegerSet>> tonno::findReachingSizes(Operation *op) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  ConditionFinder finder(kernel);
  SmallVector<Case> cases = {Case()};
  for (; op->getParentOp() != kernel; op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    if (!branch)
      return failure();
    bool isThen = op->getParentRegion() == &branch.getThenRegion();
    auto own = finder.find(branch.getCondition(), isThen);
    if (failed(own))
      return failure();
    cases = join(*own, cases);
  }
  unsigned count = KernelSizes(kernel).count();
  SmallVector<IntegerSet> sets;
  for (const Case &one : cases) {
    // A set has one condition at least.
    SmallVector<AffineExpr> values = {
        getAffineConstantExpr(0, kernel.getContext())};
    SmallVector<bool> areZero = {true};
    if (!one.empty()) {
      values = llvm::map_to_vector(
          one, [](const SizeCondition &condition) { return condition.value; });
      areZero = llvm::map_to_vector(
          one, [](const SizeCondition &condition) { return condition.isZero; });
    }
    sets.push_back(IntegerSet::get(0, count, values, areZero));
  }
  return sets;
}

//===- Branches that choose launches --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/LaunchBranches.h"
#include "Schedule/KernelSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace tonno;

namespace {

constexpr int64_t unboundedBelow = std::numeric_limits<int64_t>::min(),
                  unboundedAbove = std::numeric_limits<int64_t>::max();

/// Bounds of an expression of sizes that has no constant of its own.
struct Interval {
  AffineExpr value;
  int64_t low = unboundedBelow, high = unboundedAbove;
};

/// Bounds that hold together.
using Conjunction = SmallVector<Interval>;

/// Conjunctions of which one holds.
using Disjunction = SmallVector<Conjunction>;

} // namespace

/// More are no branches of a dispatch.
static constexpr size_t mostConjunctions = 1024;

/// Adds bounds. Returns false if no sizes meet them together with the others.
static bool addInterval(Conjunction &all, const Interval &added) {
  auto *known = llvm::find_if(
      all, [&](const Interval &one) { return one.value == added.value; });
  if (known == all.end()) {
    all.push_back(added);
    known = &all.back();
  }
  known->low = std::max(known->low, added.low);
  known->high = std::min(known->high, added.high);
  return known->low <= known->high;
}

static Disjunction conjoin(ArrayRef<Conjunction> some,
                           ArrayRef<Conjunction> others) {
  Disjunction all;
  for (const Conjunction &one : some)
    for (const Conjunction &other : others) {
      Conjunction both = one;
      if (llvm::all_of(other, [&](const Interval &interval) {
            return addInterval(both, interval);
          }))
        all.push_back(std::move(both));
    }
  return all;
}

/// Returns the expression without its constant, and that.
static std::pair<AffineExpr, int64_t> splitConstant(AffineExpr value) {
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(value);
      sum && sum.getKind() == AffineExprKind::Add)
    if (auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS()))
      return {sum.getLHS(), constant.getValue()};
  return {value, 0};
}

static bool isNegated(AffineExpr value) {
  auto product = dyn_cast<AffineBinaryOpExpr>(value);
  auto factor = product ? dyn_cast<AffineConstantExpr>(product.getRHS())
                        : AffineConstantExpr();
  return product && product.getKind() == AffineExprKind::Mul && factor &&
         factor.getValue() == -1;
}

/// Returns the bounds of `low <= value <= high`.
static Disjunction bound(AffineExpr value, int64_t low, int64_t high) {
  if (isNegated(value)) {
    int64_t below = high == unboundedAbove ? unboundedBelow : -high,
            above = low == unboundedBelow ? unboundedAbove : -low;
    return bound(value * -1, below, above);
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(value)) {
    bool holds = low <= constant.getValue() && constant.getValue() <= high;
    return holds ? Disjunction{Conjunction()} : Disjunction();
  }
  Interval interval{value};
  if (isNonNegative(value))
    interval.low = 0;
  Conjunction single;
  bool isPossible =
      addInterval(single, interval) && addInterval(single, {value, low, high});
  return isPossible ? Disjunction{single} : Disjunction();
}

namespace {

/// Finds the sizes at which conditions hold.
class ConditionFinder {
public:
  explicit ConditionFinder(func::FuncOp kernel) : sizes(kernel) {}

  /// Returns the sizes at which a condition is `holds`. Fails if it depends on
  /// others.
  FailureOr<Disjunction> find(Value condition, bool holds) const {
    auto found = findAny(condition, holds);
    if (succeeded(found) && found->size() > mostConjunctions)
      return failure();
    return found;
  }

private:
  FailureOr<Disjunction> findAny(Value condition, bool holds) const {
    if (auto constant = getConstantIntValue(condition))
      return (*constant != 0) == holds ? Disjunction{Conjunction()}
                                       : Disjunction();
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
      return conjoin(*one, *other);
    auto without = find(left, !holds);
    if (failed(without))
      return failure();
    llvm::append_range(*one, conjoin(*without, *other));
    return one;
  }

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

  using Finder = function_ref<FailureOr<Disjunction>(Value)>;
  FailureOr<Disjunction> findChosen(const Choice &choice,
                                    Finder ofValue) const {
    Disjunction all;
    for (bool isYes : {true, false}) {
      auto reaches = find(choice.condition, isYes);
      auto chosen = ofValue(isYes ? choice.yes : choice.no);
      if (failed(reaches) || failed(chosen))
        return failure();
      llvm::append_range(all, conjoin(*reaches, *chosen));
    }
    return all;
  }

  FailureOr<Disjunction> compare(arith::CmpIPredicate predicate, Value left,
                                 Value right) const {
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
    // Unsigned, negative values would be the largest.
    using enum arith::CmpIPredicate;
    bool isUnsigned = llvm::is_contained({ult, ule, ugt, uge}, predicate);
    if (isUnsigned && !(isNonNegative(one) && isNonNegative(other)))
      return failure();
    auto [value, constant] =
        splitConstant(simplifyAffineExpr(one - other, 0, sizes.count()));
    int64_t equal = -constant;
    switch (predicate) {
    case slt:
    case ult:
      return bound(value, unboundedBelow, equal - 1);
    case sle:
    case ule:
      return bound(value, unboundedBelow, equal);
    case sgt:
    case ugt:
      return bound(value, equal + 1, unboundedAbove);
    case sge:
    case uge:
      return bound(value, equal, unboundedAbove);
    case eq:
      return bound(value, equal, equal);
    case ne: {
      Disjunction either = bound(value, unboundedBelow, equal - 1);
      llvm::append_range(either, bound(value, equal + 1, unboundedAbove));
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

static IntegerSet makeSet(const Conjunction &all, unsigned count,
                          MLIRContext *context) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> areEqualities;
  auto add = [&](AffineExpr constraint, bool isEquality) {
    constraints.push_back(constraint);
    areEqualities.push_back(isEquality);
  };
  for (const auto &[value, low, high] : all) {
    if (low == high) {
      add(value - low, true);
      continue;
    }
    if (low > (isNonNegative(value) ? 0 : unboundedBelow))
      add(value - low, false);
    if (high < unboundedAbove)
      add(value * -1 + high, false);
  }
  if (constraints.empty()) // a set has one at least
    add(getAffineConstantExpr(0, context), true);
  return IntegerSet::get(0, count, constraints, areEqualities);
}

FailureOr<SmallVector<IntegerSet>> tonno::findReachingSizes(Operation *op) {
  auto kernel = op->getParentOfType<func::FuncOp>();
  ConditionFinder finder(kernel);
  Disjunction reaching = {Conjunction()};
  for (; op->getParentOp() != kernel; op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op->getParentOp());
    if (!branch)
      return failure();
    bool isThen = op->getParentRegion() == &branch.getThenRegion();
    auto own = finder.find(branch.getCondition(), isThen);
    if (failed(own))
      return failure();
    reaching = conjoin(*own, reaching);
  }
  unsigned count = KernelSizes(kernel).count();
  return llvm::map_to_vector(reaching, [&](const Conjunction &all) {
    return makeSet(all, count, kernel.getContext());
  });
}

//===- Reference.cpp - What a kernel must compute -------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Backend/Compile.h"

#include "tonno/Backend/HostPipeline.h"
#include "tonno/Transforms/KernelSchedule.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tonno;

namespace {

/// The host backend without a schedule, for modules in f64.
class ReferenceBackend : public Backend {
public:
  explicit ReferenceBackend(std::unique_ptr<Backend> host)
      : host(std::move(host)) {}

  StringRef name() const override { return host->name(); }
  const Target &target() const override { return host->target(); }
  std::string fingerprint() const override {
    return "reference, " + host->fingerprint();
  }
  LogicalResult check(func::FuncOp kernel) const override {
    return host->check(kernel);
  }
  void buildPipeline(OpPassManager &pm, StringRef kernel) const override {
    buildPlainLoopsPipeline(pm, kernel);
  }
  FailureOr<std::string> emit(ModuleOp lowered, EmitKind kind) const override {
    return host->emit(lowered, kind);
  }

private:
  std::unique_ptr<Backend> host;
};

} // namespace

/// Whether a constant is, or is made of, integers or infinities.
static bool isIntegral(arith::ConstantOp constant) {
  auto integral = [](const APFloat &value) {
    return value.isInfinity() || value.isInteger();
  };
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    return integral(number.getValue());
  if (auto numbers = dyn_cast<DenseFPElementsAttr>(constant.getValue()))
    return llvm::all_of(numbers.getValues<APFloat>(), integral);
  return isa<IntegerAttr, DenseIntElementsAttr>(constant.getValue());
}

/// Whether an op makes integers of integers, without rounding; the bodies of
/// structured ops are walked as well. Conversions between floating-point types
/// are none: the reference, all in f64, has lost them. What is not known here
/// is taken to round.
static bool isExact(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isIntegral(constant);
  if (isa<linalg::LinalgDialect>(op->getDialect()))
    return isa<linalg::LinalgOp, linalg::YieldOp, linalg::IndexOp>(op);
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "func" || dialect == "scf" || dialect == "tensor")
    return true; // these only move values
  return isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp,
             arith::MulFOp, arith::MulIOp, arith::NegFOp, arith::MinimumFOp,
             arith::MinNumFOp, arith::MaximumFOp, arith::MaxNumFOp,
             arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp,
             arith::CmpFOp, arith::CmpIOp, arith::SelectOp, arith::ExtSIOp,
             arith::ExtUIOp, arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::FPToSIOp, arith::FPToUIOp, arith::IndexCastOp,
             arith::IndexCastUIOp, math::AbsFOp, math::AbsIOp>(op);
}

/// Whether a constant is, or is made of, finite numbers that are not negative.
static bool isNotNegative(arith::ConstantOp constant) {
  auto holds = [](const APFloat &value) {
    return value.isFinite() && !value.isNegative();
  };
  auto integerHolds = [](const APInt &value) { return !value.isNegative(); };
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    return holds(number.getValue());
  if (auto numbers = dyn_cast<DenseFPElementsAttr>(constant.getValue()))
    return llvm::all_of(numbers.getValues<APFloat>(), holds);
  if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
    return integerHolds(number.getValue());
  if (auto numbers = dyn_cast<DenseIntElementsAttr>(constant.getValue()))
    return llvm::all_of(numbers.getValues<APInt>(), integerHolds);
  return false;
}

/// Whether an exact op only moves, adds or multiplies, so that it grows with
/// the magnitudes of what it gets.
static bool isMonotonic(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isNotNegative(constant);
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "arith" || dialect == "math")
    return isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp>(op);
  return isExact(op);
}

static bool allOps(func::FuncOp kernel, bool (*holds)(Operation *)) {
  return !kernel
              .walk([&](Operation *op) {
                return holds(op) ? WalkResult::advance()
                                 : WalkResult::interrupt();
              })
              .wasInterrupted();
}

static uint64_t reductionLength(func::FuncOp kernel) {
  uint64_t longest = 1;
  kernel.walk([&](linalg::LinalgOp op) {
    SmallVector<unsigned> reductions;
    op.getReductionDims(reductions);
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    uint64_t length = 1;
    for (unsigned loop : reductions)
      length *= extents[loop];
    longest = std::max(longest, length);
  });
  return longest;
}

/// The narrowest type in which a reduction's sums are held.
static ElementType accumulator(func::FuncOp kernel) {
  unsigned width = 32;
  ElementType type = ElementType::f32;
  bool found = false;
  kernel.walk([&](linalg::LinalgOp op) {
    if (op.getNumReductionLoops() == 0)
      return;
    for (Value init : op.getDpsInits()) {
      auto element = dyn_cast<FloatType>(getElementTypeOrSelf(init.getType()));
      if (!element || (found && element.getWidth() >= width))
        continue;
      found = true;
      width = element.getWidth();
      type = element.isF64()    ? ElementType::f64
             : element.isF16()  ? ElementType::f16
             : element.isBF16() ? ElementType::bf16
                                : ElementType::f32;
    }
  });
  return type;
}

/// Makes the innermost loop walk along rows: a matrix product by the textbook's
/// order of loops takes the reference ten times as long.
static void interchangeForRows(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  SmallVector<linalg::LinalgOp> ops;
  kernel.walk([&](linalg::LinalgOp op) {
    SmallVector<unsigned> parallel;
    op.getParallelDims(parallel);
    if (op.getNumReductionLoops() == 0 || parallel.empty())
      return;
    AffineExpr last = rewriter.getAffineDimExpr(parallel.back());
    bool alongRows =
        llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
          AffineMap map = op.getMatchingIndexingMap(input);
          return map.getNumResults() && map.getResults().back() == last;
        });
    if (alongRows)
      ops.push_back(op);
  });
  for (linalg::LinalgOp op : ops) {
    SmallVector<unsigned> parallel, order;
    op.getParallelDims(parallel);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (loop != parallel.back())
        order.push_back(loop);
    order.push_back(parallel.back());
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      auto generalized = linalg::generalizeNamedOp(rewriter, op);
      if (failed(generalized))
        continue;
      generic = *generalized;
    }
    // An op that can't be interchanged is slower, not wrong.
    (void)linalg::interchangeGenericOp(rewriter, generic, order);
  }
}

FailureOr<Problem> tonno::compileReference(ModuleOp module, StringRef kernel) {
  Result<std::unique_ptr<Backend>> host = createBackend("host", "native");
  if (!host)
    return module.emitError() << host.error().message;
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  if (!function)
    return module.emitError() << "no function '" << kernel << "'";
  ReferenceBackend backend(std::move(*host));
  if (failed(backend.check(function)))
    return failure();

  Problem problem;
  problem.reductionLength = reductionLength(function);
  problem.exact = allOps(function, isExact);
  problem.sumsOfProducts = problem.exact && allOps(function, isMonotonic);
  problem.accumulator = accumulator(function);

  OwningOpRef<ModuleOp> clone = module.clone();
  eraseSchedules(*clone);
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(createPromoteToF64Pass());
  if (failed(pm.run(*clone)))
    return failure();
  interchangeForRows(clone->lookupSymbol<func::FuncOp>(kernel));
  FailureOr<Artifact> reference = compileCandidate(backend, *clone, kernel);
  if (failed(reference))
    return failure();
  problem.reference = std::move(*reference);
  return problem;
}

//===- Functions with static types ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Specializer.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tonno;

/// Returns the type with this shape; of a memref, with the strides and the
/// offset of a dense buffer where they are dynamic.
static Type withShape(ShapedType type, ArrayRef<int64_t> shape) {
  auto memory = dyn_cast<MemRefType>(type);
  if (!memory || memory.getLayout().isIdentity())
    return type.clone(shape);
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(memory.getStridesAndOffset(strides, offset)))
    return type.clone(shape);
  int64_t dense = 1;
  for (size_t i = strides.size(); i-- > 0;) {
    if (ShapedType::isDynamic(strides[i]))
      strides[i] = dense;
    dense = strides[i] * shape[i];
  }
  if (ShapedType::isDynamic(offset))
    offset = 0;
  auto layout = StridedLayoutAttr::get(type.getContext(), offset, strides);
  return MemRefType::get(shape, memory.getElementType(), layout,
                         memory.getMemorySpace());
}

SmallVector<Type>
tonno::specializeArguments(func::FuncOp kernel,
                           const DynamicDimensions &dimensions,
                           ArrayRef<int64_t> sizes) {
  SmallVector<Type> types(kernel.getArgumentTypes());
  for (auto [type, argument] : llvm::zip_equal(types, kernel.getArguments())) {
    if (!isDynamic(type))
      continue;
    auto shaped = cast<ShapedType>(type);
    SmallVector<int64_t> shape(shaped.getShape());
    for (auto [axis, size] : llvm::enumerate(shape))
      if (auto dimension = dimensions.lookup(argument, axis))
        size = sizes[*dimension];
    type = withShape(shaped, shape);
  }
  return types;
}

static Value castTo(OpBuilder &builder, Location loc, Type type, Value value) {
  if (value.getType() == type)
    return value;
  if (isa<MemRefType>(type))
    return memref::CastOp::create(builder, loc, type, value);
  return tensor::CastOp::create(builder, loc, type, value);
}

/// Returns the value that a cast only makes less specific.
static Value findSpecific(Value value) {
  while (
      isa_and_nonnull<tensor::CastOp, memref::CastOp>(value.getDefiningOp()) &&
      isDynamic(value.getType()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

namespace {

/// Makes elementwise ops on tensors as specific as an operand is; of other ops,
/// canonicalization does:
///
///   %c = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
///   %r = math.exp %c : tensor<?xf32>
///
/// becomes
///
///   %s = math.exp %x : tensor<4xf32>
///   %r = tensor.cast %s : tensor<4xf32> to tensor<?xf32>
struct SpecializeElementwise : RewritePattern {
  explicit SpecializeElementwise(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
      return failure();
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type || type.hasStaticShape())
      return failure();
    SmallVector<int64_t> shape(type.getShape());
    for (Value operand : op->getOperands())
      if (auto known =
              dyn_cast<RankedTensorType>(findSpecific(operand).getType()))
        for (auto [size, other] : llvm::zip_equal(shape, known.getShape()))
          size = ShapedType::isDynamic(size) ? other : size;
    if (shape == type.getShape())
      return failure();
    Location loc = op->getLoc();
    Operation *specific = rewriter.clone(*op);
    rewriter.setInsertionPoint(specific);
    for (OpOperand &operand : specific->getOpOperands())
      if (auto given = dyn_cast<RankedTensorType>(operand.get().getType()))
        operand.set(castTo(rewriter, loc, given.clone(shape), operand.get()));
    specific->getResult(0).setType(type.clone(shape));
    rewriter.setInsertionPointAfter(specific);
    rewriter.replaceOp(op, castTo(rewriter, loc, type, specific->getResult(0)));
    return success();
  }
};

} // namespace

static FrozenRewritePatternSet makePatterns(MLIRContext *context) {
  RewritePatternSet patterns(context);
  for (Dialect *dialect : context->getLoadedDialects())
    dialect->getCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    op.getCanonicalizationPatterns(patterns, context);
  patterns.add<SpecializeElementwise>(context);
  memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
  return std::move(patterns);
}

Specializer::Specializer(MLIRContext *context)
    : patterns(makePatterns(context)) {}

LogicalResult Specializer::simplify(func::FuncOp function) {
  if (succeeded(applyPatternsGreedily(function, patterns)))
    return success();
  return function.emitError()
         << "@" << function.getSymName() << " cannot be simplified";
}

static void setArguments(func::FuncOp function, ArrayRef<Type> types) {
  Block &entry = function.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&entry);
  for (auto [argument, type] : llvm::zip_equal(entry.getArguments(), types)) {
    Type before = argument.getType();
    if (before == type)
      continue;
    argument.setType(type);
    Value old = castTo(builder, argument.getLoc(), before, argument);
    argument.replaceAllUsesExcept(old, old.getDefiningOp());
  }
  function.setFunctionType(
      builder.getFunctionType(types, function.getFunctionType().getResults()));
}

/// Gives each result the type that all returned values have.
static void setResults(func::FuncOp function) {
  SmallVector<func::ReturnOp> ends;
  function.walk([&](func::ReturnOp end) { ends.push_back(end); });
  SmallVector<Type> types(function.getResultTypes());
  for (auto [i, type] : llvm::enumerate(types)) {
    auto specific = [&](func::ReturnOp end) {
      return findSpecific(end.getOperand(i));
    };
    if (ends.empty() || llvm::any_of(ends, [&](func::ReturnOp end) {
          return specific(end).getType() != specific(ends.front()).getType();
        }))
      continue;
    type = specific(ends.front()).getType();
    for (func::ReturnOp end : ends)
      end.setOperand(i, specific(end));
  }
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.getArgumentTypes(), types));
  function.walk([](Operation *op) {
    if (isa<tensor::CastOp, memref::CastOp>(op) && op->use_empty())
      op->erase();
  });
}

/// Returns the first call with arguments that are more specific than its
/// function's; null if there is none.
static func::CallOp findCall(func::FuncOp function) {
  func::CallOp found;
  function.walk([&](func::CallOp call) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    bool isSpecific = llvm::any_of(call.getOperands(), [](Value operand) {
      return findSpecific(operand) != operand;
    });
    if (!isSpecific || !callee || callee.isExternal())
      return WalkResult::advance();
    found = call;
    return WalkResult::interrupt();
  });
  return found;
}

FailureOr<func::FuncOp> Specializer::getCopy(func::FuncOp callee,
                                             ArrayRef<Type> arguments) {
  auto isSame = [&](const Copies &each) { return each.original == callee; };
  auto *known = llvm::find_if(copies, isSame);
  if (known == copies.end()) {
    copies.push_back({callee, {}});
    known = &copies.back();
  }
  for (func::FuncOp copy : known->made)
    if (TypeRange(copy.getArgumentTypes()) == TypeRange(arguments))
      return copy;
  func::FuncOp copy = callee.clone();
  copy.setPrivate();
  SymbolTable(callee->getParentOp()).insert(copy);
  known->made.push_back(copy);
  if (failed(specialize(copy, arguments)))
    return failure();
  return copy;
}

LogicalResult Specializer::specializeCallees(func::FuncOp function) {
  while (func::CallOp call = findCall(function)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    SmallVector<Value> operands =
        llvm::map_to_vector(call.getOperands(), findSpecific);
    auto copy =
        getCopy(callee, llvm::to_vector<4>(ValueRange(operands).getTypes()));
    if (failed(copy))
      return failure();
    OpBuilder builder(call);
    auto specific =
        func::CallOp::create(builder, call.getLoc(), *copy, operands);
    specific->setDiscardableAttrs(call->getDiscardableAttrDictionary());
    for (auto [result, value] :
         llvm::zip_equal(call.getResults(), specific.getResults()))
      result.replaceAllUsesWith(
          castTo(builder, call.getLoc(), result.getType(), value));
    call.erase();
    if (failed(simplify(function)))
      return failure();
  }
  return success();
}

LogicalResult Specializer::specialize(func::FuncOp function,
                                      ArrayRef<Type> arguments) {
  setArguments(function, arguments);
  if (failed(simplify(function)) || failed(specializeCallees(function)))
    return failure();
  setResults(function);
  return success();
}

void Specializer::eraseUnused() {
  for (auto &[original, made] : copies) {
    Operation *module = original->getParentOp();
    if (!original.isPrivate() ||
        !SymbolTable::symbolKnownUseEmpty(original, module))
      continue;
    StringAttr name = original.getSymNameAttr();
    original.erase();
    if (made.size() == 1)
      (void)SymbolTable(module).rename(made.front(), name);
  }
}

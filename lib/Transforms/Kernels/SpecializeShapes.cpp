//===- Kernels for given sizes --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/SpecializeShapes.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/Shapes.h"
#include "tonno/Transforms/Passes.h"
#include "Kernels/DynamicDimensions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tonno {
#define GEN_PASS_DEF_SPECIALIZESHAPES
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

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

static bool isDynamic(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return false;
  auto memory = dyn_cast<MemRefType>(type);
  int64_t offset = 0;
  SmallVector<int64_t> strides;
  bool hasStrides =
      memory && succeeded(memory.getStridesAndOffset(strides, offset));
  return !shaped.hasStaticShape() ||
         (hasStrides && (ShapedType::isDynamic(offset) ||
                         llvm::any_of(strides, ShapedType::isDynamic)));
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

/// Makes functions static, each once.
class Specializer {
public:
  explicit Specializer(MLIRContext *context)
      : patterns(makePatterns(context)) {}

  /// Gives the function's arguments these types, and its ops and results those
  /// that follow.
  LogicalResult specialize(func::FuncOp function, ArrayRef<Type> arguments) {
    if (!done.insert(function).second) {
      if (TypeRange(function.getArgumentTypes()) == TypeRange(arguments))
        return success();
      return function.emitError()
             << "@" << function.getSymName()
             << " is called with arguments of different sizes; write a "
                "function for each";
    }
    setArguments(function, arguments);
    if (failed(simplify(function)) || failed(specializeCallees(function)))
      return failure();
    setResults(function);
    return success();
  }

private:
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

  LogicalResult simplify(func::FuncOp function) {
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
    function.setFunctionType(builder.getFunctionType(
        types, function.getFunctionType().getResults()));
  }

  /// Makes static the functions that are called with static arguments.
  LogicalResult specializeCallees(func::FuncOp function) {
    while (func::CallOp call = findCall(function)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      SmallVector<Value> operands =
          llvm::map_to_vector(call.getOperands(), findSpecific);
      if (failed(specialize(
              callee, llvm::to_vector<4>(ValueRange(operands).getTypes()))))
        return failure();
      OpBuilder builder(call);
      auto specific =
          func::CallOp::create(builder, call.getLoc(), callee, operands);
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

  FrozenRewritePatternSet patterns;
  llvm::DenseSet<Operation *> done;
};

} // namespace

/// Returns the size of a dimension, from the IR or by one of its names. One
/// that is alone has any name.
static FailureOr<int64_t> findSize(func::FuncOp kernel,
                                   const DynamicDimension &dimension,
                                   bool isAlone, ArrayRef<Dimension> sizes,
                                   llvm::StringSet<> &used) {
  std::optional<int64_t> size = dimension.size;
  StringRef name = dimension.names.front();
  bool hasAnyName = isAlone && sizes.size() == 1;
  for (const Dimension &given : sizes) {
    if (!hasAnyName && !llvm::is_contained(dimension.names, given.name))
      continue;
    used.insert(given.name);
    if (size && *size != given.size)
      return kernel.emitError()
             << "dimension \"" << name << "\" has size " << *size << ", not "
             << given.size << "; give it one size";
    size = given.size;
  }
  if (!size)
    return kernel.emitError()
           << "dimension \"" << name << "\" is dynamic, and has no size; add "
           << name << "=<size> to the shapes";
  return *size;
}

/// Returns the types of the kernel's arguments at the given sizes.
static FailureOr<SmallVector<Type>>
findArgumentTypes(func::FuncOp kernel, ArrayRef<DynamicDimension> dimensions,
                  ArrayRef<Dimension> sizes, llvm::StringSet<> &used) {
  SmallVector<SmallVector<int64_t>> shapes(kernel.getNumArguments());
  for (auto [shape, type] : llvm::zip_equal(shapes, kernel.getArgumentTypes()))
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      llvm::append_range(shape, shaped.getShape());
  for (const DynamicDimension &dimension : dimensions) {
    auto size =
        findSize(kernel, dimension, dimensions.size() == 1, sizes, used);
    if (failed(size))
      return failure();
    for (ArgumentAxis axis : dimension.axes)
      shapes[axis.argument][axis.axis] = *size;
  }
  SmallVector<Type> types(kernel.getArgumentTypes());
  for (auto [type, shape] : llvm::zip_equal(types, shapes))
    if (isDynamic(type))
      type = withShape(cast<ShapedType>(type), shape);
  return types;
}

/// Refuses sizes of dimensions that no kernel has.
static LogicalResult checkUsed(Location loc, ArrayRef<Dimension> sizes,
                               const llvm::StringSet<> &used,
                               ArrayRef<std::string> known) {
  for (const Dimension &size : sizes)
    if (!used.contains(size.name)) {
      InFlightDiagnostic error = emitError(loc)
                                 << "no dynamic dimension is named \""
                                 << size.name << "\"";
      if (!known.empty())
        error << "; the dimensions are: " << llvm::join(known, ", ");
      return error;
    }
  return success();
}

/// Makes the kernel static, and the function that is its reference.
static LogicalResult specializeKernel(Specializer &specializer,
                                      func::FuncOp kernel,
                                      ArrayRef<Type> arguments) {
  if (failed(specializer.specialize(kernel, arguments)))
    return failure();
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes()))
    if (isDynamic(type))
      return kernel.emitError()
             << "result " << i << " has type " << type
             << ", whose size does not follow from the arguments' sizes";
  auto name =
      kernel->getAttrOfType<FlatSymbolRefAttr>(TonnoDialect::kReference);
  auto reference =
      name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, name)
           : func::FuncOp();
  if (!reference || reference.isExternal() ||
      reference.getNumArguments() != arguments.size())
    return success(); // others refuse it
  return specializer.specialize(reference, arguments);
}

LogicalResult tonno::specializeShapes(ModuleOp module, StringRef kernel,
                                      ArrayRef<Dimension> sizes) {
  if (!kernel.empty() && !module.lookupSymbol<func::FuncOp>(kernel))
    return success(); // others refuse the name
  llvm::StringSet<> used;
  SmallVector<std::string> known;
  SmallVector<std::pair<func::FuncOp, SmallVector<Type>>> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isChosen =
        kernel.empty() ? function.isPublic() : function.getSymName() == kernel;
    if (!isChosen || function.isExternal())
      continue;
    auto dimensions = findDynamicDimensions(function);
    if (failed(dimensions))
      return failure();
    for (const DynamicDimension &dimension : *dimensions)
      for (const std::string &name : dimension.names)
        if (!llvm::is_contained(known, name))
          known.push_back(name);
    auto types = findArgumentTypes(function, *dimensions, sizes, used);
    if (failed(types))
      return failure();
    if (TypeRange(*types) != TypeRange(function.getArgumentTypes()))
      kernels.emplace_back(function, std::move(*types));
  }
  auto functions = module.getOps<func::FuncOp>();
  Location loc =
      functions.empty() ? module.getLoc() : (*functions.begin()).getLoc();
  if (failed(checkUsed(loc, sizes, used, known)))
    return failure();
  if (kernels.empty())
    return success();
  Specializer specializer(module.getContext());
  for (auto &[function, types] : kernels)
    if (failed(specializeKernel(specializer, function, types)))
      return failure();
  return success();
}

namespace {

struct SpecializeShapes : tonno::impl::SpecializeShapesBase<SpecializeShapes> {
  using SpecializeShapesBase::SpecializeShapesBase;

  void runOnOperation() override {
    Result<std::vector<Dimension>> sizes = std::vector<Dimension>();
    if (!shapes.empty())
      sizes = parseSizes(shapes.getValue());
    if (!sizes) {
      getOperation().emitError() << sizes.error().message;
      return signalPassFailure();
    }
    if (failed(specializeShapes(getOperation(), kernel.getValue(), *sizes)))
      signalPassFailure();
  }
};

} // namespace

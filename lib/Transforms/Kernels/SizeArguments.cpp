//===- Sizes as arguments -------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "Kernels/DynamicConfigurations.h"
#include "Kernels/Specializer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tonno {
#define GEN_PASS_DEF_SIZEARGUMENTS
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Sizes of dynamic dimensions for which default configurations are chosen.
static constexpr int64_t usualSize = 256, smallSize = 96;

/// Fewer rows than this have the configuration of `smallSize`: they do not pay
/// for packed operands.
static constexpr int64_t fewRows = 128;

/// Returns true if rows of the kernel share an operand, as in a matrix product.
static bool isSharingOperands(func::FuncOp kernel) {
  return anyOp(kernel, [](Operation *op) {
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    return loops && linalg::isaContractionOpInterface(loops);
  });
}

namespace {

/// Replaces a kernel by one that takes sizes.
class SizeTaker {
public:
  SizeTaker(func::FuncOp kernel, const DynamicDimensions &dimensions)
      : source(kernel), dimensions(dimensions),
        builder(kernel.getLoc(), kernel.getContext()) {}

  LogicalResult check() {
    if (!llvm::hasSingleElement(source.getBody()))
      return source.emitError() << "kernels of dynamic shapes need one block";
    for (BlockArgument argument : source.getArguments()) {
      auto memory = dyn_cast<MemRefType>(argument.getType());
      if (memory && isDynamic(memory) &&
          (!memory.getLayout().isIdentity() || memory.getMemorySpace()))
        return source.emitError()
               << "argument " << argument.getArgNumber() << " has type "
               << memory
               << "; with dynamic shapes, memrefs need the identity layout and "
                  "no memory space";
      if (failed(checkSizes(argument, source)))
        return failure();
    }
    for (Value value : getEnd().getOperands()) {
      if (!isa<RankedTensorType>(value.getType()))
        return getEnd().emitOpError() << "returns " << value.getType()
                                      << "; kernels of dynamic shapes return "
                                         "ranked tensors";
      if (failed(checkSizes(value, getEnd())))
        return failure();
    }
    return success();
  }

  /// Makes the kernel. Its ops have the usual configurations; for few rows, the
  /// kernel has them a second time with those for few, if there are any.
  void make(const std::optional<AddedConfigurations> &usual,
            const std::optional<AddedConfigurations> &few) {
    func::FuncOp kernel = createKernel();
    builder.setInsertionPointToStart(kernel.addEntryBlock());
    readSizes(kernel);
    func::ReturnOp::create(builder);
    builder.setInsertionPoint(kernel.getBody().front().getTerminator());
    if (few) {
      auto size = cast<Value>(sizes[*firstUnknown]);
      Value most = arith::ConstantIndexOp::create(builder, fewRows);
      Value isFew =
          arith::CmpIOp::create(builder, arith::CmpIPredicate::slt, size, most);
      auto branch = scf::IfOp::create(builder, isFew, /*withElseRegion=*/true);
      builder.setInsertionPointToStart(branch.thenBlock());
      // Passes need no analysis of branches to know it.
      AffineExpr bound = builder.getAffineConstantExpr(fewRows - 1);
      sizes[*firstUnknown] = affine::makeComposedFoldedAffineMin(
          builder, builder.getLoc(),
          AffineMap::get(0, 1, {builder.getAffineSymbolExpr(0), bound},
                         builder.getContext()),
          {size});
      compute(kernel, few);
      sizes[*firstUnknown] = size;
      builder.setInsertionPointToStart(branch.elseBlock());
    }
    compute(kernel, usual);
    source.erase();
  }

private:
  /// Computes the results, and writes them into their buffers.
  void compute(func::FuncOp kernel,
               const std::optional<AddedConfigurations> &configurations) {
    IRMapping values;
    for (auto [value, argument] :
         llvm::zip(source.getArguments(), kernel.getArguments()))
      values.map(value, readArgument(value, argument));
    computeBlock(source.getBody().front(), getEnd().getOperands(), kernel,
                 values);
    if (!configurations)
      return;
    size_t number = 0;
    source.walk([&](Operation *op) {
      if (DictionaryAttr config = configurations->ofOps[number++])
        setLoweringConfig(values.lookup(op), NamedAttrList(config));
    });
  }

  /// Computes a block, of whose values these are the results.
  void computeBlock(Block &block, ValueRange results, func::FuncOp kernel,
                    IRMapping &values) {
    for (Operation &op : block.without_terminator()) {
      auto branch = dyn_cast<scf::IfOp>(op);
      bool isLast = &op == block.getTerminator()->getPrevNode();
      if (branch && isLast && !results.empty() &&
          branch.getResults() == results)
        return computeBranches(branch, kernel, values);
      auto size = dyn_cast<tensor::DimOp>(op);
      auto known = size ? lookUpSize(size.getSource(), size.getConstantIndex())
                        : std::nullopt;
      if (known)
        values.map(size.getResult(), getValueOrCreateConstantIndexOp(
                                         builder, size.getLoc(), *known));
      else
        builder.clone(op, values);
    }
    unsigned first = source.getNumArguments();
    for (auto [i, value] : llvm::enumerate(results)) {
      auto write = bufferization::MaterializeInDestinationOp::create(
          builder, values.lookup(value),
          view(value, kernel.getArgument(first + i)));
      write.setRestrict(true);
      write.setWritable(true);
    }
  }

  /// Computes results in the branches that give them:
  ///
  ///   %r = scf.if %c -> tensor<?xf32> { scf.yield %a } else { scf.yield %b }
  ///   return %r
  ///
  /// becomes
  ///
  ///   scf.if %c { materialize_in_destination %a in %result }
  ///   else { materialize_in_destination %b in %result }
  void computeBranches(scf::IfOp branch, func::FuncOp kernel,
                       IRMapping &values) {
    auto copy = scf::IfOp::create(builder, values.lookup(branch.getCondition()),
                                  /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    for (auto [from, to] :
         llvm::zip_equal(branch.getRegions(), copy.getRegions())) {
      builder.setInsertionPointToStart(&to->front());
      computeBlock(from->front(), from->front().getTerminator()->getOperands(),
                   kernel, values);
    }
  }

  func::ReturnOp getEnd() {
    return cast<func::ReturnOp>(source.getBody().front().getTerminator());
  }

  LogicalResult checkSizes(Value value, Operation *op) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    for (int64_t axis = 0;
         shaped && shaped.hasRank() && axis < shaped.getRank(); ++axis)
      if (shaped.isDynamicDim(axis) && !dimensions.lookup(value, axis))
        return op->emitError()
               << "axis " << axis << " of a value of type " << shaped
               << " has a size that does not follow from the arguments' sizes; "
                  "give sizes by '--shapes=M=64'";
    return success();
  }

  /// Returns the type of a pointer to a buffer of any size, or of a buffer.
  static Type bufferType(Type type) {
    auto shaped = cast<ShapedType>(type);
    if (isDynamic(type))
      return MemRefType::get({1}, shaped.getElementType());
    return MemRefType::get(shaped.getShape(), shaped.getElementType());
  }

  /// Creates the kernel: it takes the arguments, buffers of results, and sizes.
  func::FuncOp createKernel() {
    SmallVector<Type> types;
    for (Type type : source.getArgumentTypes())
      types.push_back(isDynamic(type) ? bufferType(type) : type);
    for (Type type : source.getResultTypes())
      types.push_back(bufferType(type));
    for (const DynamicDimension &dimension : dimensions.all())
      if (!dimension.size)
        types.push_back(builder.getI64Type());
    builder.setInsertionPoint(source);
    auto name = source.getSymName().str();
    source.setSymName((name + ".any").c_str());
    source.setPrivate();
    auto kernel =
        func::FuncOp::create(builder, name, builder.getFunctionType(types, {}));
    kernel->setDiscardableAttrs(source->getDiscardableAttrDictionary());
    for (unsigned i = 0, e = source.getNumArguments(); i < e; ++i) {
      NamedAttrList attributes(source.getArgAttrDict(i));
      if (isDynamic(source.getArgumentTypes()[i])) {
        attributes.erase(TonnoDialect::kDims);
        attributes.erase(TonnoDialect::kConstant);
        attributes.set(TonnoDialect::kAlignment,
                       builder.getI64IntegerAttr(static_cast<int64_t>(
                           getArgumentAlignment(source, i))));
      }
      kernel.setArgAttrs(i, attributes);
    }
    unsigned first = source.getNumArguments() + source.getNumResults();
    kernel->setAttr(
        TonnoDialect::kSizes,
        builder.getI64IntegerAttr(static_cast<int64_t>(types.size()) - first));
    for (unsigned i = first; i < types.size(); ++i)
      kernel.setArgAttr(i, TonnoDialect::kAlignment,
                        builder.getI64IntegerAttr(8)); // of an int64_t
    return kernel;
  }

  void readSizes(func::FuncOp kernel) {
    unsigned position = source.getNumArguments() + source.getNumResults();
    for (const DynamicDimension &dimension : dimensions.all())
      if (dimension.size) {
        sizes.push_back(builder.getIndexAttr(*dimension.size));
      } else {
        sizes.push_back(
            arith::IndexCastOp::create(builder, builder.getIndexType(),
                                       kernel.getArgument(position++))
                .getResult());
        if (!firstUnknown)
          firstUnknown = sizes.size() - 1;
      }
  }

  /// Returns the size of an axis of a value of the source; none unless a
  /// dimension gives it.
  std::optional<OpFoldResult> lookUpSize(Value value,
                                         std::optional<int64_t> axis) {
    auto dimension = axis ? dimensions.lookup(value, *axis) : std::nullopt;
    return dimension ? std::optional(sizes[*dimension]) : std::nullopt;
  }

  OpFoldResult multiply(OpFoldResult one, OpFoldResult other) {
    auto first = getConstantIntValue(one), second = getConstantIntValue(other);
    if (first && second)
      return builder.getIndexAttr(*first * *second);
    auto value = [&](OpFoldResult factor) {
      return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), factor);
    };
    return arith::MulIOp::create(builder, value(one), value(other)).getResult();
  }

  /// Returns a dense view of a buffer, with the shape of the source's value.
  Value view(Value value, Value buffer) {
    if (!isDynamic(value.getType()))
      return buffer;
    auto shaped = cast<ShapedType>(value.getType());
    SmallVector<OpFoldResult> extents;
    for (auto [axis, size] : llvm::enumerate(shaped.getShape()))
      extents.push_back(
          lookUpSize(value, axis)
              .value_or(OpFoldResult(builder.getIndexAttr(size))));
    SmallVector<OpFoldResult> strides(extents.size());
    OpFoldResult stride = builder.getIndexAttr(1);
    for (size_t i = extents.size(); i-- > 0;) {
      strides[i] = stride;
      stride = multiply(stride, extents[i]);
    }
    return memref::ReinterpretCastOp::create(
        builder, MemRefType::get(shaped.getShape(), shaped.getElementType()),
        buffer, builder.getIndexAttr(0), extents, strides);
  }

  /// Returns the value of an argument; static ones stay.
  Value readArgument(Value value, BlockArgument argument) {
    if (!isDynamic(value.getType()))
      return argument;
    Value whole = view(value, argument);
    if (isa<MemRefType>(value.getType()))
      return whole;
    return bufferization::ToTensorOp::create(builder, value.getType(), whole,
                                             /*restrict=*/true);
  }

  func::FuncOp source;
  const DynamicDimensions &dimensions;
  ImplicitLocOpBuilder builder;
  SmallVector<OpFoldResult> sizes;    ///< of dimensions
  std::optional<size_t> firstUnknown; ///< of these
};

struct SizeArguments : tonno::impl::SizeArgumentsBase<SizeArguments> {
  using SizeArgumentsBase::SizeArgumentsBase;

  void runOnOperation() override {
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      bool isChosen = kernel.empty() ? function.isPublic()
                                     : function.getName() == kernel.getValue();
      if (isChosen && !function.isExternal() &&
          llvm::any_of(function.getArgumentTypes(), isDynamic) &&
          failed(takeSizes(function)))
        return signalPassFailure();
    }
  }

private:
  LogicalResult takeSizes(func::FuncOp function) {
    auto dimensions = DynamicDimensions::find(function);
    if (failed(dimensions) || failed(makeKnownStatic(function, *dimensions)))
      return failure();
    // A function that is static by now has the same buffers.
    if (!llvm::any_of(function.getArgumentTypes(), isDynamic))
      return success();
    dimensions = DynamicDimensions::find(function);
    if (failed(dimensions))
      return failure();
    SizeTaker taker(function, *dimensions);
    if (failed(taker.check()))
      return failure();
    std::optional<AddedConfigurations> usual, few;
    if (!chip.empty() && !isConfigured(function)) {
      auto annotate = annotatorFor("host", chip.getValue());
      if (!annotate)
        return function.emitError() << annotate.error().message;
      auto find = [&](int64_t size, std::optional<AddedConfigurations> &found) {
        auto configurations =
            findConfigurations(function, *dimensions, size, *annotate,
                               /*resolves=*/true);
        if (succeeded(configurations))
          found = std::move(*configurations);
        return LogicalResult(configurations);
      };
      bool hasFew =
          dimensions->all().size() == 1 && isSharingOperands(function);
      if (failed(find(usualSize, usual)) ||
          (hasFew && failed(find(smallSize, few))))
        return failure();
    }
    taker.make(usual, few);
    return success();
  }

  /// Gives axes that are equal to axes of known size their size.
  static LogicalResult makeKnownStatic(func::FuncOp function,
                                       const DynamicDimensions &dimensions) {
    if (!llvm::any_of(dimensions.all(), [](const DynamicDimension &dimension) {
          return dimension.size.has_value();
        }))
      return success();
    SmallVector<int64_t> sizes = llvm::map_to_vector(
        dimensions.all(), [](const DynamicDimension &dimension) {
          return dimension.size.value_or(ShapedType::kDynamic);
        });
    return Specializer(function.getContext())
        .specialize(function, specializeArguments(function, dimensions, sizes));
  }
};

} // namespace

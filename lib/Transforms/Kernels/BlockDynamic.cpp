//===- Blocks of static sizes ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Annotator.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/DynamicDimensions.h"
#include "tonno/Transforms/Passes.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "Kernels/Specializer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <map>
#include <vector>

namespace tonno {
#define GEN_PASS_DEF_BLOCKDYNAMIC
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Sizes of blocks along a dimension, each a multiple of the next. The first
/// amortizes what is packed for a block; the others are for the remainder.
static constexpr int64_t blockSizes[] = {256, 64, 16, 4, 1};

/// The most dynamic dimensions of a kernel, of which code has all combinations
/// of block sizes.
static constexpr unsigned mostDimensions = 2;

static bool hasDynamicType(Value value) { return isDynamic(value.getType()); }

//===----------------------------------------------------------------------===//
// Kernels that blocks compute
//===----------------------------------------------------------------------===//

namespace {

/// Checks that each block of the dynamic dimensions can be computed on its own.
class BlockChecker {
public:
  BlockChecker(func::FuncOp kernel, const DynamicDimensions &dimensions)
      : kernel(kernel), dimensions(dimensions) {}

  LogicalResult check() {
    if (!llvm::hasSingleElement(kernel.getBody()))
      return kernel.emitError() << "kernels of dynamic shapes need one block";
    unsigned count = llvm::count_if(
        dimensions.all(), [](const auto &each) { return !each.size; });
    if (count > mostDimensions)
      return kernel.emitError()
             << "the kernel has " << count
             << " dynamic dimensions, and code for more than " << mostDimensions
             << " is large; give sizes by '--shapes'";
    for (BlockArgument argument : kernel.getArguments())
      if (failed(checkArgument(argument)))
        return failure();
    for (Operation &op : kernel.getBody().front())
      if (failed(checkOp(&op)))
        return failure();
    return success();
  }

private:
  InFlightDiagnostic refuse(Operation *op, unsigned dimension) {
    StringRef name = dimensions.all()[dimension].names.front();
    return op->emitError() << "dimension \"" << name
                           << "\" is dynamic; give it a size by '--shapes="
                           << name << "=64', as ";
  }

  /// Returns the dimension of an axis whose size is known only in calls.
  std::optional<unsigned> findUnknown(Value value, int64_t axis) {
    auto dimension = dimensions.lookup(value, axis);
    return dimension && !dimensions.all()[*dimension].size ? dimension
                                                           : std::nullopt;
  }

  /// Returns the first dimension of unknown size that no axis of a value has.
  std::optional<unsigned> findMissing(Value value) {
    auto type = cast<ShapedType>(value.getType());
    for (auto [i, dimension] : llvm::enumerate(dimensions.all())) {
      bool isFound = dimension.size.has_value();
      for (int64_t axis = 0; axis < type.getRank(); ++axis)
        isFound |= dimensions.lookup(value, axis) == i;
      if (!isFound)
        return i;
    }
    return std::nullopt;
  }

  /// Checks that no two axes of a value have one dimension.
  LogicalResult checkAxes(Operation *op, Value value) {
    llvm::SmallDenseSet<unsigned> met;
    auto type = dyn_cast<ShapedType>(value.getType());
    for (int64_t axis = 0; type && type.hasRank() && axis < type.getRank();
         ++axis)
      if (auto dimension = findUnknown(value, axis);
          dimension && !met.insert(*dimension).second)
        return refuse(op, *dimension) << "two axes of " << type << " have it";
    return success();
  }

  LogicalResult checkArgument(BlockArgument argument) {
    auto memory = dyn_cast<MemRefType>(argument.getType());
    if (memory && isDynamic(memory) &&
        (!memory.getLayout().isIdentity() || memory.getMemorySpace()))
      return kernel.emitError()
             << "argument " << argument.getArgNumber() << " has type " << memory
             << "; with dynamic shapes, memrefs need the identity layout and "
                "no memory space";
    return checkAxes(kernel, argument);
  }

  LogicalResult checkOp(Operation *op) {
    if (isa<tensor::EmptyOp>(op))
      return success();
    if (auto size = dyn_cast<tensor::DimOp>(op))
      return checkSize(size);
    if (auto end = dyn_cast<func::ReturnOp>(op))
      return checkResults(end);
    if (auto loops = dyn_cast<linalg::LinalgOp>(op))
      return checkLoops(loops);
    if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
      return checkSoftmax(softmax);
    // Regions may use values that are no operands.
    bool isPlain = op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                   llvm::none_of(op->getOperands(), hasDynamicType) &&
                   llvm::none_of(op->getResults(), hasDynamicType);
    if (!isPlain)
      return op->emitOpError()
             << "is not computed in blocks of dynamic dimensions; give sizes "
                "by '--shapes=M=64'";
    return success();
  }

  /// Checks that a size only gives the shapes of new tensors.
  LogicalResult checkSize(tensor::DimOp size) {
    if (!isDynamic(size.getSource().getType()))
      return success();
    auto axis = size.getConstantIndex();
    if (!axis)
      return size.emitOpError() << "needs a constant index in a kernel of "
                                   "dynamic shapes";
    auto dimension = findUnknown(size.getSource(), *axis);
    if (!dimension ||
        llvm::all_of(size->getUsers(), llvm::IsaPred<tensor::EmptyOp>))
      return success();
    return refuse(size, *dimension) << "the kernel computes with its size";
  }

  /// Checks that each result has all dimensions: a block computes a part of it.
  LogicalResult checkResults(func::ReturnOp end) {
    for (Value value : end.getOperands()) {
      if (!isa<RankedTensorType>(value.getType()))
        return end.emitOpError() << "returns " << value.getType()
                                 << "; kernels of dynamic shapes return ranked "
                                    "tensors";
      if (failed(checkAxes(end, value)))
        return failure();
      if (auto dimension = findMissing(value))
        return refuse(end, *dimension) << "a result does not have it";
    }
    return success();
  }

  LogicalResult checkSoftmax(linalg::SoftmaxOp op) {
    if (auto dimension = findUnknown(op.getInput(), op.getDimension()))
      return refuse(op, *dimension) << "the op reduces it";
    if (failed(checkAxes(op, op.getInput())))
      return failure();
    if (isa<RankedTensorType>(op.getOutput().getType()))
      return success();
    return checkWritten(op, op.getOutput());
  }

  /// Checks that a buffer which the op writes has all dimensions.
  LogicalResult checkWritten(Operation *op, Value buffer) {
    if (auto dimension = findMissing(buffer))
      return refuse(op, *dimension)
             << "the op would write again for each block";
    return success();
  }

  LogicalResult checkLoops(linalg::LinalgOp op) {
    llvm::SmallMapVector<unsigned, unsigned, 4> found; // loops, by dimension
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<ShapedType>(operand.get().getType());
      if (!type || !type.hasRank())
        continue;
      AffineMap map = op.getMatchingIndexingMap(&operand);
      for (auto [axis, index] : llvm::enumerate(map.getResults())) {
        auto dimension = findUnknown(operand.get(), axis);
        if (!dimension)
          continue;
        auto loop = dyn_cast<AffineDimExpr>(index);
        if (!loop)
          return refuse(op, *dimension) << "the op slides along it";
        auto *known = found.insert({*dimension, loop.getPosition()}).first;
        if (known->second != loop.getPosition())
          return refuse(op, *dimension) << "two loops of the op have it";
      }
    }
    for (auto [dimension, loop] : found)
      if (failed(checkLoop(op, dimension, loop)))
        return failure();
    if (failed(checkBody(op)))
      return failure();
    if (!op.hasPureTensorSemantics())
      for (OpOperand &init : op.getDpsInitsMutable())
        if (isa<MemRefType>(init.get().getType()) &&
            failed(checkWritten(op, init.get())))
          return failure();
    return success();
  }

  /// Checks that each iteration of the loop computes elements of its own.
  LogicalResult checkLoop(linalg::LinalgOp op, unsigned dimension,
                          unsigned loop) {
    if (linalg::isReductionIterator(op.getIteratorTypesArray()[loop]))
      return refuse(op, dimension) << "the op reduces it";
    for (OpOperand &init : op.getDpsInitsMutable())
      if (!op.getMatchingIndexingMap(&init).isFunctionOfDim(loop))
        return refuse(op, dimension) << "an output of the op does not have it";
    return success();
  }

  /// Checks that an element is computed from the op's operands alone.
  LogicalResult checkBody(linalg::LinalgOp op) {
    auto isFound = op->getRegion(0).walk([&](Operation *nested) {
      bool isPlain =
          isMemoryEffectFree(nested) && !isa<linalg::IndexOp>(nested) &&
          llvm::none_of(nested->getOperandTypes(), llvm::IsaPred<ShapedType>);
      return isPlain ? WalkResult::advance() : WalkResult::interrupt();
    });
    if (isFound.wasInterrupted())
      return op.emitOpError()
             << "uses indices or values from outside in its body, which is not "
                "computed in blocks of dynamic dimensions; give sizes by "
                "'--shapes=M=64'";
    return success();
  }

  func::FuncOp kernel;
  const DynamicDimensions &dimensions;
};

//===----------------------------------------------------------------------===//
// Loops over blocks
//===----------------------------------------------------------------------===//

/// A block: where it begins, and its sizes, by dimension.
struct BlockRange {
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> sizes;
};

/// Replaces a kernel by one that takes sizes and computes in blocks.
class BlockMaker {
public:
  BlockMaker(func::FuncOp kernel, DynamicDimensions dimensions,
             Annotator annotate)
      : source(kernel), dimensions(std::move(dimensions)),
        annotate(std::move(annotate)),
        builder(kernel.getLoc(), kernel.getContext()),
        specializer(kernel.getContext()) {}

  LogicalResult make() {
    if (failed(BlockChecker(source, dimensions).check()))
      return failure();
    auto end = cast<func::ReturnOp>(source.getBody().front().getTerminator());
    func::FuncOp kernel = createKernel();
    builder.setInsertionPointToStart(kernel.addEntryBlock());
    readSizes(kernel);
    for (auto [value, argument] :
         llvm::zip(source.getArguments(), kernel.getArguments()))
      arguments.push_back(readArgument(value, argument));
    SmallVector<Value> results;
    for (Value value : end.getOperands())
      results.push_back(createEmpty(value));
    auto computed = makeLoops(BlockRange(), results);
    if (failed(computed))
      return failure();
    unsigned first = source.getNumArguments();
    for (auto [i, value, result] :
         llvm::enumerate(end.getOperands(), *computed)) {
      auto write = bufferization::MaterializeInDestinationOp::create(
          builder, result, view(value, kernel.getArgument(first + i)));
      write.setRestrict(true);
      write.setWritable(true);
    }
    func::ReturnOp::create(builder);
    for (auto &[sizes, part] : parts)
      part.erase();
    source.erase();
    specializer.eraseUnused();
    return success();
  }

private:
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
    for (unsigned i = source.getNumArguments() + source.getNumResults();
         i < types.size(); ++i)
      kernel.setArgAttr(i, TonnoDialect::kAlignment,
                        builder.getI64IntegerAttr(8)); // of an int64_t
    return kernel;
  }

  void readSizes(func::FuncOp kernel) {
    unsigned position = source.getNumArguments() + source.getNumResults();
    for (const DynamicDimension &dimension : dimensions.all())
      if (dimension.size)
        sizes.push_back(builder.getIndexAttr(*dimension.size));
      else
        sizes.push_back(
            arith::IndexCastOp::create(builder, builder.getIndexType(),
                                       kernel.getArgument(position++))
                .getResult());
  }

  /// Returns the sizes of a value of the source.
  SmallVector<OpFoldResult> getSizes(Value value) {
    SmallVector<OpFoldResult> found;
    for (auto [axis, size] :
         llvm::enumerate(cast<ShapedType>(value.getType()).getShape())) {
      auto dimension = dimensions.lookup(value, axis);
      found.push_back(dimension ? sizes[*dimension]
                                : OpFoldResult(builder.getIndexAttr(size)));
    }
    return found;
  }

  OpFoldResult multiply(OpFoldResult one, OpFoldResult other) {
    auto first = getConstantIntValue(one), second = getConstantIntValue(other);
    if (first && second)
      return builder.getIndexAttr(*first * *second);
    return arith::MulIOp::create(
               builder,
               getValueOrCreateConstantIndexOp(builder, builder.getLoc(), one),
               getValueOrCreateConstantIndexOp(builder, builder.getLoc(),
                                               other))
        .getResult();
  }

  /// Returns a dense view of a buffer, with the shape of the source's value.
  Value view(Value value, Value buffer) {
    if (!isDynamic(value.getType()))
      return buffer;
    auto shaped = cast<ShapedType>(value.getType());
    SmallVector<OpFoldResult> extents = getSizes(value);
    SmallVector<OpFoldResult> strides(extents.size());
    OpFoldResult stride = builder.getIndexAttr(1);
    for (size_t i = extents.size(); i-- > 0;) {
      strides[i] = stride;
      stride = multiply(stride, extents[i]);
    }
    SmallVector<int64_t> shape =
        llvm::map_to_vector(extents, [](OpFoldResult extent) {
          return getConstantIntValue(extent).value_or(ShapedType::kDynamic);
        });
    return memref::ReinterpretCastOp::create(
        builder, MemRefType::get(shape, shaped.getElementType()), buffer,
        builder.getIndexAttr(0), extents, strides);
  }

  /// Returns the value of an argument; static ones stay.
  Value readArgument(Value value, BlockArgument argument) {
    if (!isDynamic(value.getType()))
      return argument;
    Value whole = view(value, argument);
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor)
      return whole;
    auto shape = cast<ShapedType>(whole.getType()).getShape();
    return bufferization::ToTensorOp::create(builder, tensor.clone(shape),
                                             whole, /*restrict=*/true);
  }

  Value createEmpty(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return tensor::EmptyOp::create(builder, getSizes(value),
                                   type.getElementType());
  }

  /// Computes all blocks of the dimensions that `block` does not give yet;
  /// returns the results with these blocks.
  FailureOr<SmallVector<Value>> makeLoops(BlockRange block,
                                          ValueRange results) {
    size_t next = block.sizes.size();
    if (next == dimensions.all().size())
      return computeBlock(block, results);
    if (auto known = dimensions.all()[next].size) {
      block.offsets.push_back(builder.getIndexAttr(0));
      block.sizes.push_back(*known);
      return makeLoops(block, results);
    }
    Value size = cast<Value>(sizes[next]);
    Value begin = arith::ConstantIndexOp::create(builder, 0);
    SmallVector<Value> values(results);
    for (int64_t step : blockSizes) {
      Value width = arith::ConstantIndexOp::create(builder, step);
      Value end = size;
      if (step > 1)
        end = arith::SubIOp::create(
            builder, size, arith::RemUIOp::create(builder, size, width));
      auto loop = scf::ForOp::create(builder, begin, end, width, values);
      OpBuilder::InsertionGuard guard(builder);
      if (values.empty())
        builder.setInsertionPoint(loop.getBody()->getTerminator());
      else
        builder.setInsertionPointToStart(loop.getBody());
      BlockRange inner = block;
      inner.offsets.push_back(loop.getInductionVar());
      inner.sizes.push_back(step);
      auto computed = makeLoops(inner, loop.getRegionIterArgs());
      if (failed(computed))
        return failure();
      if (!values.empty())
        scf::YieldOp::create(builder, *computed);
      values.assign(loop.getResults().begin(), loop.getResults().end());
      begin = end;
    }
    return values;
  }

  /// Returns the offsets and sizes of a block in a value of the source.
  std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>
  getOffsetsAndSizes(Value value, const BlockRange &block) {
    SmallVector<OpFoldResult> offsets, extents;
    for (auto [axis, size] :
         llvm::enumerate(cast<ShapedType>(value.getType()).getShape())) {
      auto dimension = dimensions.lookup(value, axis);
      offsets.push_back(dimension ? block.offsets[*dimension]
                                  : OpFoldResult(builder.getIndexAttr(0)));
      extents.push_back(
          builder.getIndexAttr(dimension ? block.sizes[*dimension] : size));
    }
    return {offsets, extents};
  }

  Value slice(Value value, Value whole, const BlockRange &block) {
    if (!isDynamic(value.getType()))
      return whole;
    auto [offsets, extents] = getOffsetsAndSizes(value, block);
    SmallVector<OpFoldResult> ones(offsets.size(), builder.getIndexAttr(1));
    if (isa<RankedTensorType>(value.getType()))
      return tensor::ExtractSliceOp::create(builder, whole, offsets, extents,
                                            ones);
    return memref::SubViewOp::create(builder, whole, offsets, extents, ones);
  }

  FailureOr<SmallVector<Value>> computeBlock(const BlockRange &block,
                                             ValueRange results) {
    SmallVector<Value> slices;
    for (auto [value, whole] :
         llvm::zip_equal(source.getArguments(), arguments))
      slices.push_back(slice(value, whole, block));
    auto part = getPart(block, ValueRange(slices).getTypes());
    if (failed(part))
      return failure();
    IRMapping mapping;
    mapping.map(part->getArguments(), slices);
    for (Operation &op : part->getBody().front().without_terminator())
      builder.clone(op, mapping);
    auto end = cast<func::ReturnOp>(source.getBody().front().getTerminator());
    auto found = cast<func::ReturnOp>(part->getBody().front().getTerminator());
    SmallVector<Value> written;
    for (auto [value, computed, result] :
         llvm::zip_equal(end.getOperands(), found.getOperands(), results)) {
      auto [offsets, extents] = getOffsetsAndSizes(value, block);
      SmallVector<OpFoldResult> ones(offsets.size(), builder.getIndexAttr(1));
      written.push_back(tensor::InsertSliceOp::create(
          builder, mapping.lookup(computed), result, offsets, extents, ones));
    }
    return written;
  }

  /// Returns the function that computes blocks of these sizes.
  FailureOr<func::FuncOp> getPart(const BlockRange &block, TypeRange types) {
    std::vector<int64_t> key(block.sizes.begin(), block.sizes.end());
    auto [known, isNew] = parts.try_emplace(key);
    if (!isNew)
      return known->second;
    func::FuncOp part = source.clone();
    known->second = part;
    SymbolTable(source->getParentOp()).insert(part);
    if (failed(specializer.specialize(part, llvm::to_vector(types))))
      return failure();
    for (Type type : part.getResultTypes())
      if (isDynamic(type))
        return source.emitError()
               << "a result has type " << type
               << ", whose size does not follow from the arguments' sizes";
    if (annotate && annotate(part) != 0 &&
        failed(resolveToCurrentValues({part})))
      return failure();
    return part;
  }

  func::FuncOp source;
  DynamicDimensions dimensions;
  Annotator annotate; ///< for blocks; null if the kernel has a configuration
  ImplicitLocOpBuilder builder;
  Specializer specializer;
  SmallVector<OpFoldResult> sizes; ///< of dimensions
  SmallVector<Value> arguments;    ///< whole, with the source's types
  std::map<std::vector<int64_t>, func::FuncOp> parts;
};

struct BlockDynamic : tonno::impl::BlockDynamicBase<BlockDynamic> {
  using BlockDynamicBase::BlockDynamicBase;

  void runOnOperation() override {
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      bool isChosen = kernel.empty() ? function.isPublic()
                                     : function.getName() == kernel.getValue();
      if (!isChosen || function.isExternal() ||
          !llvm::any_of(function.getArgumentTypes(), isDynamic))
        continue;
      auto dimensions = DynamicDimensions::find(function);
      if (failed(dimensions))
        return signalPassFailure();
      Annotator annotate;
      if (!chip.empty() && !isConfigured(function)) {
        auto found = annotatorFor("host", chip.getValue());
        if (!found) {
          function.emitError() << found.error().message;
          return signalPassFailure();
        }
        annotate = std::move(*found);
      }
      BlockMaker maker(function, std::move(*dimensions), std::move(annotate));
      if (failed(maker.make()))
        return signalPassFailure();
    }
  }
};

} // namespace

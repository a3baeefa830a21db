//===- Data of index arguments --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IndexArguments.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "ElementRanges.h"
#include <optional>

using namespace mlir;
using namespace tonno;

namespace {

/// The bound of an index.
struct IndexedExtent {
  /// Exclusive upper bound of the index; empty if unknown.
  std::optional<int64_t> extent;
  /// True if the op computes another index from this one first.
  bool isComputed = false;
};

} // namespace

using Indexed = std::optional<IndexedExtent>;

/// Returns the position of `use` in a group of operands, or none if it is not
/// in the group.
static std::optional<unsigned> positionIn(OpOperand &use, OperandRange group) {
  unsigned begin = group.empty() ? 0 : group.getBeginOperandIndex();
  unsigned number = use.getOperandNumber();
  if (number < begin || number >= begin + group.size())
    return std::nullopt;
  return number - begin;
}

/// Returns the bound of an index at which `taken` elements of a dimension are
/// used.
static IndexedExtent computeIndexBound(Value indexed, unsigned dim,
                                       int64_t taken = 1) {
  int64_t extent = cast<ShapedType>(indexed.getType()).getDimSize(dim);
  if (ShapedType::isDynamic(extent) || ShapedType::isDynamic(taken) ||
      extent < taken)
    return {};
  return {extent - taken + 1};
}

static Indexed elementAt(OpOperand &use, Value indexed, OperandRange indices) {
  auto dim = positionIn(use, indices);
  return dim ? Indexed(computeIndexBound(indexed, *dim)) : std::nullopt;
}

/// Vectors lie along the last dimensions.
static Indexed vectorAt(OpOperand &use, Value indexed, OperandRange indices,
                        VectorType vector) {
  auto dim = positionIn(use, indices);
  if (!dim)
    return std::nullopt;
  int64_t first = int64_t(indices.size()) - vector.getRank();
  int64_t along = int64_t(*dim) - first;
  return computeIndexBound(indexed, *dim,
                           along < 0 ? 1 : vector.getDimSize(along));
}

/// Returns the bound of an offset vector of a gather or scatter, which indexes
/// the last dimension, or of a base index.
static Indexed computeScatterBound(OpOperand &use, Value indexed,
                                   OperandRange offsets, OpOperand &indices) {
  if (&use == &indices)
    return computeIndexBound(indexed, offsets.size() - 1);
  return elementAt(use, indexed, offsets);
}

/// Returns the bound of the indices of a tensor.gather or tensor.scatter, the
/// smallest extent of `dims`.
static Indexed inDimensions(OpOperand &use, OpOperand &indices, Value indexed,
                            ArrayRef<int64_t> dims) {
  if (&use != &indices)
    return std::nullopt;
  IndexedExtent smallest;
  for (int64_t dim : dims) {
    IndexedExtent found = computeIndexBound(indexed, dim);
    if (!found.extent)
      return found;
    smallest.extent =
        std::min(smallest.extent.value_or(*found.extent), *found.extent);
  }
  return smallest;
}

static Indexed affineAt(OpOperand &use, Value indexed, AffineMap map,
                        OperandRange operands) {
  auto number = positionIn(use, operands);
  if (!number)
    return std::nullopt;
  bool isDim = *number < map.getNumDims();
  unsigned position = isDim ? *number : *number - map.getNumDims();
  MLIRContext *context = map.getContext();
  AffineExpr itself = isDim ? getAffineDimExpr(position, context)
                            : getAffineSymbolExpr(position, context);
  IndexedExtent smallest;
  for (auto [dim, expression] : llvm::enumerate(map.getResults())) {
    bool occurs = isDim ? expression.isFunctionOfDim(position)
                        : expression.isFunctionOfSymbol(position);
    if (!occurs)
      continue;
    IndexedExtent found = computeIndexBound(indexed, dim);
    if (expression != itself || !found.extent)
      return IndexedExtent{found.extent, expression != itself};
    smallest.extent =
        std::min(smallest.extent.value_or(*found.extent), *found.extent);
  }
  return smallest;
}

/// Returns the bound of a slice's offset; its sizes and strides are no indices.
static Indexed partAt(OpOperand &use, OffsetSizeAndStrideOpInterface op,
                      Value whole) {
  auto dynamic = op.getOffsets();
  auto number = positionIn(use, dynamic);
  if (!number)
    return std::nullopt;
  unsigned dim = 0;
  for (unsigned left = *number;; ++dim)
    if (op.isDynamicOffset(dim) && left-- == 0)
      break;
  if (op.isDynamicSize(dim) || op.isDynamicStride(dim))
    return IndexedExtent();
  return computeIndexBound(
      whole, dim, (op.getStaticSize(dim) - 1) * op.getStaticStride(dim) + 1);
}

/// Returns the bound of an operand that indexes a tensor or buffer, or is the
/// offset of a slice.
static Indexed indexedExtent(OpOperand &use) {
  return llvm::TypeSwitch<Operation *, Indexed>(use.getOwner())
      .Case([&](tensor::ExtractOp op) {
        return elementAt(use, op.getTensor(), op.getIndices());
      })
      .Case([&](tensor::InsertOp op) {
        return elementAt(use, op.getDest(), op.getIndices());
      })
      .Case<memref::LoadOp, memref::StoreOp>([&](auto op) {
        return elementAt(use, op.getMemRef(), op.getIndices());
      })
      .Case([&](memref::AtomicRMWOp op) {
        return elementAt(use, op.getMemref(), op.getIndices());
      })
      .Case<affine::AffineReadOpInterface, affine::AffineWriteOpInterface>(
          [&](auto op) {
            return affineAt(use, op.getMemRef(), op.getAffineMap(),
                            op.getMapOperands());
          })
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp, vector::TransferReadOp,
            vector::TransferWriteOp>([&](auto op) {
        return vectorAt(use, op.getBase(), op.getIndices(), op.getVectorType());
      })
      .Case<vector::GatherOp, vector::ScatterOp>([&](auto op) {
        return computeScatterBound(use, op.getBase(), op.getOffsets(),
                                   op.getIndicesMutable());
      })
      .Case([&](tensor::GatherOp op) {
        return inDimensions(use, op.getIndicesMutable(), op.getSource(),
                            op.getGatherDims());
      })
      .Case([&](tensor::ScatterOp op) {
        return inDimensions(use, op.getIndicesMutable(), op.getDest(),
                            op.getScatterDims());
      })
      .Case<tensor::ExtractSliceOp, memref::SubViewOp>(
          [&](auto op) { return partAt(use, op, op.getSource()); })
      .Case<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(
          [&](auto op) { return partAt(use, op, op.getDest()); })
      .Default([](Operation *) { return std::nullopt; });
}

namespace {

/// The derivation of a value from an argument: one of its elements, or computed
/// from one.
enum class Origin { element, computed };

} // namespace

/// Returns false for floating-point numbers and comparison results, from which
/// no index is derived.
static bool canIndex(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isIndex() || (element.isInteger() && !element.isInteger(1));
}

/// Checks whether the results of `op` hold the values of its operands, at other
/// positions or in another width.
static bool forwardsIndices(Operation *op) {
  if (isa<ViewLikeOpInterface, arith::IndexCastOp, arith::IndexCastUIOp,
          arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::SelectOp,
          bufferization::ToTensorOp, bufferization::ToBufferOp,
          bufferization::MaterializeInDestinationOp>(op))
    return true;
  if (isa_and_nonnull<tensor::TensorDialect, memref::MemRefDialect>(
          op->getDialect()))
    return true;
  return isa<vector::BroadcastOp, vector::ShapeCastOp, vector::ExtractOp,
             vector::ExtractStridedSliceOp, vector::InsertOp,
             vector::InsertStridedSliceOp, vector::TransposeOp,
             vector::ShuffleOp, vector::TransferReadOp, vector::LoadOp,
             vector::TransferWriteOp, vector::StoreOp, vector::GatherOp,
             vector::MaskedLoadOp, vector::ToElementsOp,
             vector::FromElementsOp>(op);
}

namespace {

/// Follows an argument's elements forward to where they index something.
class IndexFinder {
public:
  explicit IndexFinder(func::FuncOp kernel) : kernel(kernel), flow(kernel) {}

  LogicalResult follow(BlockArgument argument) {
    number = argument.getArgNumber();
    mark(argument, Origin::element);
    while (!pending.empty()) {
      auto [value, origin] = pending.pop_back_val();
      for (OpOperand &use : value.getUses())
        if (failed(visit(use, origin)))
          return failure();
    }
    return success();
  }

  /// Returns the data whose indices stay in bounds; none if the elements index
  /// nothing.
  std::optional<InputSpec> findInput(Type element) const {
    if (!smallest && !smallestClamped)
      return std::nullopt;
    // If all indices are clamped, some data is out of bounds, to reveal
    // candidates that do not clamp.
    int64_t extent = smallest.value_or(smallestClamped.value_or(0));
    int64_t beyond = smallest ? 0 : std::max<int64_t>(extent / 16, 1);
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    int64_t most = APInt::getSignedMaxValue(width).getSExtValue();
    InputSpec input;
    input.kind = InputSpec::Kind::integers;
    input.low = static_cast<double>(-std::min(most, beyond));
    input.high = static_cast<double>(std::min(most, extent - 1 + beyond));
    return input;
  }

private:
  void mark(Value value, Origin origin) {
    if (canIndex(value) && seen.insert({value, int(origin)}).second)
      pending.emplace_back(value, origin);
  }

  void markMemory(Value buffer, Origin origin) {
    for (Value source : flow.resolveReverse(buffer))
      for (Value alias : flow.resolve(source))
        mark(alias, origin);
  }

  LogicalResult visit(OpOperand &use, Origin origin) {
    std::optional<IndexedExtent> indexed = indexedExtent(use);
    if (!indexed) {
      propagate(use, origin);
      return success();
    }
    // The op may use it otherwise too: a gather's results are no positions.
    auto takeIn = [&](std::optional<int64_t> &least) {
      least = std::min(least.value_or(*indexed->extent), *indexed->extent);
      return success();
    };
    if (indexed->isComputed || !indexed->extent)
      return ask(use.getOwner(),
                 indexed->isComputed ? Origin::computed : origin);
    if (origin == Origin::element)
      return takeIn(smallest);
    if (isClamped(use, *indexed->extent))
      return takeIn(smallestClamped);
    return ask(use.getOwner(), origin);
  }

  void propagate(OpOperand &use, Origin origin) {
    Operation *op = use.getOwner();
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      return propagateThroughLinalgOp(structured, use, origin);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
      return propagateThroughLoop(loop, use, origin);
    if (auto branch = dyn_cast<BranchOpInterface>(op)) {
      if (auto argument =
              branch.getSuccessorBlockArgument(use.getOperandNumber()))
        mark(*argument, origin);
      return;
    }
    if (op->hasTrait<OpTrait::IsTerminator>())
      return propagateThroughTerminator(use, origin);
    if (!forwardsIndices(op))
      origin = Origin::computed;
    for (Value result : op->getResults())
      mark(result, origin);
    if (isa<MemRefType>(use.get().getType()))
      return; // its views are results, and what is loaded from it too
    for (Value other : op->getOperands())
      if (isa<MemRefType>(other.getType()) && !isMemoryEffectFree(op))
        markMemory(other, origin);
  }

  void propagateThroughLoop(LoopLikeOpInterface loop, OpOperand &use,
                            Origin origin) {
    auto inits = loop.getInitsMutable();
    auto init =
        llvm::find_if(inits, [&](OpOperand &one) { return &one == &use; });
    if (init == inits.end()) {
      // One of the bounds: what the loop counts is computed from it.
      for (Value variable :
           loop.getLoopInductionVars().value_or(SmallVector<Value>()))
        mark(variable, Origin::computed);
      return;
    }
    auto position = std::distance(inits.begin(), init);
    mark(loop.getRegionIterArgs()[position], origin);
    if (auto results = loop.getLoopResults())
      mark((*results)[position], origin);
  }

  void propagateThroughLinalgOp(linalg::LinalgOp op, OpOperand &use,
                                Origin origin) {
    mark(op.getMatchingBlockArgument(&use), origin);
  }

  /// Passes a yielded value to the results or destinations of the parent op.
  void propagateThroughTerminator(OpOperand &use, Origin origin) {
    Operation *parent = use.getOwner()->getParentOp();
    unsigned position = use.getOperandNumber();
    if (auto structured = dyn_cast<linalg::LinalgOp>(parent)) {
      Value init = structured.getDpsInitOperand(position)->get();
      if (isa<MemRefType>(init.getType()))
        markMemory(init, origin);
      else
        mark(structured->getResult(position), origin);
      return;
    }
    for (Value result : parent->getResults())
      mark(result, origin);
    if (auto loop = dyn_cast<LoopLikeOpInterface>(parent))
      for (Value argument : loop.getRegionIterArgs())
        mark(argument, origin);
  }

  LogicalResult ask(Operation *op, Origin origin) {
    return op->emitError() << "argument " << number << " indexes this op"
                           << (origin == Origin::computed
                                   ? " after arithmetic"
                                   : ", whose extent is not known")
                           << "; state in-bounds data by '--inputs=arg"
                           << number
                           << "=integers(LOW, HIGH)' or tonno.input = "
                              "#tonno.input<\"integers(LOW, HIGH)\">";
  }

  /// Returns true if the kernel keeps the index in bounds, whatever the
  /// argument holds:
  ///
  ///   %low = arith.maxsi %id, %c0 : index
  ///   %index = arith.minsi %low, %c999 : index
  ///   %row = tensor.extract %table[%index] : tensor<1000xf32>
  bool isClamped(OpOperand &use, int64_t extent) {
    if (!ranges)
      ranges.emplace(kernel);
    return ranges->isWithin(use.get(), extent);
  }

  func::FuncOp kernel;
  BufferViewFlowAnalysis flow;
  std::optional<ElementRanges> ranges;
  unsigned number = 0;
  /// The smallest extent that is indexed, and the smallest of those whose
  /// indices the kernel keeps in bounds.
  std::optional<int64_t> smallest, smallestClamped;
  SmallVector<std::pair<Value, Origin>> pending;
  llvm::DenseSet<std::pair<Value, int>> seen;
};

} // namespace

FailureOr<std::optional<InputSpec>> tonno::deriveIndexInput(func::FuncOp kernel,
                                                            unsigned argument) {
  BlockArgument value = kernel.getArgument(argument);
  Type element = getElementTypeOrSelf(value.getType());
  if (!element.isIntOrIndex() || element.isInteger(1))
    return std::optional<InputSpec>();
  IndexFinder finder(kernel);
  if (failed(finder.follow(value)))
    return failure();
  return finder.findInput(element);
}

//===- Split what depends on constant arguments alone ---------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/LaunchPlan.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/UserLowering.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tonno {
#define GEN_PASS_DEF_SPLITLOADPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns the values that the op and its regions use from outside.
static llvm::SetVector<Value> getUsedValues(Operation *op) {
  llvm::SetVector<Value> used;
  used.insert(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return used;
}

/// Returns true for ops that select elements of a tensor, in place.
static bool isView(Operation *op) {
  return isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
             tensor::ExpandShapeOp, tensor::CastOp>(op);
}

/// Returns the bits of a tensor of static shape; 0 for other values.
static uint64_t getBits(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getElementType().isIntOrFloat()
             ? type.getNumElements() * type.getElementTypeBitWidth()
             : 0;
}

/// Returns true for ops with reductions. Bounds of the time count these as part
/// of a call.
static bool hasSums(Operation &op) {
  return op
      .walk([](linalg::LinalgOp nested) {
        return nested.getNumReductionLoops() != 0 ? WalkResult::interrupt()
                                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

/// The ops of a kernel that depend on its constant arguments alone.
class ConstantWork {
public:
  explicit ConstantWork(func::FuncOp kernel) {
    for (Operation &op : kernel.getBody().front().without_terminator())
      add(op);
    for (Operation *op : llvm::reverse(ops))
      if (isMoved(op))
        moved.insert(op);
    for (Operation *op : ops)
      if (moved.contains(op))
        for (Value result : op->getResults())
          if (isUsedElsewhere(result))
            results.push_back(result);
  }

  /// The results that the rest of the kernel needs.
  ArrayRef<Value> getResults() const { return results; }

  /// Returns true if the load function alone computes the op's results.
  bool isMovedOp(Operation *op) const { return moved.contains(op); }

  /// Returns the ops that compute the results, in order.
  SmallVector<Operation *> getOps() const {
    llvm::SetVector<Value> needed;
    needed.insert_range(results);
    SmallVector<Operation *> found;
    for (Operation *op : llvm::reverse(ops))
      if (llvm::any_of(op->getResults(),
                       [&](Value result) { return needed.contains(result); })) {
        found.push_back(op);
        needed.insert_range(getUsedValues(op));
      }
    std::reverse(found.begin(), found.end());
    return found;
  }

private:
  void add(Operation &op) {
    if (isa<bufferization::ToTensorOp>(op)) {
      if (findConstantArgument(op.getResult(0))) {
        ops.insert(&op);
        sourceBits[op.getResult(0)] = getBits(op.getResult(0));
      }
      return;
    }
    llvm::SetVector<Value> used = getUsedValues(&op);
    if (!isMemoryEffectFree(&op) || hasSums(op) ||
        llvm::any_of(used, [&](Value value) {
          return !ops.contains(value.getDefiningOp());
        }))
      return;
    ops.insert(&op);
    bool isComputed = false;
    uint64_t bits = 0;
    for (Value value : used) {
      // A view of an argument stands for it.
      isComputed |= computed.contains(value) ||
                    (sourceBits.contains(value) && !isView(&op));
      bits = std::max(bits, sourceBits.lookup(value));
    }
    for (Value result : op.getResults()) {
      if (bits != 0)
        sourceBits[result] = bits;
      if (isComputed)
        computed.insert(result);
    }
  }

  /// Returns true if the op computes something, and nothing larger than its
  /// source for ops that are not moved.
  bool isMoved(Operation *op) const {
    return op->getNumResults() != 0 &&
           llvm::all_of(op->getResults(), [&](Value result) {
             return computed.contains(result) &&
                    !(isUsedElsewhere(result) && isLargerThanSource(result));
           });
  }

  /// Returns true if an op that is not moved uses the result.
  bool isUsedElsewhere(Value result) const {
    Block &body = *result.getDefiningOp()->getBlock();
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      return !moved.contains(body.findAncestorOpInBlock(*user));
    });
  }

  /// Returns true if reading the value, such as a broadcast one, takes longer
  /// than reading what it is computed from.
  bool isLargerThanSource(Value result) const {
    return getBits(result) == 0 || getBits(result) > sourceBits.lookup(result);
  }

  llvm::SetVector<Operation *> ops; ///< that depend on nothing else
  DenseSet<Operation *> moved;      ///< of these, those for the other function
  DenseSet<Value> computed;
  /// The bits of the largest constant argument that a value comes from.
  DenseMap<Value, uint64_t> sourceBits;
  SmallVector<Value> results;
};

/// Splits one kernel.
class LoadSplitter {
public:
  LoadSplitter(func::FuncOp kernel, const ConstantWork &work)
      : kernel(kernel), work(work), results(work.getResults()),
        ops(work.getOps()), buffers(*getKernelBuffers(kernel)),
        builder(kernel.getContext()) {}

  void split(SymbolTable &symbols) {
    func::FuncOp load = makeLoad();
    StringAttr name = symbols.insert(load, std::next(kernel->getIterator()));
    auto first = static_cast<int64_t>(buffers.size());
    readLoaded();
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
    auto number = [&](int64_t value) {
      return builder.getI64IntegerAttr(value);
    };
    NamedAttrList parts;
    parts.set("function", name);
    parts.set("constants", builder.getI64ArrayAttr(constants));
    parts.set("first_loaded", number(first));
    parts.set("count", number(static_cast<int64_t>(results.size())));
    kernel->setAttr(TonnoDialect::kLoad,
                    parts.getDictionary(kernel->getContext()));
  }

private:
  static KernelBuffer makeBuffer(Value result) {
    auto type = cast<RankedTensorType>(result.getType());
    return {MemRefType::get(type.getShape(), type.getElementType()),
            bufferAlignment};
  }

  /// Creates the function of the work: it takes constant arguments, then the
  /// buffers of its results.
  func::FuncOp makeLoad() {
    SmallVector<KernelBuffer> taken;
    SmallVector<Type> types;
    auto take = [&](const KernelBuffer &buffer) {
      taken.push_back(buffer);
      types.push_back(buffer.type);
    };
    SmallVector<Value> read;
    for (Operation *op : ops)
      if (auto tensor = dyn_cast<bufferization::ToTensorOp>(op)) {
        auto argument = cast<BlockArgument>(tensor.getBuffer());
        read.push_back(argument);
        constants.push_back(argument.getArgNumber());
        take(buffers[argument.getArgNumber()]);
      }
    for (Value result : results)
      take(makeBuffer(result));
    auto load = func::FuncOp::create(kernel.getLoc(),
                                     (kernel.getName() + "_load").str(),
                                     builder.getFunctionType(types, {}));
    setKernelBuffers(load, taken);
    Block &body = *load.addEntryBlock();
    IRMapping mapping;
    mapping.map(read, body.getArguments().take_front(read.size()));
    builder.setInsertionPointToStart(&body);
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    for (auto [result, buffer] : llvm::zip_equal(
             results, body.getArguments().drop_front(read.size()))) {
      auto write = bufferization::MaterializeInDestinationOp::create(
          builder, result.getLoc(), mapping.lookup(result), buffer);
      write.setRestrict(true);
      write.setWritable(true);
    }
    func::ReturnOp::create(builder, kernel.getLoc());
    return load;
  }

  /// Makes the results arguments of the kernel.
  void readLoaded() {
    Block &body = kernel.getBody().front();
    for (Value result : results) {
      KernelBuffer buffer = makeBuffer(result);
      buffers.push_back(buffer);
      (void)kernel.insertArgument(kernel.getNumArguments(), buffer.type, {},
                                  result.getLoc());
      builder.setInsertionPointToStart(&body);
      auto read = bufferization::ToTensorOp::create(
          builder, result.getLoc(), result.getType(),
          body.getArguments().back(), /*restrict=*/true);
      result.replaceUsesWithIf(read, [&](OpOperand &use) {
        Operation *user = body.findAncestorOpInBlock(*use.getOwner());
        return !work.isMovedOp(user);
      });
    }
    setKernelBuffers(kernel, buffers);
  }

  func::FuncOp kernel;
  const ConstantWork &work;
  ArrayRef<Value> results;
  SmallVector<Operation *> ops;
  SmallVector<KernelBuffer> buffers;
  OpBuilder builder;
  SmallVector<int64_t> constants; ///< numbers of the arguments that are read
};

struct SplitLoad : tonno::impl::SplitLoadPassBase<SplitLoad> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (kernel.isExternal() || hasOwnLowering(kernel) ||
          !kernel.getBody().hasOneBlock() || !getKernelBuffers(kernel))
        continue;
      ConstantWork work(kernel);
      if (!work.getResults().empty())
        LoadSplitter(kernel, work).split(symbols);
    }
  }
};

} // namespace

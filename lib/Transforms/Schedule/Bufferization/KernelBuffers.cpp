//===- Arguments and results as buffers -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Core/LaunchPlan.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/Bufferization/Destinations.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tonno {
#define GEN_PASS_DEF_KERNELBUFFERSPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

static bool hasTensors(Operation *op) {
  return isa<affine::AffineForOp, affine::AffineIfOp>(op) &&
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

/// Lowers the kernel's affine ops to scf if an affine.for or affine.if has
/// tensor results, which bufferization supports for scf only:
///
///   %r = affine.for %i = 0 to 8 iter_args(%t = %init) -> (tensor<8xf32>)
///
/// becomes
///
///   %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %init)
///       -> (tensor<8xf32>)
static LogicalResult lowerAffineOfTensors(func::FuncOp kernel) {
  if (!anyOp(kernel, hasTensors))
    return success();
  RewritePatternSet patterns(kernel.getContext());
  populateAffineToStdConversionPatterns(patterns);
  populateAffineToVectorConversionPatterns(patterns);
  // All of them: within other loops, few are valid.
  ConversionTarget target(*kernel.getContext());
  target.addIllegalDialect<affine::AffineDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(kernel, target, std::move(patterns));
}

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

static bool isAligned(scf::WhileOp loop) {
  auto before = loop.getBeforeArguments(), after = loop.getAfterArguments();
  for (size_t i = 0, e = std::max(before.size(), after.size()); i < e; ++i) {
    Type one = i < before.size() ? before[i].getType() : Type();
    Type other = i < after.size() ? after[i].getType() : Type();
    if (one != other && (isa_and_present<TensorType>(one) ||
                         isa_and_present<TensorType>(other)))
      return false;
  }
  return true;
}

namespace {

/// New order of the values that the first block of a while loop forwards.
struct Order {
  /// Former position of each value; none for the block's own argument.
  SmallVector<std::optional<size_t>> positions;
  size_t numInits; ///< of the loop, with those that are to be added
};

} // namespace

/// Assigns each forwarded value the position of an argument of its type, that
/// argument itself first; the remaining tensors and then the other values
/// follow.
static Order computeArgumentOrder(scf::WhileOp loop) {
  OperandRange forwarded = loop.getConditionOp().getArgs();
  auto before = loop.getBeforeArguments();
  Order order;
  order.positions.resize(before.size());
  llvm::BitVector placed(forwarded.size());
  auto place = [&](function_ref<bool(Value, Value)> suits) {
    for (auto [argument, position] : llvm::zip_equal(before, order.positions))
      for (auto [i, value] : llvm::enumerate(forwarded))
        if (!position && !placed[i] && suits(argument, value)) {
          position = i;
          placed.set(i);
        }
  };
  place([](Value argument, Value value) { return argument == value; });
  place([](Value argument, Value value) {
    return isTensor(value) && argument.getType() == value.getType();
  });
  place([](Value argument, Value value) {
    return !isTensor(argument) && !isTensor(value);
  });
  auto append = [&](bool tensors) {
    for (auto [i, value] : llvm::enumerate(forwarded))
      if (!placed[i] && isTensor(value) == tensors)
        order.positions.push_back(i);
  };
  append(/*tensors=*/true);
  order.numInits = order.positions.size();
  append(/*tensors=*/false);
  return order;
}

static void align(scf::WhileOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Order order = computeArgumentOrder(loop);
  scf::ConditionOp condition = loop.getConditionOp();
  scf::YieldOp yield = loop.getYieldOp();
  size_t numArguments = loop.getBeforeArguments().size();

  // Added inits are fresh tensors that are never read.
  SmallVector<Value> inits(loop.getInits());
  for (std::optional<size_t> from : ArrayRef(order.positions)
                                        .take_front(order.numInits)
                                        .drop_front(numArguments)) {
    auto type = cast<RankedTensorType>(condition.getArgs()[*from].getType());
    inits.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(),
                                            type.getElementType(),
                                            type.getEncoding()));
    loop.getBefore().addArgument(type, loc);
  }
  SmallVector<Value> forwarded;
  for (auto [i, from] : llvm::enumerate(order.positions))
    forwarded.push_back(from ? condition.getArgs()[*from]
                             : Value(loop.getBeforeArguments()[i]));
  condition.getArgsMutable().assign(forwarded);

  Block &after = loop.getAfter().front();
  unsigned numBefore = after.getNumArguments();
  for (Value value : forwarded)
    after.addArgument(value.getType(), loc);
  auto arguments = after.getArguments().drop_front(numBefore);
  for (auto [i, from] : llvm::enumerate(order.positions))
    if (from)
      after.getArgument(*from).replaceAllUsesWith(arguments[i]);
  yield.getResultsMutable().append(SmallVector<Value>(
      arguments.take_front(order.numInits).drop_front(numArguments)));
  after.eraseArguments(0, numBefore);

  auto aligned = scf::WhileOp::create(builder, loc,
                                      TypeRange(ValueRange(forwarded)), inits);
  aligned->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  aligned.getBefore().takeBody(loop.getBefore());
  aligned.getAfter().takeBody(loop.getAfter());
  for (auto [i, from] : llvm::enumerate(order.positions))
    if (from)
      loop.getResult(*from).replaceAllUsesWith(aligned.getResult(i));
  loop.erase();
}

/// Aligns each static tensor that an scf.while carries to one position in both
/// blocks and the results, as it is bufferized in place only then.
static void alignCarried(func::FuncOp kernel) {
  kernel.walk([](scf::WhileOp loop) {
    auto isPlaced = [](Value value) {
      auto tensor = dyn_cast<RankedTensorType>(value.getType());
      return !isTensor(value) || (tensor && tensor.hasStaticShape());
    };
    if (!isAligned(loop) && llvm::all_of(loop.getAfterArguments(), isPlaced))
      align(loop);
  });
}

static constexpr llvm::StringLiteral typeKey = "type";
static constexpr llvm::StringLiteral alignmentKey = "alignment";
static constexpr llvm::StringLiteral streamKey = "stream";
static constexpr llvm::StringLiteral loadedKey = "loaded";
static constexpr llvm::StringLiteral constantKey = "constant";
static constexpr llvm::StringLiteral bytesKey = "bytes";

uint64_t tonno::getArgumentAlignment(func::FuncOp kernel, unsigned argument) {
  if (auto stated = kernel.getArgAttrOfType<IntegerAttr>(
          argument, TonnoDialect::kAlignment))
    return stated.getValue().getZExtValue();
  return isa<MemRefType>(kernel.getArgumentTypes()[argument]) ? bufferAlignment
                                                              : valueAlignment;
}

std::optional<SmallVector<KernelBuffer>>
tonno::getKernelBuffers(Operation *function) {
  auto list = function->getAttrOfType<ArrayAttr>(TonnoDialect::kBuffers);
  if (!list)
    return std::nullopt;
  SmallVector<KernelBuffer> buffers;
  for (Attribute element : list) {
    auto entry = dyn_cast<DictionaryAttr>(element);
    auto type = entry ? entry.getAs<TypeAttr>(typeKey) : TypeAttr();
    auto bytes = entry ? entry.getAs<IntegerAttr>(alignmentKey) : IntegerAttr();
    if (!type || !bytes || !isa<MemRefType>(type.getValue()))
      return std::nullopt;
    buffers.push_back({cast<MemRefType>(type.getValue()),
                       bytes.getValue().getZExtValue(),
                       entry.contains(streamKey), entry.contains(loadedKey),
                       entry.contains(constantKey)});
    if (auto map = entry.getAs<AffineMapAttr>(bytesKey))
      buffers.back().bytes = map.getValue();
  }
  return buffers;
}

void tonno::setKernelBuffers(Operation *function,
                             ArrayRef<KernelBuffer> buffers) {
  Builder builder(function->getContext());
  SmallVector<Attribute> list;
  for (const KernelBuffer &buffer : buffers) {
    NamedAttrList entry;
    entry.set(typeKey, TypeAttr::get(buffer.type));
    entry.set(alignmentKey, builder.getI64IntegerAttr(buffer.alignment));
    if (buffer.isStreamed)
      entry.set(streamKey, builder.getUnitAttr());
    if (buffer.isLoaded)
      entry.set(loadedKey, builder.getUnitAttr());
    if (buffer.isConstant)
      entry.set(constantKey, builder.getUnitAttr());
    if (buffer.bytes)
      entry.set(bytesKey, AffineMapAttr::get(buffer.bytes));
    list.push_back(entry.getDictionary(function->getContext()));
  }
  function->setAttr(TonnoDialect::kBuffers, builder.getArrayAttr(list));
}

void tonno::setBufferArgumentAttrs(FunctionOpInterface function,
                                   unsigned argument,
                                   const KernelBuffer &buffer, bool isNoAlias) {
  Builder builder(function.getContext());
  if (isNoAlias)
    function.setArgAttr(argument, LLVM::LLVMDialect::getNoAliasAttrName(),
                        builder.getUnitAttr());
  function.setArgAttr(argument, LLVM::LLVMDialect::getAlignAttrName(),
                      builder.getI64IntegerAttr(buffer.alignment));
}

BlockArgument tonno::findConstantArgument(Value tensor) {
  auto read = tensor.getDefiningOp<bufferization::ToTensorOp>();
  auto argument =
      read ? dyn_cast<BlockArgument>(read.getBuffer()) : BlockArgument();
  auto function =
      argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp())
               : func::FuncOp();
  auto buffers = function ? getKernelBuffers(function) : std::nullopt;
  bool isConstant = buffers && argument.getArgNumber() < buffers->size() &&
                    (*buffers)[argument.getArgNumber()].isConstant;
  return isConstant ? argument : BlockArgument();
}

LogicalResult
tonno::verifyBufferType(MemRefType type,
                        function_ref<InFlightDiagnostic()> emitError) {
  if (!type.hasStaticShape())
    return emitError() << "dynamic shapes are not supported; give sizes by "
                          "tonno-specialize-shapes";
  int64_t offset;
  SmallVector<int64_t> strides;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return emitError() << "the layout has no strides; use strided<[...]>";
  if (llvm::any_of(strides, ShapedType::isDynamic))
    return emitError() << "dynamic strides are not supported; state them, as "
                          "in strided<[128, 1]>";
  if (llvm::any_of(strides, [](int64_t stride) { return stride < 0; }))
    return emitError() << "negative strides are not supported; reverse the "
                          "buffer inside the kernel";
  if (offset != 0)
    return emitError() << "offsets are not supported; remove the offset, and "
                          "pass a pointer to the first element";
  if (type.getMemorySpace())
    return emitError()
           << "memory spaces are not supported; remove the memory space";
  return success();
}

/// Returns the buffer of a value that enters or leaves a kernel; null if it has
/// none.
static MemRefType bufferType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.hasStaticShape()
               ? MemRefType::get(tensor.getShape(), tensor.getElementType())
               : MemRefType();
  if (auto memref = dyn_cast<MemRefType>(type))
    return memref;
  return type.isIntOrIndexOrFloat() ? MemRefType::get({}, type) : MemRefType();
}

/// Returns the buffers of arguments, then results.
static FailureOr<SmallVector<KernelBuffer>>
collectKernelBuffers(func::FuncOp kernel) {
  SmallVector<KernelBuffer> buffers;
  auto refuse = [&](Type type) {
    return kernel.emitError() << "kernel '" << kernel.getName()
                              << "' takes or returns " << type << ": ";
  };
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                            kernel.getResultTypes())) {
    MemRefType buffer = bufferType(type);
    if (!buffer)
      return refuse(type) << "only tensors and memrefs of static shape and "
                             "scalars have a buffer";
    if (failed(verifyBufferType(buffer, [&] { return refuse(type); })))
      return failure();
    buffers.push_back({buffer, bufferAlignment});
  }
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
    buffers[i].alignment = getArgumentAlignment(kernel, i);
    // A kernel may write a memref.
    buffers[i].isConstant =
        isa<RankedTensorType>(kernel.getArgumentTypes()[i]) &&
        kernel.getArgAttr(i, TonnoDialect::kConstant);
  }
  return buffers;
}

/// Makes the argument, which becomes the buffer, a value again.
static void readArgument(OpBuilder &builder, BlockArgument argument,
                         MemRefType buffer) {
  Type type = argument.getType();
  if (type == buffer)
    return;
  argument.setType(buffer);
  Location loc = argument.getLoc();
  if (!isa<RankedTensorType>(type)) {
    auto value = memref::LoadOp::create(builder, loc, argument);
    argument.replaceAllUsesExcept(value, value);
    return;
  }
  auto value = bufferization::ToTensorOp::create(builder, loc, type, argument,
                                                 /*restrict=*/true);
  argument.replaceAllUsesExcept(value, value);
  // Copies the read-only argument where an op would write into it; the copy's
  // `tensor.empty` becomes the result's own buffer.
  for (OpOperand &use : llvm::make_early_inc_range(value->getUses()))
    if (isDestination(use))
      copyIntoEmpty(builder, use);
}

/// Replaces `result` by the value that it is a reshape of; returns a view of
/// `buffer` that this value is computed in. For
///
///   %r = tensor.expand_shape %v [[0, 1]] output_shape [2, 4]
///
/// and %out, returns
///
///   memref.collapse_shape %out [[0, 1]] : memref<2x4xf32> into memref<8xf32>
static Value reshapeBuffer(OpBuilder &builder, Value &result, Value buffer) {
  while (Operation *reshape = result.getDefiningOp()) {
    Location loc = reshape->getLoc();
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape)) {
      buffer = memref::CollapseShapeOp::create(
          builder, loc, buffer, expand.getReassociationIndices());
      result = expand.getSrc();
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape);
               collapse && collapse.getSrcType().hasStaticShape()) {
      buffer = memref::ExpandShapeOp::create(
          builder, loc, collapse.getSrcType().getShape(), buffer,
          collapse.getReassociationIndices());
      result = collapse.getSrc();
    } else {
      break;
    }
  }
  return buffer;
}

static void writeResults(OpBuilder &builder, func::ReturnOp terminator,
                         ValueRange buffers) {
  Block &entry = terminator->getParentOfType<func::FuncOp>().front();
  for (auto [result, buffer] :
       llvm::zip_equal(terminator.getOperands(), buffers)) {
    Location loc = terminator.getLoc();
    if (isa<RankedTensorType>(result.getType())) {
      Value value = result;
      // The view dominates every op that may be computed in it.
      builder.setInsertionPointToStart(&entry);
      Value view = reshapeBuffer(builder, value, buffer);
      builder.setInsertionPoint(terminator);
      auto write = bufferization::MaterializeInDestinationOp::create(
          builder, loc, value, view);
      write.setRestrict(true);
      write.setWritable(true);
    } else {
      builder.setInsertionPoint(terminator);
      memref::StoreOp::create(builder, loc, result, buffer);
    }
  }
  terminator->setOperands({});
}

static LogicalResult makeBuffers(func::FuncOp kernel) {
  for (Type type : kernel.getResultTypes())
    if (isa<BaseMemRefType>(type))
      return kernel.emitError()
             << "kernel '" << kernel.getName() << "' returns " << type
             << "; take it as an argument and write into it";
  auto buffers = collectKernelBuffers(kernel);
  if (failed(buffers))
    return failure();
  setKernelBuffers(kernel, *buffers);

  // A lowering of the kernel's own may look for maps.
  if (!hasOwnLowering(kernel) && failed(generalizeReadingMaps(kernel)))
    return failure();
  if (failed(lowerAffineOfTensors(kernel)))
    return failure();
  Block &entry = kernel.getBody().front();
  OpBuilder builder(kernel.getContext());
  if (!hasOwnLowering(kernel)) {
    fillConstantDestinations(kernel);
    duplicateInits(kernel);
  }
  cloneSharedInits(kernel);
  alignCarried(kernel);
  writeBackIterArgs(kernel);
  unsigned numArguments = kernel.getNumArguments();
  for (unsigned i = 0; i < numArguments; ++i) {
    builder.setInsertionPointToStart(&entry);
    readArgument(builder, entry.getArgument(i), (*buffers)[i].type);
  }
  copyYieldedOuterTensors(kernel);
  separateResultBuffers(kernel);
  for (const KernelBuffer &result :
       llvm::ArrayRef(*buffers).drop_front(numArguments))
    entry.addArgument(result.type, kernel.getLoc());
  ValueRange results = entry.getArguments().drop_front(numArguments);
  kernel.walk([&](func::ReturnOp terminator) {
    writeResults(builder, terminator, results);
  });
  // Attributes of results would end on the wrong arguments.
  kernel.removeResAttrsAttr();
  kernel.removeArgAttrsAttr();
  kernel.setFunctionType(
      builder.getFunctionType(TypeRange(entry.getArguments()), {}));
  return success();
}

namespace {

struct KernelBuffers : tonno::impl::KernelBuffersPassBase<KernelBuffers> {
  using KernelBuffersPassBase::KernelBuffersPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bool chosen = kernel.empty() ? function.isPublic()
                                   : function.getName() == kernel.getValue();
      if (chosen && !function.isExternal() && failed(makeBuffers(function)))
        return signalPassFailure();
    }
  }
};

} // namespace

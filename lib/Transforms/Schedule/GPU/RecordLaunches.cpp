//===- Launch plan of outlined GPU kernels --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Schedule/GPU/LaunchBranches.h"
#include "Schedule/KernelSizes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tonno {
#define GEN_PASS_DEF_RECORDLAUNCHESPASS
#define GEN_PASS_DEF_SINKINTOLAUNCHESPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns true if the op reads nothing, or an argument that nothing writes.
static bool isMovable(Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (isMemoryEffectFree(op))
    return true;
  auto load = dyn_cast<memref::LoadOp>(op);
  if (!load || !isa<BlockArgument>(load.getMemRef()))
    return false;
  return llvm::all_of(load.getMemRef().getUsers(),
                      llvm::IsaPred<memref::LoadOp>);
}

/// Adds the ops that compute the value from the function's arguments, in order.
/// Returns a value on the way that no movable op computes; null if there is
/// none.
static Value findUnmovable(Value value, SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<func::FuncOp>(value.getParentBlock()->getParentOp()) ? Value()
                                                                    : value;
  if (ops.contains(op))
    return nullptr;
  if (!isMovable(op))
    return value;
  for (Value operand : op->getOperands())
    if (Value unmovable = findUnmovable(operand, ops))
      return unmovable;
  ops.insert(op);
  return nullptr;
}

namespace {

struct SinkIntoLaunches
    : tonno::impl::SinkIntoLaunchesPassBase<SinkIntoLaunches> {
  static LogicalResult sink(gpu::LaunchOp launch) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(launch.getBody(), captured);
    SetVector<Operation *> ops;
    for (Value value : captured)
      if (Value unmovable = findUnmovable(value, ops))
        return launch.emitError()
               << "a launch can use only the kernel's buffers, not a value of "
                  "type "
               << unmovable.getType() << " that is computed outside of it";
    OpBuilder builder(launch.getBody());
    IRMapping mapping;
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    for (auto [outside, inside] : mapping.getValueMap())
      replaceAllUsesInRegionWith(outside, inside, launch.getBody());
    return success();
  }

  void runOnOperation() override {
    if (failed(checkOps(getOperation(), sink)))
      return signalPassFailure();
    SmallVector<Attribute> attributes;
    getOperation().walk([&](gpu::LaunchOp launch) {
      // Names without a dialect are the op's own.
      auto ofDialects = llvm::filter_to_vector(
          launch->getDiscardableAttrs(), [](NamedAttribute attribute) {
            return attribute.getNameDialect() != nullptr;
          });
      attributes.push_back(DictionaryAttr::get(&getContext(), ofDialects));
    });
    if (!attributes.empty())
      getOperation()->setAttr(TonnoDialect::kLaunchAttributes,
                              Builder(&getContext()).getArrayAttr(attributes));
  }
};

} // namespace

/// States what launch plans promise of the pointers, and what vectors need of
/// shared memory.
static void setArgumentAttrs(gpu::GPUFuncOp function,
                             ArrayRef<int64_t> arguments,
                             ArrayRef<KernelBuffer> buffers) {
  Builder builder(function.getContext());
  for (auto [i, argument] : llvm::enumerate(arguments))
    setBufferArgumentAttrs(function, i, buffers[argument]);
  for (unsigned i = 0; i < function.getNumWorkgroupAttributions(); ++i)
    function.setWorkgroupAttributionAttr(i,
                                         LLVM::LLVMDialect::getAlignAttrName(),
                                         builder.getI64IntegerAttr(16));
}

namespace {

struct RecordLaunches : tonno::impl::RecordLaunchesPassBase<RecordLaunches> {
  using RecordLaunchesPassBase::RecordLaunchesPassBase;

  func::FuncOp findKernel() {
    if (!kernel.empty())
      return getOperation().lookupSymbol<func::FuncOp>(kernel);
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal())
        return function;
    return nullptr;
  }

  /// Records a launch. `attributes` are those of the launch op before
  /// outlining.
  LogicalResult record(gpu::LaunchFuncOp launch, StringRef name,
                       DictionaryAttr attributes) {
    Builder builder(&getContext());
    auto function = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernel());
    if (!function)
      return launch.emitError("the launch names an unknown function");
    auto caller = launch->getParentOfType<func::FuncOp>();
    auto buffers = getKernelBuffers(caller);
    SmallVector<int64_t> arguments;
    for (Value operand : launch.getKernelOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument || argument.getOwner()->getParentOp() != caller ||
          llvm::is_contained(arguments, argument.getArgNumber()))
        return launch.emitError(
            "the launch has an operand that is not a buffer of the kernel");
      arguments.push_back(argument.getArgNumber());
    }
    auto reaching = findReachingSizes(launch);
    if (failed(reaching))
      return launch.emitError("a launch may be in branches on the kernel's "
                              "sizes, but not in loops or other branches; "
                              "write the loop into the launch");
    auto grid = computeGrid(launch);
    auto block = computeBlock(launch);
    if (failed(grid) || failed(block))
      return failure();
    int64_t sharedBytes = 0;
    if (Value dynamic = launch.getDynamicSharedMemorySize()) {
      auto constant = getConstantIntValue(dynamic);
      if (!constant)
        return launch.emitError(
            "the launch's shared memory must be a constant");
      sharedBytes = *constant;
    }
    if (buffers)
      setArgumentAttrs(function, arguments, *buffers);
    // Moves the constants along that outlining has put beside the function.
    auto outlined = function->getParentOfType<gpu::GPUModuleOp>();
    for (Operation &op : llvm::make_early_inc_range(*outlined.getBody())) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      if (symbol && &op != function &&
          !SymbolTable::lookupSymbolIn(device, symbol.getNameAttr()))
        op.moveBefore(device.getBody(), device.getBody()->end());
    }
    // LLVM takes large constants for aligned to 16 bytes, and where nothing
    // says so its PTX places them as their elements want it.
    for (auto global : device.getOps<memref::GlobalOp>())
      if (!global.getAlignment())
        global.setAlignment(16);
    function.setName(name);
    for (NamedAttribute attribute : attributes)
      function->setDiscardableAttr(attribute.getName(), attribute.getValue());
    function->moveBefore(device.getBody(), device.getBody()->end());
    NamedAttrList recorded;
    recorded.set("symbol", builder.getStringAttr(name));
    recorded.set("buffers", builder.getI64ArrayAttr(arguments));
    recorded.set("grid", *grid);
    recorded.set("block", *block);
    recorded.set("shared_bytes", builder.getI64IntegerAttr(sharedBytes));
    if (launch->getParentOp() != caller)
      recorded.set("sizes", builder.getArrayAttr(llvm::map_to_vector(
                                *reaching, [](IntegerSet set) -> Attribute {
                                  return IntegerSetAttr::get(set);
                                })));
    launches.push_back(recorded.getDictionary(&getContext()));
    return success();
  }

  /// Returns the constant as an attribute of a launch; null if it is none.
  IntegerAttr getExtent(Value value) {
    auto size = getConstantIntValue(value);
    if (!size || *size < 1 || *size > INT32_MAX)
      return IntegerAttr();
    return Builder(&getContext()).getI64IntegerAttr(*size);
  }

  FailureOr<Attribute> computeBlock(gpu::LaunchFuncOp launch) {
    SmallVector<Attribute> extents;
    auto [x, y, z] = launch.getBlockSizeOperandValues();
    for (Value value : {x, y, z}) {
      extents.push_back(getExtent(value));
      if (!extents.back())
        return launch.emitError(
            "the block of a launch must have positive constants");
    }
    return Attribute(ArrayAttr::get(&getContext(), extents));
  }

  /// Returns the workgroups along each dimension; those that depend on the
  /// kernel's sizes as maps.
  FailureOr<Attribute> computeGrid(gpu::LaunchFuncOp launch) {
    KernelSizes sizes(launch->getParentOfType<func::FuncOp>());
    SmallVector<Attribute> extents;
    auto [x, y, z] = launch.getGridSizeOperandValues();
    for (Value value : {x, y, z}) {
      Attribute extent = getExtent(value);
      if (!extent)
        if (AffineExpr bySizes = sizes.express(value);
            bySizes && !isa<AffineConstantExpr>(bySizes))
          extent = AffineMapAttr::get(sizes.createMap(bySizes));
      if (!extent)
        return launch.emitError("the grid of a launch must have positive "
                                "constants, or sums, products and quotients of "
                                "the kernel's sizes; give sizes by "
                                "'--shapes=M=64'");
      extents.push_back(extent);
    }
    return Attribute(ArrayAttr::get(&getContext(), extents));
  }

  void runOnOperation() override {
    launches.clear(); // of the module before
    ModuleOp module = getOperation();
    func::FuncOp function = findKernel();
    if (!function) {
      module.emitError() << "the lowering left no function '" << kernel << "'";
      return signalPassFailure();
    }
    SmallVector<gpu::LaunchFuncOp> found;
    function.walk([&](gpu::LaunchFuncOp launch) { found.push_back(launch); });
    OpBuilder builder(module.getBodyRegion());
    builder.setInsertionPointToEnd(module.getBody());
    std::string prefix = (function.getName() + "_entry").str();
    device = gpu::GPUModuleOp::create(builder, function.getLoc(),
                                      (function.getName() + "_device").str());
    auto buffers = getKernelBuffers(function);
    auto attributes =
        function->getAttrOfType<ArrayAttr>(TonnoDialect::kLaunchAttributes);
    for (auto [i, launch] : llvm::enumerate(found)) {
      std::string name =
          found.size() == 1 ? prefix : prefix + "_" + std::to_string(i);
      auto ofLaunch = attributes && attributes.size() == found.size()
                          ? cast<DictionaryAttr>(attributes[i])
                          : DictionaryAttr::get(&getContext());
      if (failed(record(launch, name, ofLaunch)))
        return signalPassFailure();
    }
    if (buffers)
      module->setAttr(TonnoDialect::kBuffers,
                      function->getAttr(TonnoDialect::kBuffers));
    module->setAttr(TonnoDialect::kLaunches, builder.getArrayAttr(launches));
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (&op != device)
        op.erase();
  }

private:
  gpu::GPUModuleOp device; ///< that gets all functions
  SmallVector<Attribute> launches;
};

} // namespace

//===- The entry point of a host kernel -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/LaunchPlan.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tonno {
#define GEN_PASS_DEF_GUARDNAMESPASS
#define GEN_PASS_DEF_HOSTENTRYPASS
#include "tonno/Transforms/Schedule/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// The suffix of kernels' names by tonno-guard-names.
static constexpr StringLiteral kernelSuffix = ".kernel";

/// Returns the kernel's name without the suffix, as callers know it.
static StringRef getUnsuffixedName(LLVM::LLVMFuncOp kernel) {
  StringRef name = kernel.getName();
  name.consume_back(kernelSuffix);
  return name;
}

static std::string getEntryName(LLVM::LLVMFuncOp kernel) {
  return (getUnsuffixedName(kernel) + "_entry").str();
}

namespace {

/// The start of an argument's buffer, in one that the entry point takes.
struct BasePointer {
  int32_t buffer;
  int64_t offset = 0;
};

/// Returns the arguments of a descriptor: two pointers, offset, sizes, strides.
unsigned descriptorSize(MemRefType type) { return 3 + 2 * type.getRank(); }

/// Writes the entry point of one kernel.
class EntryBuilder {
public:
  /// `places` are those of the arguments; by default each is a buffer.
  EntryBuilder(LLVM::LLVMFuncOp kernel, std::string name,
               ArrayRef<BasePointer> places = {})
      : kernel(kernel), name(std::move(name)),
        builder(kernel.getLoc(), kernel.getContext()),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())),
        places(places) {}

  LogicalResult build() {
    findBuffers();
    FailureOr<bool> isBare = takesBarePointers();
    if (failed(isBare))
      return failure();
    if (SymbolTable::lookupNearestSymbolFrom(kernel,
                                             builder.getStringAttr(name)))
      return kernel.emitError() << "the name '" << name << "' is taken";

    builder.setInsertionPointAfter(kernel);
    SmallVector<Type> parameters = {pointer};
    if (takesWorkgroup())
      parameters.push_back(builder.getI64Type());
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(builder.getContext()), parameters);
    auto entry = LLVM::LLVMFuncOp::create(builder, name, type);
    builder.setInsertionPointToStart(entry.addEntryBlock(builder));
    Value array = entry.getArgument(0);
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      BasePointer place = places.empty() ? BasePointer{int32_t(i)} : places[i];
      Value slot = LLVM::GEPOp::create(builder, pointer, pointer, array,
                                       ArrayRef<LLVM::GEPArg>{place.buffer});
      Value start = LLVM::LoadOp::create(builder, pointer, slot);
      if (place.offset != 0)
        start = LLVM::GEPOp::create(builder, pointer, builder.getI8Type(),
                                    start, constant(place.offset));
      if (*isBare)
        passPointer(start, buffer);
      else
        passDescriptor(start, buffer);
    }
    if (takesWorkgroup())
      arguments.push_back(entry.getArgument(1));
    LLVM::CallOp::create(builder, kernel, arguments);
    LLVM::ReturnOp::create(builder, ValueRange());

    // The entry point takes the caller's buffers from here on.
    if (Attribute known = kernel->removeAttr(TonnoDialect::kBuffers))
      entry->setAttr(TonnoDialect::kBuffers, known);
    if (Attribute threads = kernel->removeAttr(TonnoDialect::kThreads))
      entry->setAttr(TonnoDialect::kThreads, threads);
    // Inlined, the kernel would lose what its arguments promise.
    kernel.setLinkage(LLVM::Linkage::Internal);
    kernel.setNoInline(true);
    return success();
  }

private:
  void findBuffers() {
    if (auto known = getKernelBuffers(kernel)) {
      buffers = *known;
      return;
    }
    // A kernel written in the LLVM dialect has no buffer types, and nothing
    // says how its plan aligns them.
    auto bytes = MemRefType::get({1}, builder.getI8Type());
    buffers.assign(kernel.getNumArguments(), {bytes, /*alignment=*/1});
  }

  /// Returns whether the buffers are bare pointers rather than descriptors.
  FailureOr<bool> takesBarePointers() {
    unsigned numArguments = kernel.getNumArguments(), numExpanded = 0;
    numArguments -= takesWorkgroup() ? 1 : 0;
    for (const KernelBuffer &buffer : buffers)
      numExpanded += descriptorSize(buffer.type);
    if (numArguments != buffers.size() && numArguments != numExpanded)
      return kernel.emitError()
             << "kernel '" << getUnsuffixedName(kernel) << "' has "
             << numArguments << " arguments; its buffers need "
             << buffers.size() << " as bare pointers, or " << numExpanded
             << " as descriptors";
    bool isBare = numArguments == buffers.size();
    unsigned position = 0;
    for (auto [i, buffer] : llvm::enumerate(buffers)) {
      for (unsigned j = 0, e = isBare ? 1 : 2; j < e; ++j)
        if (kernel.getArgumentTypes()[position + j] != pointer)
          return kernel.emitError()
                 << "argument " << position + j << " of kernel '"
                 << getUnsuffixedName(kernel) << "' is not a pointer";
      position += isBare ? 1 : descriptorSize(buffer.type);
    }
    return isBare;
  }

  /// Returns true if its workgroup's number follows the pointers.
  bool takesWorkgroup() {
    return kernel.getNumArguments() == buffers.size() + 1 &&
           kernel.getArgumentTypes().back().isInteger(64);
  }

  void passPointer(Value buffer, const KernelBuffer &type) {
    setBufferArgumentAttrs(kernel, arguments.size(), type);
    arguments.push_back(buffer);
  }

  void passDescriptor(Value buffer, const KernelBuffer &type) {
    unsigned allocated = arguments.size(), aligned = allocated + 1;
    // Both arguments are the same pointer: one is noalias if the other is
    // unused.
    setBufferArgumentAttrs(
        kernel, aligned, type,
        /*isNoAlias=*/kernel.getArgument(allocated).use_empty());
    int64_t offset;
    SmallVector<int64_t> strides;
    (void)type.type.getStridesAndOffset(strides, offset);
    arguments.append({buffer, buffer, constant(0)});
    for (int64_t number : llvm::concat<const int64_t>(
             type.type.getShape(), ArrayRef<int64_t>(strides)))
      arguments.push_back(constant(number));
  }

  Value constant(int64_t value) {
    return LLVM::ConstantOp::create(builder, builder.getI64Type(), value);
  }

  LLVM::LLVMFuncOp kernel;
  std::string name;
  ImplicitLocOpBuilder builder;
  LLVM::LLVMPointerType pointer;
  ArrayRef<BasePointer> places;
  SmallVector<KernelBuffer> buffers;
  SmallVector<Value> arguments;
};

/// The buffers of a kernel and of the function that fills some of its arguments
/// from constant ones. To callers, all these arguments are one buffer, behind
/// the kernel's others.
class SplitKernel {
public:
  SplitKernel(LLVM::LLVMFuncOp kernel, LLVM::LLVMFuncOp load,
              DictionaryAttr split)
      : kernel(kernel), load(load) {
    auto first = split.getAs<IntegerAttr>("first_loaded").getInt();
    auto count = split.getAs<IntegerAttr>("count").getInt();
    SmallVector<KernelBuffer> own = *getKernelBuffers(kernel);
    auto tail = static_cast<int32_t>(own.size() - count);
    for (auto [i, buffer] : llvm::enumerate(own)) {
      auto number = static_cast<int64_t>(i);
      if (number >= first && number < first + count)
        kernelPlaces.push_back({tail, append(buffer)});
      else {
        kernelPlaces.push_back({static_cast<int32_t>(buffers.size())});
        buffers.push_back(buffer);
      }
    }
    Type byte = IntegerType::get(kernel.getContext(), 8);
    buffers.push_back({MemRefType::get({bytes}, byte), bufferAlignment,
                       /*isStreamed=*/false, /*isLoaded=*/true});
    for (int64_t i = 0; i <= tail; ++i)
      kernelBuffers.push_back(i);

    for (auto constant :
         split.getAs<ArrayAttr>("constants").getAsRange<IntegerAttr>())
      loadBuffers.push_back(constant.getInt());
    auto constants = static_cast<int32_t>(loadBuffers.size());
    loadBuffers.push_back(tail);
    for (int32_t i = 0; i < constants; ++i)
      loadPlaces.push_back({i});
    for (const BasePointer &place : kernelPlaces)
      if (place.buffer == tail)
        loadPlaces.push_back({constants, place.offset});
    for (const KernelBuffer &buffer :
         ArrayRef(*getKernelBuffers(load)).drop_front(loadPlaces.size())) {
      loadPlaces.push_back({static_cast<int32_t>(loadBuffers.size())});
      loadBuffers.push_back(static_cast<int64_t>(buffers.size()));
      buffers.push_back(buffer);
    }
  }

  /// Writes both entry points, and lists the launches on the module.
  LogicalResult build(ModuleOp module) {
    if (module->hasAttr(TonnoDialect::kLaunches))
      return kernel.emitError()
             << "a module of kernels with constant arguments is lowered kernel "
                "by kernel; name one by 'kernel'";
    Builder builder(module.getContext());
    std::string entry = getEntryName(kernel), loadEntry = entry + "_load";
    NamedAttrList atLoad = describeLaunch(load, loadEntry, loadBuffers);
    atLoad.set("at_load", builder.getUnitAttr());
    NamedAttrList run = describeLaunch(kernel, entry, kernelBuffers);
    if (failed(EntryBuilder(load, loadEntry, loadPlaces).build()) ||
        failed(EntryBuilder(kernel, entry, kernelPlaces).build()))
      return failure();
    setKernelBuffers(module, buffers);
    module->setAttr(
        TonnoDialect::kLaunches,
        builder.getArrayAttr({atLoad.getDictionary(module.getContext()),
                              run.getDictionary(module.getContext())}));
    return success();
  }

private:
  /// Adds an argument to the loaded buffer; returns its offset.
  int64_t append(const KernelBuffer &buffer) {
    int64_t offset = bytes;
    // An element takes whole bytes, as many as a power of two.
    uint64_t element = llvm::PowerOf2Ceil(
        llvm::divideCeil(buffer.type.getElementTypeBitWidth(), 8));
    bytes += static_cast<int64_t>(
        llvm::alignTo(buffer.type.getNumElements() * element, bufferAlignment));
    return offset;
  }

  static NamedAttrList describeLaunch(LLVM::LLVMFuncOp function,
                                      StringRef entry,
                                      ArrayRef<int64_t> buffers) {
    Builder builder(function.getContext());
    NamedAttrList launch;
    launch.set("symbol", builder.getStringAttr(entry));
    launch.set("buffers", builder.getI64ArrayAttr(buffers));
    launch.set("grid", builder.getI64ArrayAttr({1, 1, 1}));
    launch.set("block", builder.getI64ArrayAttr({1, 1, 1}));
    launch.set("shared_bytes", builder.getI64IntegerAttr(0));
    if (Attribute threads = function->getAttr(TonnoDialect::kThreads))
      launch.set("threads", threads);
    return launch;
  }

  LLVM::LLVMFuncOp kernel, load;
  SmallVector<KernelBuffer> buffers;
  SmallVector<BasePointer> kernelPlaces, loadPlaces;
  SmallVector<int64_t> kernelBuffers, loadBuffers;
  int64_t bytes = 0;
};

struct GuardNames : tonno::impl::GuardNamesPassBase<GuardNames> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    DenseMap<StringAttr, StringAttr> renamed;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        renamed[function.getSymNameAttr()] =
            StringAttr::get(&getContext(), function.getName() + kernelSuffix);
    for (auto [name, suffixed] : renamed)
      if (Operation *taken = symbols.lookup(suffixed)) {
        taken->emitError() << "the name '" << suffixed.getValue()
                           << "' is needed for '" << name.getValue() << "'";
        return signalPassFailure();
      }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (StringAttr suffixed = renamed.lookup(function.getSymNameAttr()))
        function.setSymNameAttr(suffixed);
    // Renamed one by one, each would have all ops searched for its uses.
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [&](FlatSymbolRefAttr use) -> std::optional<Attribute> {
          if (StringAttr suffixed = renamed.lookup(use.getAttr()))
            return FlatSymbolRefAttr::get(suffixed);
          return std::nullopt;
        });
    replacer.recursivelyReplaceElementsIn(getOperation());
  }
};

struct HostEntry : tonno::impl::HostEntryPassBase<HostEntry> {
  using HostEntryPassBase::HostEntryPassBase;

  void runOnOperation() override {
    SmallVector<LLVM::LLVMFuncOp> kernels;
    DenseSet<StringRef> loads;
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (auto split =
              function->getAttrOfType<DictionaryAttr>(TonnoDialect::kLoad))
        loads.insert(split.getAs<StringAttr>("function").getValue());
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal() || loads.contains(getUnsuffixedName(function)))
        continue;
      bool isPublic = function.getLinkage() == LLVM::Linkage::External;
      if (kernel.empty() ? isPublic
                         : getUnsuffixedName(function) == kernel.getValue())
        kernels.push_back(function);
      else if (isPublic)
        function.setLinkage(LLVM::Linkage::Internal);
    }
    if (kernels.empty() && !kernel.empty()) {
      getOperation().emitError()
          << "the lowering left no function '" << kernel << "'";
      return signalPassFailure();
    }
    for (LLVM::LLVMFuncOp function : kernels)
      if (failed(build(function)))
        return signalPassFailure();
  }

private:
  LogicalResult build(LLVM::LLVMFuncOp function) {
    auto split = cast_if_present<DictionaryAttr>(
        function->removeAttr(TonnoDialect::kLoad));
    if (!split)
      return EntryBuilder(function, getEntryName(function)).build();
    std::string name = split.getAs<StringAttr>("function").str();
    for (StringRef suffix : {StringRef(kernelSuffix), StringRef()})
      if (auto load = getOperation().lookupSymbol<LLVM::LLVMFuncOp>(
              (name + suffix).str()))
        return SplitKernel(function, load, split).build(getOperation());
    return function.emitError()
           << "the lowering left no function '" << name << "'";
  }
};

} // namespace

//===- Buffers and launches of a kernel -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Backend.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "ArgumentAccess.h"
#include "IndexArguments.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tonno;

static std::optional<ElementType> elementType(Type type) {
  if (type.isF64())
    return ElementType::f64;
  if (type.isF32())
    return ElementType::f32;
  if (type.isF16())
    return ElementType::f16;
  if (type.isBF16())
    return ElementType::bf16;
  if (type.isIndex())
    return ElementType::i64;
  if (!type.isSignlessInteger())
    return std::nullopt;
  switch (type.getIntOrFloatBitWidth()) {
  case 64:
    return ElementType::i64;
  case 32:
    return ElementType::i32;
  case 16:
    return ElementType::i16;
  case 8:
    return ElementType::i8;
  case 1:
    return ElementType::i1;
  default:
    return std::nullopt;
  }
}

namespace {

/// Makes the plan of one kernel.
class Planner {
public:
  Planner(func::FuncOp kernel, func::FuncOp inlined, UnknownData unknown)
      : kernel(kernel), inlined(inlined), unknown(unknown) {}

  LogicalResult addArguments();
  LogicalResult addResults();
  FailureOr<LaunchPlan> finish();

private:
  FailureOr<BufferSpec> bufferSpec(Type type, const char *what,
                                   unsigned number);
  LogicalResult setLayout(BufferSpec &spec, MemRefType type,
                          function_ref<InFlightDiagnostic()> refuse);
  LogicalResult addDeclared(BufferSpec &spec, unsigned argument);
  LogicalResult addIndices(BufferSpec &spec, unsigned argument);

  func::FuncOp kernel;
  func::FuncOp inlined; ///< the same without calls
  UnknownData unknown;
  LaunchPlan plan;
};

} // namespace

LogicalResult Planner::setLayout(BufferSpec &spec, MemRefType type,
                                 function_ref<InFlightDiagnostic()> refuse) {
  if (failed(verifyBufferType(type, refuse)))
    return failure();
  if (type.getLayout().isIdentity())
    return success();
  int64_t offset;
  SmallVector<int64_t> strides;
  (void)type.getStridesAndOffset(strides, offset);
  spec.strides.assign(strides.begin(), strides.end());
  if (auto fits = spec.checkLayout(); !fits)
    return refuse() << fits.error().message;
  return success();
}

/// Not by its class, which would link the dialect.
static bool isSparse(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding() &&
         tensor.getEncoding().getDialect().getNamespace() == "sparse_tensor";
}

/// Returns why buffers can't have elements of this type, and what can be done.
static StringRef adviseElementType(Type type) {
  if (isa<ComplexType>(type))
    return "complex numbers can't be arguments or results; pass real and "
           "imaginary parts, and join them by complex.create";
  if (type.isUnsignedInteger() || type.isSignedInteger())
    return "only signless integers are supported; the operations say how to "
           "read them";
  return "elements may be f64, f32, f16, bf16, i64, i32, i16, i8, i1 or index";
}

/// The buffer of one argument or result; `what` names it in messages.
FailureOr<BufferSpec> Planner::bufferSpec(Type type, const char *what,
                                          unsigned number) {
  bool isArgument = what == StringRef("argument");
  Location place =
      isArgument ? kernel.getArgument(number).getLoc() : kernel.getLoc();
  auto refuse = [&] {
    return emitError(place)
           << "kernel '" << kernel.getName() << "' has " << what << " "
           << number << " of type " << type << ": ";
  };
  if (isSparse(type))
    return refuse() << "only dense tensors are supported; drop the "
                       "encoding";
  BufferSpec spec;
  auto shaped = dyn_cast<ShapedType>(type);
  if (!isa<RankedTensorType, MemRefType>(type) && !type.isIntOrIndexOrFloat())
    return refuse() << "only ranked tensors, memrefs and scalars are supported";
  if (shaped) {
    if (!shaped.hasStaticShape())
      return refuse() << "a dynamic shape can't be tuned";
    if (llvm::is_contained(shaped.getShape(), 0))
      return refuse() << "a dimension of size 0 leaves nothing to compute";
    llvm::append_range(spec.shape, shaped.getShape());
  }
  Type elements = getElementTypeOrSelf(type);
  std::optional<ElementType> known = elementType(elements);
  if (!known)
    return refuse() << adviseElementType(elements);
  spec.elementType = *known;
  spec.name = (isArgument ? "arg" : "result") + std::to_string(number);
  if (auto fits = spec.checkLayout(); !fits)
    return refuse() << fits.error().message;
  if (auto memref = dyn_cast<MemRefType>(type))
    if (failed(setLayout(spec, memref, refuse)))
      return failure();
  return spec;
}

/// What the argument's attributes say of the buffer, else what the IR does.
LogicalResult Planner::addDeclared(BufferSpec &spec, unsigned argument) {
  if (auto bytes = kernel.getArgAttrOfType<IntegerAttr>(
          argument, TonnoDialect::kAlignment))
    spec.alignment = bytes.getValue().getZExtValue();
  if (auto access = kernel.getArgAttrOfType<StringAttr>(
          argument, TonnoDialect::kAccess)) {
    bool isBuffer = isa<MemRefType>(kernel.getArgumentTypes()[argument]);
    if (!isBuffer && access != "read")
      return kernel.emitError()
             << "kernel '" << kernel.getName() << "' has argument " << argument
             << " with " << TonnoDialect::kAccess << " = " << access
             << ", but values are only read; pass a memref";
    spec.access = llvm::StringSwitch<Access>(access)
                      .Case("read", Access::read)
                      .Case("write", Access::write)
                      .Default(Access::read_write);
  }
  auto input =
      kernel.getArgAttrOfType<InputAttr>(argument, TonnoDialect::kInput);
  if (input) {
    auto parsed = InputSpec::parse(input.getText().str());
    if (!parsed)
      return kernel.emitError() << parsed.error().message;
    spec.input = *parsed;
    return success();
  }
  if (spec.access == Access::write)
    return success();
  return addIndices(spec, argument);
}

LogicalResult Planner::addIndices(BufferSpec &spec, unsigned argument) {
  std::optional<ScopedDiagnosticHandler> quiet;
  if (unknown == UnknownData::ignore)
    quiet.emplace(kernel.getContext(), [](Diagnostic &) { return success(); });
  auto derived = deriveIndexInput(inlined, argument);
  if (failed(derived))
    return success(unknown == UnknownData::ignore);
  spec.input = *derived;
  return success();
}

LogicalResult Planner::addArguments() {
  SmallVector<BufferSpec> specs;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    auto spec = bufferSpec(type, "argument", i);
    if (failed(spec))
      return failure();
    specs.push_back(std::move(*spec));
  }
  SmallVector<Access> accesses = findArgumentAccess(inlined);
  for (auto [i, spec] : llvm::enumerate(specs)) {
    spec.access = accesses[i];
    if (failed(addDeclared(spec, i)))
      return failure();
    plan.buffers.push_back(std::move(spec));
  }
  return success();
}

LogicalResult Planner::addResults() {
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes())) {
    if (isa<BaseMemRefType>(type))
      return kernel.emitError()
             << "kernel '" << kernel.getName() << "' returns " << type
             << "; take it as an argument and write into it";
    auto spec = bufferSpec(type, "result", i);
    if (failed(spec))
      return failure();
    spec->access = Access::write;
    plan.buffers.push_back(std::move(*spec));
  }
  return success();
}

FailureOr<LaunchPlan> Planner::finish() {
  if (llvm::all_of(plan.buffers, [](const BufferSpec &buffer) {
        return buffer.access == Access::read;
      }))
    return kernel.emitError()
           << "kernel '" << kernel.getName()
           << "' has no result, and writes into none of its arguments";
  Launch launch;
  launch.symbol = (kernel.getName() + "_entry").str();
  for (uint32_t i = 0; i < plan.buffers.size(); ++i)
    launch.buffers.push_back(i);
  plan.launches.push_back(std::move(launch));
  return plan;
}

FailureOr<LaunchPlan> tonno::launchPlan(func::FuncOp kernel,
                                        UnknownData unknown) {
  if (kernel.isExternal())
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' has no body";
  bool hasCalls =
      kernel.walk([](func::CallOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  // Beside the kernel, where a copy finds the functions that it calls.
  OwningOpRef<func::FuncOp> inlined;
  if (hasCalls) {
    inlined = kernel.clone();
    SymbolTable(kernel->getParentOp()).insert(*inlined);
    if (failed(inlineCalls(*inlined)))
      return failure();
  }
  Planner planner(kernel, hasCalls ? *inlined : kernel, unknown);
  if (failed(planner.addArguments()) || failed(planner.addResults()))
    return failure();
  return planner.finish();
}

//===- Buffers and launches of a kernel -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/LaunchPlan.h"
#include "tonno/Backend/Backend.h"
#include "tonno/Backend/Emission.h"
#include "tonno/Dialect/ElementTypes.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/DynamicDimensions.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "IndexArguments.h"
#include "PlanSizes.h"

using namespace mlir;
using namespace tonno;

namespace {

struct Effects {
  bool reads = false, writes = false;

  bool any() const { return reads || writes; }
  Effects &operator|=(Effects other) {
    reads |= other.reads;
    writes |= other.writes;
    return *this;
  }
};

} // namespace

/// Returns the effects of `op` itself on its operand `value`, without those of
/// the ops in its regions.
static Effects effectsOn(Operation *op, Value value) {
  if (auto read = dyn_cast<bufferization::ToTensorOp>(op))
    return {true, read.getWritable()};
  // Uses of an extracted pointer cannot be traced.
  if (isa<memref::ExtractAlignedPointerAsIndexOp, UnrealizedConversionCastOp>(
          op))
    return {true, true};
  auto interface = dyn_cast<MemoryEffectOpInterface>(op);
  if (!interface) {
    bool isKnown = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    return {!isKnown, !isKnown};
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  interface.getEffects(instances);
  Effects effects;
  for (const MemoryEffects::EffectInstance &instance : instances) {
    if (instance.getValue() && instance.getValue() != value)
      continue;
    if (isa<MemoryEffects::Read>(instance.getEffect()))
      effects.reads = true;
    else
      effects.writes = true;
  }
  return effects;
}

/// Returns true if `view` has all elements of the buffer `whole`.
static bool isFullView(Value view, Value whole) {
  while (view != whole) {
    Operation *op = view.getDefiningOp();
    if (!isa_and_nonnull<memref::CastOp, memref::TransposeOp,
                         memref::ExpandShapeOp, memref::CollapseShapeOp,
                         memref::AssumeAlignmentOp>(op))
      return false;
    view = op->getOperand(0);
  }
  return true;
}

static bool areZero(ValueRange indices) {
  return llvm::all_of(indices, [](Value index) {
    return getConstantIntValue(index) == int64_t{0};
  });
}

/// Returns true if `op` writes each element of its operand `buffer` and reads
/// none.
static bool overwrites(Operation *op, OpOperand &buffer) {
  auto type = cast<MemRefType>(buffer.get().getType());
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (!structured.isDpsInit(&buffer))
      return false;
    AffineMap map = structured.getMatchingIndexingMap(&buffer);
    return map.isProjectedPermutation() && !readsElements(structured, buffer);
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return &buffer == &copy.getTargetMutable();
  if (auto write = dyn_cast<bufferization::MaterializeInDestinationOp>(op))
    return &buffer == &write.getDestMutable();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return &buffer == &store.getMemrefMutable() && type.getNumElements() == 1;
  if (auto store = dyn_cast<vector::StoreOp>(op))
    return &buffer == &store.getBaseMutable() && areZero(store.getIndices()) &&
           store.getVectorType().getShape() == type.getShape();
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return &buffer == &write.getBaseMutable() && !write.getMask() &&
           write.getPermutationMap().isIdentity() &&
           areZero(write.getIndices()) &&
           write.getVectorType().getShape() == type.getShape();
  return false;
}

/// Returns true if all of `argument` is overwritten before any other access.
static bool isOverwrittenFirst(Value argument, Block &entry,
                               const llvm::DenseSet<OpOperand *> &touches) {
  for (Operation &op : entry) {
    SmallVector<OpOperand *> inside;
    for (OpOperand *touch : touches)
      if (op.isAncestor(touch->getOwner()))
        inside.push_back(touch);
    if (!inside.empty())
      return inside.size() == 1 && inside.front()->getOwner() == &op &&
             isFullView(inside.front()->get(), argument) &&
             overwrites(&op, *inside.front());
  }
  return false;
}

static Access computeAccess(BlockArgument argument,
                            const BufferViewFlowAnalysis &flow) {
  Effects effects;
  llvm::DenseSet<OpOperand *> touches;
  for (Value alias : flow.resolve(argument))
    for (OpOperand &use : alias.getUses()) {
      Effects found = effectsOn(use.getOwner(), alias);
      if (found.any())
        touches.insert(&use);
      effects |= found;
    }
  if (!effects.writes)
    return Access::read;
  return isOverwrittenFirst(argument, *argument.getOwner(), touches)
             ? Access::write
             : Access::read_write;
}

/// Derives the access to each argument of a kernel without calls from its ops:
/// `read` if no op may write, `write` if all elements are certainly overwritten
/// before any is read; `read_write` in doubt. Unused arguments are `read`.
static SmallVector<Access> findArgumentAccess(func::FuncOp kernel) {
  BufferViewFlowAnalysis flow(kernel);
  SmallVector<Access> accesses;
  for (BlockArgument argument : kernel.getArguments())
    accesses.push_back(isa<MemRefType>(argument.getType())
                           ? computeAccess(argument, flow)
                           : Access::read);
  return accesses;
}

/// Checks the encoding by name, since its class would link the sparse_tensor
/// dialect.
static bool isSparse(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding() &&
         tensor.getEncoding().getDialect().getNamespace() == "sparse_tensor";
}

/// Returns why buffers can't have elements of this type, and what can be done.
static StringRef adviseElementType(Type type) {
  if (isa<ComplexType>(type))
    return "complex numbers cannot be arguments or results; pass real and "
           "imaginary parts, and join them by complex.create";
  if (type.isUnsignedInteger() || type.isSignedInteger())
    return "only signless integers are supported; the operations say how to "
           "read them";
  return "elements may be f64, f32, f16, bf16, f8E4M3FN, f8E5M2, f8E4M3FNUZ, "
         "f8E5M2FNUZ, f8E8M0FNU, f6E2M3FN, f6E3M2FN, f4E2M1FN, i64, i32, i16, "
         "i8, i4, i2, i1 or index";
}

namespace {

/// Makes the plan of one kernel.
class Planner {
public:
  Planner(func::FuncOp kernel, func::FuncOp inlined,
          DynamicDimensions dimensions, UnknownData unknown, Sizes sizes)
      : kernel(kernel), inlined(inlined), dimensions(std::move(dimensions)),
        unknown(unknown), sizes(sizes) {}

  LogicalResult addArguments() {
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

  LogicalResult addResults() {
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

  /// Adds the sizes of dynamic dimensions, which the caller gives.
  void addSizes() {
    for (const DynamicDimension &dimension : dimensions.all()) {
      if (dimension.size)
        continue;
      BufferSpec size;
      size.name = getSizeName(dimension);
      size.elementType = ElementType::i64;
      size.alignment = getByteSize(size.elementType);
      plan.buffers.push_back(std::move(size));
    }
  }

  FailureOr<LaunchPlan> finish() {
    if (llvm::all_of(plan.buffers, [](const BufferSpec &buffer) {
          return buffer.access == Access::read;
        }))
      return kernel.emitError()
             << "kernel '" << kernel.getName()
             << "' has no result, and writes to none of its arguments";
    Launch launch;
    launch.symbol = (kernel.getName() + "_entry").str();
    for (uint32_t i = 0; i < plan.buffers.size(); ++i)
      launch.buffers.push_back(i);
    plan.launches.push_back(std::move(launch));
    return plan;
  }

private:
  /// Returns the buffer of one argument or result; `what` names it in messages.
  FailureOr<BufferSpec> bufferSpec(Type type, const char *what,
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
      return refuse()
             << "only dense tensors are supported; remove the encoding";
    BufferSpec spec;
    auto shaped = dyn_cast<ShapedType>(type);
    if (!isa<RankedTensorType, MemRefType>(type) && !type.isIntOrIndexOrFloat())
      return refuse()
             << "only ranked tensors, memrefs and scalars are supported";
    if (shaped) {
      if (!shaped.hasStaticShape() && sizes == Sizes::known)
        return refuse() << "dynamic shapes are not supported; give sizes by "
                           "'--shapes=M=64'";
      if (llvm::is_contained(shaped.getShape(), 0))
        return refuse() << "a dimension of size 0 leaves nothing to compute";
      llvm::append_range(spec.shape, shaped.getShape());
      if (!shaped.hasStaticShape() &&
          failed(setSizes(spec, isArgument ? inlined.getArgument(number)
                                           : getResult(number))))
        return refuse() << "a size does not follow from the arguments' sizes";
    }
    Type elements = getElementTypeOrSelf(type);
    std::optional<ElementType> known = findElementType(elements);
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

  /// Returns the name of a size, which no other buffer has, for C and Python.
  static std::string getSizeName(const DynamicDimension &dimension) {
    const std::string &name = dimension.names.front();
    // Keywords of Python that constraints do not have.
    static constexpr StringLiteral keywords[] = {
        "False",  "None",   "True",    "as",       "assert",   "async",
        "await",  "break",  "class",   "continue", "def",      "del",
        "elif",   "except", "finally", "for",      "from",     "global",
        "import", "in",     "is",      "lambda",   "nonlocal", "pass",
        "raise",  "return", "try",     "while",    "with",     "yield"};
    bool isTaken = name == "buffers" || !isFunctionName(name) ||
                   llvm::is_contained(keywords, name);
    for (StringRef kind : {"arg", "result", "workspace", "loaded"})
      if (StringRef rest = name; rest.consume_front(kind))
        isTaken |= llvm::all_of(rest, llvm::isDigit);
    return isTaken ? "size_" + name : name;
  }

  Value getResult(unsigned number) {
    return inlined.getBody().back().getTerminator()->getOperand(number);
  }

  /// Sets the sizes of dynamic axes, by known ones that they are equal to, or
  /// by names.
  LogicalResult setSizes(BufferSpec &spec, Value value) {
    SmallVector<std::string> names(spec.shape.size());
    for (auto [axis, size] : llvm::enumerate(spec.shape)) {
      if (!ShapedType::isDynamic(size))
        continue;
      auto dimension = dimensions.lookup(value, axis);
      if (!dimension)
        return failure();
      const DynamicDimension &found = dimensions.all()[*dimension];
      size = found.size.value_or(anySize);
      if (!found.size)
        names[axis] = getSizeName(found);
    }
    if (llvm::any_of(names, [](const auto &name) { return !name.empty(); }))
      spec.sizes.assign(names.begin(), names.end());
    return success();
  }

  LogicalResult setLayout(BufferSpec &spec, MemRefType type,
                          function_ref<InFlightDiagnostic()> refuse) {
    if (spec.isDynamic()) {
      if (type.getLayout().isIdentity() && !type.getMemorySpace())
        return success();
      return refuse()
             << "with dynamic shapes, memrefs need the identity layout "
                "and no memory space; or give sizes by "
                "'--shapes=M=64'";
    }
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

  /// Adds the buffer's properties from the argument's attributes, or else from
  /// the IR.
  LogicalResult addDeclared(BufferSpec &spec, unsigned argument) {
    spec.alignment = getArgumentAlignment(kernel, argument);
    if (auto access = kernel.getArgAttrOfType<StringAttr>(
            argument, TonnoDialect::kAccess)) {
      bool isBuffer = isa<MemRefType>(kernel.getArgumentTypes()[argument]);
      if (!isBuffer && access != "read")
        return kernel.emitError()
               << "kernel '" << kernel.getName() << "' has argument "
               << argument << " with " << TonnoDialect::kAccess << " = "
               << access << ", but values are only read; pass a memref";
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
    if (spec.access == Access::write || spec.isDynamic())
      return success();
    return addIndices(spec, argument);
  }

  LogicalResult addIndices(BufferSpec &spec, unsigned argument) {
    std::optional<ScopedDiagnosticHandler> quiet;
    if (unknown == UnknownData::ignore)
      quiet.emplace(kernel.getContext(),
                    [](Diagnostic &) { return success(); });
    auto derived = deriveIndexInput(inlined, argument);
    if (failed(derived))
      return success(unknown == UnknownData::ignore);
    spec.input = *derived;
    return success();
  }

  func::FuncOp kernel;
  func::FuncOp inlined; ///< the same without calls
  DynamicDimensions dimensions;
  UnknownData unknown;
  Sizes sizes;
  LaunchPlan plan;
};

} // namespace

FailureOr<LaunchPlan> tonno::launchPlan(func::FuncOp kernel,
                                        UnknownData unknown, Sizes sizes) {
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
  func::FuncOp whole = hasCalls ? *inlined : kernel;
  auto dimensions = DynamicDimensions::find(whole);
  if (failed(dimensions))
    return failure();
  Planner planner(kernel, whole, std::move(*dimensions), unknown, sizes);
  if (failed(planner.addArguments()) || failed(planner.addResults()))
    return failure();
  planner.addSizes();
  return planner.finish();
}

/// Returns the numbers in an entry of a recorded launch.
static SmallVector<int64_t> getIntegerArray(DictionaryAttr launch,
                                            StringRef name) {
  return llvm::map_to_vector(
      launch.getAs<ArrayAttr>(name).getAsRange<IntegerAttr>(),
      [](IntegerAttr number) { return number.getInt(); });
}

/// Reads the grid, some of whose extents may be maps of sizes.
static void readGrid(Launch &launch, ArrayAttr grid, const Signature &sizes) {
  auto isMap = llvm::IsaPred<AffineMapAttr>;
  bool isDynamic = !sizes.empty() && llvm::any_of(grid, isMap);
  for (auto [i, extent] : llvm::enumerate(grid)) {
    auto map = dyn_cast<AffineMapAttr>(extent);
    if (!map)
      launch.geometry.grid[i] =
          static_cast<uint32_t>(cast<IntegerAttr>(extent).getInt());
    if (isDynamic)
      launch.gridSizes.push_back(
          map ? writeExpression(map.getValue().getResult(0), sizes)
              : std::to_string(launch.geometry.grid[i]));
  }
}

/// Reads an element of `tonno.launches`.
static Launch readLaunch(DictionaryAttr attribute, const Signature &sizes) {
  Launch launch;
  launch.symbol = attribute.getAs<StringAttr>("symbol").str();
  for (int64_t buffer : getIntegerArray(attribute, "buffers"))
    launch.buffers.push_back(buffer);
  LaunchGeometry &geometry = launch.geometry;
  readGrid(launch, attribute.getAs<ArrayAttr>("grid"), sizes);
  llvm::copy(getIntegerArray(attribute, "block"), geometry.block.begin());
  geometry.sharedBytes = attribute.getAs<IntegerAttr>("shared_bytes").getInt();
  if (auto sets = attribute.getAs<ArrayAttr>("sizes"); sets && !sizes.empty())
    launch.condition = writeCondition(
        llvm::map_to_vector(sets.getAsRange<IntegerSetAttr>(),
                            [](IntegerSetAttr set) { return set.getValue(); }),
        sizes);
  launch.atLoad = attribute.contains("at_load");
  if (auto threads = attribute.getAs<IntegerAttr>("threads"))
    launch.threads = static_cast<uint32_t>(threads.getInt());
  return launch;
}

std::vector<Launch> tonno::readLaunches(ModuleOp lowered,
                                        const Signature &sizes) {
  std::vector<Launch> launches;
  if (auto all = lowered->getAttrOfType<ArrayAttr>(TonnoDialect::kLaunches))
    for (auto launch : all.getAsRange<DictionaryAttr>())
      launches.push_back(readLaunch(launch, sizes));
  return launches;
}

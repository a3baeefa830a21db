//===- The reference of a kernel ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Compile.h"
#include "tonno/Backend/Pipelines.h"
#include "tonno/Core/Problem.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "tonno/Transforms/UserLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "Exactness.h"

using namespace mlir;
using namespace tonno;

/// Returns true if a candidate's result may differ from this op's by rounding.
static bool isRounded(Operation *op) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isF64() ||
      !isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return false;
  return !isa<arith::ConstantOp, arith::ExtFOp, arith::NegFOp, arith::SelectOp,
              arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
              arith::MinNumFOp, math::AbsFOp, math::CopySignOp, math::FloorOp,
              math::CeilOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(
      op);
}

/// Returns linalg ops with explicit bodies; generalises named ops.
static SmallVector<linalg::LinalgOp> structuredOps(ModuleOp module) {
  SmallVector<linalg::LinalgOp> found, named;
  module.walk([&](linalg::LinalgOp op) {
    (isa<linalg::GenericOp, linalg::MapOp, linalg::ReduceOp>(op.getOperation())
         ? found
         : named)
        .push_back(op);
  });
  IRRewriter rewriter(module.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    // One that stays as it is is not nudged.
    if (auto generic = linalg::generalizeNamedOp(rewriter, op);
        succeeded(generic))
      found.push_back(cast<linalg::LinalgOp>(generic->getOperation()));
  }
  return found;
}

namespace {

/// Collects rounded values, with the uses where they are nudged.
class RoundedValues {
public:
  /// Adds the result of a rounded op. For an accumulation, adds its terms
  /// instead: nudging the sum would apply once an iteration.
  void add(Operation *op, function_ref<bool(Value)> isCarried) {
    if (!isRounded(op))
      return;
    if (llvm::none_of(op->getOperands(), isCarried)) {
      values.insert(op->getResult(0));
      return;
    }
    for (Value operand : op->getOperands())
      if (operand.getType().isF64() && !isCarried(operand))
        values.insert(operand);
  }

  ArrayRef<Value> all() const { return values.getArrayRef(); }

private:
  SetVector<Value> values;
};

} // namespace

/// Adds the rounded values of explicit loops. Their loop-carried values are
/// block arguments, or elements of buffers that are stored to.
static void addLoops(ModuleOp module, RoundedValues &rounded) {
  DenseSet<Value> stored;
  module.walk([&](Operation *op) {
    if (hasSingleEffect<MemoryEffects::Write>(op))
      stored.insert(op->operand_begin(), op->operand_end());
  });
  auto isCarried = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return isa<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    Operation *load = value.getDefiningOp();
    return load->getNumOperands() > 0 &&
           hasSingleEffect<MemoryEffects::Read>(load) &&
           stored.contains(load->getOperand(0));
  };
  module.walk([&](Operation *op) {
    if (!op->getParentOfType<linalg::LinalgOp>())
      rounded.add(op, isCarried);
  });
}

static void addBody(linalg::LinalgOp op, RoundedValues &rounded) {
  bool reduces = op.getNumReductionLoops() > 0;
  auto isCarried = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return reduces && argument && argument.getOwner() == op.getBlock() &&
           argument.getArgNumber() >= op.getNumDpsInputs();
  };
  op->walk([&](Operation *inner) { rounded.add(inner, isCarried); });
}

/// Name of the table of factors in a nudged reference.
static constexpr StringLiteral nudgesName = "tonno_nudges";

/// Creates the address of the nth factor.
static Value createFactorAddress(OpBuilder &builder, Location loc,
                                 unsigned number) {
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Value table = LLVM::AddressOfOp::create(builder, loc, pointer, nudgesName);
  return LLVM::GEPOp::create(builder, loc, pointer, builder.getF64Type(), table,
                             ArrayRef<LLVM::GEPArg>{int32_t(number)});
}

/// Scales the result of the nth rounded operation of an f64 reference, in
/// linalg ops or in loops, by the nth number of a table; for a sum, each term:
///
///   %v = math.tanh %x : f64
///
/// becomes
///
///   %factor = llvm.load %address : !llvm.ptr -> f64
///   ...
///   %r = math.tanh %x : f64
///   %v = arith.mulf %r, %factor : f64
///
/// The change of the results bounds their movement by the roundings of a
/// candidate. It exceeds that of nudged inputs for 1 + tanh(x) at large
/// negative x, or for a sum whose largest term is subtracted. Returns the
/// number of operations; a single one moves results like nudged inputs do.
static unsigned scaleRoundings(ModuleOp reference) {
  RoundedValues rounded;
  for (linalg::LinalgOp op : structuredOps(reference))
    addBody(op, rounded);
  addLoops(reference, rounded);
  reference.getContext()->loadDialect<LLVM::LLVMDialect>();
  OpBuilder builder(reference.getContext());
  unsigned count = 0;
  for (Value value : rounded.all()) {
    Location loc = value.getLoc();
    Operation *around = value.getParentBlock()->getParentOp();
    auto function = dyn_cast<func::FuncOp>(around);
    if (!function)
      function = around->getParentOfType<func::FuncOp>();
    builder.setInsertionPointToStart(&function.getBody().front());
    Value factor =
        LLVM::LoadOp::create(builder, loc, builder.getF64Type(),
                             createFactorAddress(builder, loc, count++));
    builder.setInsertionPointAfterValue(value);
    Value nudged = arith::MulFOp::create(builder, loc, value, factor);
    value.replaceAllUsesExcept(nudged, nudged.getDefiningOp());
  }
  if (count == 0)
    return 0;
  builder.setInsertionPointToStart(reference.getBody());
  LLVM::GlobalOp::create(builder, reference.getLoc(),
                         LLVM::LLVMArrayType::get(builder.getF64Type(), count),
                         /*isConstant=*/false, LLVM::Linkage::Internal,
                         nudgesName, /*value=*/Attribute());
  return count;
}

/// Adds a launch that fills the table of factors. Returns its symbol.
static std::string addNudgeLaunch(ModuleOp reference, unsigned way,
                                  unsigned count,
                                  function_ref<double(unsigned)> computeNudge) {
  OpBuilder builder = OpBuilder::atBlockEnd(reference.getBody());
  Location loc = reference.getLoc();
  std::string name = (nudgesName + "_" + Twine(way)).str();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(builder.getContext()), {});
  auto function = LLVM::LLVMFuncOp::create(builder, loc, name, type);
  builder.setInsertionPointToStart(function.addEntryBlock(builder));
  for (unsigned n = 0; n < count; ++n) {
    Value factor = LLVM::ConstantOp::create(
        builder, loc, builder.getF64FloatAttr(1 + computeNudge(n)));
    LLVM::StoreOp::create(builder, loc, factor,
                          createFactorAddress(builder, loc, n));
  }
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  return name + "_entry";
}

static Value powerOfTwo(OpBuilder &builder, Location loc, Type type,
                        unsigned exponent, bool isNegative) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  APFloat number(APFloat::IEEEdouble(), 1);
  number =
      scalbn(number, static_cast<int>(exponent), APFloat::rmNearestTiesToEven);
  bool loses = false; // f16 has infinity for it
  number.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &loses);
  if (isNegative)
    number.changeSign();
  return createScalarOrSplatConstant(builder, loc, type, number);
}

/// Creates a test that the truncated number fits an integer of `width` bits.
/// Numbers between the minimum and the minimum minus one are excluded.
static Value isHeld(OpBuilder &builder, Location loc, Value number,
                    unsigned width, bool isSigned) {
  unsigned exponent = isSigned ? width - 1 : width;
  auto compare = [&](arith::CmpFPredicate predicate, unsigned exponent,
                     bool isNegative) -> Value {
    return arith::CmpFOp::create(
        builder, loc, predicate, number,
        powerOfTwo(builder, loc, number.getType(), exponent, isNegative));
  };
  using enum arith::CmpFPredicate;
  Value isBelow = compare(OLT, exponent, false);
  Value isAbove =
      isSigned ? compare(OGE, exponent, true) : compare(OGT, 0, true);
  return arith::AndIOp::create(builder, loc, isBelow, isAbove);
}

/// Marks results of conversions from floats that do not fit the integer type.
/// They are undefined, so the reference and the plain kernel have marks that
/// differ in each bit.
static void markUnheld(ModuleOp module, uint64_t mark) {
  SmallVector<Operation *> conversions;
  module.walk([&](Operation *op) {
    if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
      conversions.push_back(op);
  });
  for (Operation *op : conversions) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Location loc = op->getLoc();
    Value result = op->getResult(0);
    unsigned width = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
    Value held = isHeld(builder, loc, op->getOperand(0), width,
                        isa<arith::FPToSIOp>(op));
    APInt number(width, mark, /*isSigned=*/false, /*implicitTrunc=*/true);
    Value other =
        createScalarOrSplatConstant(builder, loc, result.getType(), number);
    Value guarded = arith::SelectOp::create(builder, loc, held, result, other);
    result.replaceAllUsesExcept(guarded, guarded.getDefiningOp());
  }
}

static constexpr uint64_t markOfPlain = 0x5A5A5A5A5A5A5A5A;

/// Removes undefined results: drops fast-math flags, and marks conversions.
static void makeStrict(ModuleOp module) {
  module->setAttr(TonnoDialect::kStrict, UnitAttr::get(module.getContext()));
  module.walk([&](arith::ArithFastMathInterface op) {
    op->setAttr(op.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op->getContext(),
                                              arith::FastMathFlags::none));
  });
  markUnheld(module, markOfPlain);
}

namespace {

/// The host backend without a schedule, for modules in f64.
class ReferenceBackend : public Backend {
public:
  explicit ReferenceBackend(std::unique_ptr<Backend> host)
      : host(std::move(host)) {}

  StringRef name() const override { return host->name(); }
  const Target &target() const override { return host->target(); }
  std::string fingerprint() const override {
    return "reference, " + host->fingerprint();
  }
  LogicalResult check(func::FuncOp kernel) const override {
    return host->check(kernel);
  }
  void buildPipeline(OpPassManager &pm, StringRef kernel) const override {
    buildReferencePipeline(pm, kernel);
  }
  llvm::ArrayRef<Emission> forms() const override { return host->forms(); }
  FailureOr<Code> emit(ModuleOp lowered, Emission form) const override {
    // Their small loops take little time, but would be most of the code.
    lowered->setAttr(TonnoDialect::kRolled,
                     UnitAttr::get(lowered.getContext()));
    return host->emit(lowered, form);
  }

private:
  std::unique_ptr<Backend> host;
};

} // namespace

/// Returns the function that defines the results of `kernel`: its reference, or
/// the kernel itself.
static FailureOr<func::FuncOp> lookupReference(func::FuncOp kernel) {
  auto name =
      kernel->getAttrOfType<FlatSymbolRefAttr>(TonnoDialect::kReference);
  if (!name)
    return kernel;
  auto reference =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, name);
  if (!reference || reference.isExternal())
    return kernel.emitError()
           << "the reference " << name << " of kernel '" << kernel.getName()
           << "' is not a function with a body";
  if (reference.getFunctionType() != kernel.getFunctionType())
    return reference.emitError()
           << "the reference of kernel '" << kernel.getName() << "' has type "
           << reference.getFunctionType() << ", the kernel "
           << kernel.getFunctionType();
  return reference;
}

/// Checks that a reference has no launches: references run on the host, in f64.
static LogicalResult checkIsForHost(func::FuncOp reference) {
  WalkResult result = reference.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getName().getDialectNamespace() !=
        gpu::GPUDialect::getDialectNamespace())
      return WalkResult::advance();
    op->emitOpError()
        << "runs only on GPUs, so the kernel cannot be its own reference; name "
           "a function that computes the same on the host: "
        << TonnoDialect::kReference << " = @function";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static bool isReal(ElementType type) { return type <= ElementType::f4E2M1FN; }

/// Returns the plan with buffers of the reference's types.
static LaunchPlan widen(LaunchPlan plan) {
  for (BufferSpec &buffer : plan.buffers) {
    if (isReal(buffer.elementType))
      buffer.elementType = ElementType::f64;
    buffer.alignment = std::max(buffer.alignment, sizeof(double));
  }
  return plan;
}

/// Reads the numbers of a resource, if the module has them.
static std::optional<Attribute>
readResource(DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  ShapedType type = resource.getType();
  bool isOfOne = false; // which a dense attribute repeats, a resource does not
  if (!blob ||
      !DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isOfOne) ||
      (isOfOne && type.getNumElements() != 1))
    return std::nullopt;
  return DenseElementsAttr::getFromRawBuffer(type, blob->getData());
}

/// Reads constants from resources, since the following rewrites change their
/// numbers.
static void readResources(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(readResource);
  replacer.recursivelyReplaceElementsIn(module);
}

/// Leaves the function alone in its module, as one of structured ops.
static LogicalResult isolate(ModuleOp module, StringRef function) {
  eraseSchedules(module);
  readResources(module);
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.addPass(createInlineCallsPass({function.str()}));
  passes.addPass(createConvertToLinalgPass({/*lowered=*/true}));
  passes.addNestedPass<func::FuncOp>(createExpandScalingPass());
  passes.addNestedPass<func::FuncOp>(createDecomposePass());
  return passes.run(module);
}

FailureOr<Artifact> tonno::compilePlain(ModuleOp module, StringRef kernel,
                                        const LaunchPlan &plan) {
  Result<std::unique_ptr<Backend>> host = createBackend({"host", "native"});
  if (!host)
    return module.emitError() << host.error().message;
  OwningOpRef<ModuleOp> clone = module.clone();
  if (failed(isolate(*clone, kernel)))
    return failure();
  ReferenceBackend backend(std::move(*host));
  return CandidateCompiler(backend, *module.getContext(), kernel)
      .compile(*clone, plan);
}

/// The nudge of each operation on the sides of a step, in roundings.
static constexpr double someRoundings = 4;

Problem tonno::describeAgainstDefault(func::FuncOp kernel) {
  SumPrecision precision = sumPrecision(kernel);
  Problem problem;
  problem.isRounded = true;
  problem.isVerifiedInParts = true;
  problem.reductionLength = precision.length;
  problem.accumulator = precision.accumulator;
  problem.hasSteps = hasSteps(kernel);
  return problem;
}

Problem tonno::describeAsOwnReference(func::FuncOp kernel) {
  Problem problem = describeAgainstDefault(kernel);
  problem.isOwnReference = true;
  return problem;
}

/// Adds the nudged references. Each is the same binary with a first launch of
/// its own: compiled one by one, they took most of the time.
static LogicalResult addNudged(Problem &problem, ModuleOp reference,
                               CandidateCompiler &compiler, LaunchPlan plan,
                               double roundoff) {
  constexpr unsigned ways = 4;
  unsigned count = scaleRoundings(reference);
  unsigned steps = problem.hasSteps && count > 0 ? ways : 0;
  std::vector<std::string> launches;
  for (unsigned way = 0; way < steps; ++way)
    // Sums move most where all that is added moves away from 0, differences
    // where it moves apart.
    launches.push_back(addNudgeLaunch(reference, way, count, [&](unsigned n) {
      bool isDown = way % 2 != (way < 2 ? 0 : n % 2);
      return someRoundings * roundoff * (isDown ? -1 : 1);
    }));
  if (count >= 2)
    launches.push_back(
        addNudgeLaunch(reference, steps, count, computeRoundingNudge));
  if (launches.empty())
    return success();
  FailureOr<Artifact> artifact = compiler.compile(reference, std::move(plan));
  if (failed(artifact))
    return failure();
  for (auto [i, symbol] : llvm::enumerate(launches)) {
    Artifact nudged = *artifact;
    nudged.plan.launches.insert(nudged.plan.launches.begin(),
                                Launch{symbol, {}});
    if (i < steps)
      problem.besideSteps.push_back(std::move(nudged));
    else
      problem.nudged = std::move(nudged);
  }
  return success();
}

FailureOr<Problem> tonno::compileReference(ModuleOp module, StringRef kernel,
                                           StringRef cpu) {
  Result<std::unique_ptr<Backend>> host = createBackend({"host", cpu.str()});
  if (!host)
    return module.emitError() << host.error().message;
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  if (!function)
    return module.emitError() << "no function '" << kernel << "'";
  FailureOr<func::FuncOp> named = lookupReference(function);
  FailureOr<LaunchPlan> plan = launchPlan(function);
  if (failed(named) || failed(checkIsForHost(*named)) || failed(plan))
    return failure();
  LaunchPlan wide = widen(*plan);

  OwningOpRef<ModuleOp> clone = module.clone();
  if (failed(isolate(*clone, named->getName())))
    return failure();
  auto reference = clone->lookupSymbol<func::FuncOp>(named->getName());

  Problem problem;
  SumPrecision precision = sumPrecision(reference);
  problem.reductionLength = precision.length;
  problem.exact = isExact(reference);
  problem.hasSteps = hasSteps(reference);
  problem.sumsOfProducts = isSumOfProducts(reference);
  problem.multipliesResults = multipliesResults(reference);
  problem.takesAnyIntegers = takesAnyIntegers(reference);
  problem.computesReals = computesReals(reference);
  problem.accumulator = precision.accumulator;
  problem.isElementwise = isElementwise(reference);
  // A named reference may differ on infinities and NaNs.
  problem.isFinite = isFinite(reference) || *named != function;
  problem.hasAnyZero = hasAnyZero(reference);
  problem.isRelaxed = isRelaxed(reference);

  OwningOpRef<ModuleOp> plain = clone->clone();
  PassManager promote(module.getContext(), ModuleOp::getOperationName());
  promote.addPass(createPromoteToF64Pass());
  if (failed(promote.run(*clone)))
    return failure();
  markUnheld(*clone, ~markOfPlain);
  ReferenceBackend backend(std::move(*host));
  CandidateCompiler compiler(backend, *module.getContext(),
                             reference.getName());
  OwningOpRef<ModuleOp> literal = clone->clone();
  FailureOr<Artifact> artifact = compiler.compile(*literal, wide);
  if (failed(artifact))
    return failure();
  problem.reference = std::move(*artifact);
  if (problem.computesReals) {
    makeStrict(*plain);
    artifact = compiler.compile(*plain, std::move(*plan));
    if (failed(artifact))
      return failure();
    problem.plain = std::move(*artifact);
  }
  if (failed(addNudged(problem, *clone, compiler, std::move(wide),
                       precision.roundoff)))
    return failure();
  return problem;
}

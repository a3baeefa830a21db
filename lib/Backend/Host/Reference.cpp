//===- What a kernel must compute -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Compile.h"
#include "tonno/Backend/HostPipeline.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelLowering.h"
#include "tonno/Transforms/Schedule/Passes.h"
#include "Exactness.h"
#include "RoundingNudge.h"
#include "StrictKernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tonno;

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
    return host->emit(lowered, form);
  }

private:
  std::unique_ptr<Backend> host;
};

} // namespace

/// The function that says what `kernel` must compute: what it names as its
/// reference, or itself.
static FailureOr<func::FuncOp> referenceOf(func::FuncOp kernel) {
  auto name =
      kernel->getAttrOfType<FlatSymbolRefAttr>(TonnoDialect::kReference);
  if (!name)
    return kernel;
  auto reference =
      SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, name);
  if (!reference || reference.isExternal())
    return kernel.emitError()
           << "the reference " << name << " of kernel '" << kernel.getName()
           << "' is no function with a body";
  if (reference.getFunctionType() != kernel.getFunctionType())
    return reference.emitError()
           << "the reference of kernel '" << kernel.getName() << "' has type "
           << reference.getFunctionType() << ", the kernel "
           << kernel.getFunctionType();
  return reference;
}

/// A reference is for the host and in f64; launches are neither.
static LogicalResult checkIsForHost(func::FuncOp reference) {
  WalkResult result = reference.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getName().getDialectNamespace() !=
        gpu::GPUDialect::getDialectNamespace())
      return WalkResult::advance();
    op->emitOpError() << "is for GPUs only, so the kernel can't be verified "
                         "by its own code; name a function that computes the "
                         "same on the host: "
                      << TonnoDialect::kReference << " = @function";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static bool isReal(ElementType type) {
  return llvm::is_contained(
      {ElementType::f64, ElementType::f32, ElementType::f16, ElementType::bf16},
      type);
}

/// The kernel's buffers as the reference has them.
static LaunchPlan widen(LaunchPlan plan) {
  for (BufferSpec &buffer : plan.buffers) {
    if (isReal(buffer.elementType))
      buffer.elementType = ElementType::f64;
    buffer.alignment = std::max(buffer.alignment, sizeof(double));
  }
  return plan;
}

/// The numbers of a resource, if the module has them.
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

/// What follows reads and changes the numbers of constants.
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

/// By which each operation is off on the sides of a step.
static constexpr double someRoundings = 4;

FailureOr<Problem> tonno::compileReference(ModuleOp module, StringRef kernel,
                                           StringRef cpu) {
  Result<std::unique_ptr<Backend>> host = createBackend({"host", cpu.str()});
  if (!host)
    return module.emitError() << host.error().message;
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  if (!function)
    return module.emitError() << "no function '" << kernel << "'";
  FailureOr<func::FuncOp> named = referenceOf(function);
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
  // Another formula may be another for what is infinite.
  problem.isFinite = isFinite(reference) || *named != function;
  problem.hasAnyZero = hasAnyZero(reference);
  problem.isRelaxed = isRelaxed(reference);

  OwningOpRef<ModuleOp> plain = clone->clone();
  PassManager promote(module.getContext(), ModuleOp::getOperationName());
  promote.addPass(createPromoteToF64Pass());
  if (failed(promote.run(*clone)))
    return failure();
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
  if (problem.hasSteps)
    for (unsigned way = 0; way < 4; ++way) {
      OwningOpRef<ModuleOp> beside = clone->clone();
      // Sums move most where all that is added moves away from 0, differences
      // where it moves apart.
      auto share = [&](unsigned n) {
        bool isDown = way % 2 != (way < 2 ? 0 : n % 2);
        return someRoundings * precision.roundoff * (isDown ? -1 : 1);
      };
      if (nudgeRoundings(*beside, share) == 0)
        break;
      artifact = compiler.compile(*beside, wide);
      if (failed(artifact))
        return failure();
      problem.besideSteps.push_back(std::move(*artifact));
    }
  if (nudgeRoundings(*clone, roundingNudgeOf) < 2)
    return problem;
  artifact = compiler.compile(*clone, std::move(wide));
  if (failed(artifact))
    return failure();
  problem.nudged = std::move(*artifact);
  return problem;
}

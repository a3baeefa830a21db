//===- Kernels to artifacts -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Compile.h"

#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/Schedule/Bufferization/KernelBuffers.h"
#include "tonno/Transforms/UserLowering.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "KernelWork.h"
#include "PlanSizes.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tonno;

Signature tonno::findSizes(const LaunchPlan &plan) {
  Signature sizes;
  for (const BufferSpec &size : plan.buffers)
    if (llvm::any_of(plan.buffers, [&](const BufferSpec &buffer) {
          return llvm::is_contained(buffer.sizes, size.name);
        }))
      sizes.push_back(size);
  return sizes;
}

std::string tonno::writeExpression(AffineExpr value, const Signature &sizes) {
  if (auto constant = dyn_cast<AffineConstantExpr>(value))
    return std::to_string(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(value))
    return sizes[symbol.getPosition()].name;
  auto binary = cast<AffineBinaryOpExpr>(value);
  std::string left = writeExpression(binary.getLHS(), sizes),
              right = writeExpression(binary.getRHS(), sizes);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return "(" + left + " + " + right + ")";
  case AffineExprKind::Mul:
    return left + " * " + right;
  case AffineExprKind::Mod:
    return "(" + left + " % " + right + ")";
  case AffineExprKind::FloorDiv:
    return "(" + left + " / " + right + ")";
  default: // CeilDiv, by a constant
    return "((" + left + " + " + right + " - 1) / " + right + ")";
  }
}

/// Writes a constraint of a set: its value is 0, or at least 0.
static std::string writeConstraint(AffineExpr value, bool isEquality,
                                   const Signature &sizes) {
  int64_t constant = 0;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(value);
      sum && sum.getKind() == AffineExprKind::Add)
    if (auto last = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      value = sum.getLHS();
      constant = last.getValue();
    }
  auto product = dyn_cast<AffineBinaryOpExpr>(value);
  bool isNegative =
      product && product.getKind() == AffineExprKind::Mul &&
      product.getRHS() == getAffineConstantExpr(-1, value.getContext());
  if (isNegative)
    return writeExpression(product.getLHS(), sizes) +
           (isEquality ? " == " : " <= ") + std::to_string(constant);
  return writeExpression(value, sizes) + (isEquality ? " == " : " >= ") +
         std::to_string(-constant);
}

std::string tonno::writeCondition(llvm::ArrayRef<IntegerSet> sets,
                                  const Signature &sizes) {
  auto all = llvm::map_to_vector(sets, [&](IntegerSet set) {
    auto conditions = llvm::map_to_vector(
        llvm::zip_equal(set.getConstraints(), set.getEqFlags()),
        [&](auto condition) {
          return writeConstraint(std::get<0>(condition), std::get<1>(condition),
                                 sizes);
        });
    std::string text = llvm::join(conditions, " and ");
    return sets.size() > 1 && conditions.size() > 1 ? "(" + text + ")" : text;
  });
  // No sizes reach the launch.
  return all.empty() ? "1 == 0" : llvm::join(all, " or ");
}

/// Appends the buffers that a lowered kernel takes beyond its signature.
static LogicalResult addWorkspace(LaunchPlan &plan, Operation *lowered) {
  auto buffers = getKernelBuffers(lowered);
  if (!buffers)
    return success();
  if (buffers->size() < plan.buffers.size())
    return lowered->emitError() << "the lowering lost the kernel's buffers";
  auto added = llvm::ArrayRef(*buffers).drop_front(plan.buffers.size());
  auto isSize = [](const KernelBuffer &buffer) {
    return buffer.type.getRank() == 0;
  };
  bool isSame = llvm::none_of(added, isSize);
  for (auto [known, buffer] : llvm::zip(plan.buffers, *buffers))
    isSame &= known.shape.empty() == isSize(buffer);
  if (!isSame)
    return lowered->emitError() << "the lowering has other sizes of dynamic "
                                   "dimensions than the launch plan";
  Signature sizes = findSizes(plan);
  unsigned workspaces = 0;
  for (const KernelBuffer &buffer : added) {
    BufferSpec spec;
    spec.name = buffer.isLoaded ? "loaded0"
                                : "workspace" + std::to_string(workspaces++);
    spec.elementType = ElementType::i8;
    llvm::append_range(spec.shape, buffer.type.getShape());
    if (buffer.bytes) {
      spec.shape = {anySize};
      spec.sizes = {writeExpression(buffer.bytes.getResult(0), sizes)};
    }
    spec.access = Access::workspace;
    spec.alignment = buffer.alignment;
    plan.buffers.push_back(std::move(spec));
  }
  return success();
}

/// Adds the launches of the lowered module to the plan: those listed, or else
/// the entry point with all buffers.
static LogicalResult completePlan(LaunchPlan &plan, ModuleOp lowered) {
  if (lowered->hasAttr(TonnoDialect::kLaunches)) {
    plan.launches = readLaunches(lowered, findSizes(plan));
    return addWorkspace(plan, lowered);
  }
  Launch &launch = plan.launches.front();
  Operation *entry = SymbolTable::lookupSymbolIn(lowered, launch.symbol);
  if (entry && failed(addWorkspace(plan, entry)))
    return failure();
  if (auto threads =
          entry ? entry->getAttrOfType<IntegerAttr>(TonnoDialect::kThreads)
                : IntegerAttr())
    launch.threads = static_cast<uint32_t>(threads.getInt());
  for (uint32_t i = launch.buffers.size(); i < plan.buffers.size(); ++i)
    launch.buffers.push_back(i);
  return success();
}

CandidateCompiler::CandidateCompiler(const Backend &backend,
                                     MLIRContext &context, StringRef kernel)
    : backend(backend), kernel(kernel),
      passes(std::make_unique<PassManager>(&context,
                                           ModuleOp::getOperationName())) {
  backend.buildPipeline(*passes, kernel);
}

CandidateCompiler::~CandidateCompiler() = default;

LogicalResult CandidateCompiler::lower(ModuleOp module, LaunchPlan &plan) {
  // The verifier takes a third of the time of tonno's and upstream's passes, so
  // it runs after each pass of other pipelines only, to name the wrong pass.
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  bool isOwn = hasOwnLowering(function) || getSchedule(function);
  passes->enableVerifier(isOwn);
  return success(succeeded(passes->run(module)) &&
                 (isOwn || succeeded(verify(module))) &&
                 succeeded(completePlan(plan, module)));
}

FailureOr<LaunchPlan> CandidateCompiler::lower(ModuleOp module) {
  auto function = module.lookupSymbol<func::FuncOp>(kernel);
  if (!function)
    return module.emitError() << "no function '" << kernel << "'";
  if (failed(backend.check(function)))
    return failure();
  FailureOr<LaunchPlan> plan =
      launchPlan(function, UnknownData::ignore, Sizes::any);
  if (failed(plan) || failed(lower(module, *plan)))
    return failure();
  return plan;
}

static FailureOr<Artifact> emitArtifact(const Backend &backend,
                                        ModuleOp lowered, LaunchPlan plan,
                                        const KernelWork &work) {
  FailureOr<Code> code = backend.emit(lowered, backend.forms().front());
  if (failed(code))
    return failure();
  Artifact artifact;
  artifact.target = backend.artifactTarget().str();
  artifact.triple = backend.target().triple;
  artifact.chip = backend.target().chip;
  artifact.binary.assign(code->bytes.begin(), code->bytes.end());
  artifact.usage = backend.usage(*code, plan, work);
  artifact.plan = std::move(plan);
  return artifact;
}

FailureOr<Artifact> CandidateCompiler::compile(ModuleOp module) {
  KernelWork work = computeKernelWork(module, kernel);
  FailureOr<LaunchPlan> plan = lower(module);
  if (failed(plan))
    return failure();
  return emitArtifact(backend, module, std::move(*plan), work);
}

FailureOr<Artifact> CandidateCompiler::compile(ModuleOp module,
                                               LaunchPlan plan) {
  KernelWork work = computeKernelWork(module, kernel);
  work.products = 0; // for all that is known of where they are made
  if (failed(lower(module, plan)))
    return failure();
  return emitArtifact(backend, module, std::move(plan), work);
}

FailureOr<LaunchPlan> tonno::lowerKernel(const Backend &backend,
                                         ModuleOp module, StringRef kernel) {
  return CandidateCompiler(backend, *module.getContext(), kernel).lower(module);
}

FailureOr<Artifact> tonno::compileCandidate(const Backend &backend,
                                            ModuleOp module, StringRef kernel) {
  return CandidateCompiler(backend, *module.getContext(), kernel)
      .compile(module);
}

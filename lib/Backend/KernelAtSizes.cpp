//===- A kernel of dynamic shapes at known sizes --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/KernelAtSizes.h"
#include "tonno/Space/SizeExpression.h"
#include "tonno/Transforms/DynamicDimensions.h"
#include "tonno/Transforms/SpecializeShapes.h"
#include "KernelWork.h"
#include "PlanSizes.h"
#include <utility>

using namespace mlir;
using namespace tonno;

FailureOr<KernelAtSizes> KernelAtSizes::create(ModuleOp closure,
                                               StringRef kernel,
                                               ArrayRef<Dimension> sizes) {
  KernelAtSizes made;
  made.closure = closure;
  made.kernel = kernel.str();
  auto function = closure.lookupSymbol<func::FuncOp>(kernel);
  if (sizes.empty()) {
    auto plan = launchPlan(function, UnknownData::ignore);
    if (failed(plan))
      return failure();
    made.buffers = plan->signature();
    return made;
  }
  auto any = launchPlan(function, UnknownData::ignore, Sizes::any);
  if (failed(any))
    return failure();
  made.sizes = findSizes(*any);
  made.specialized = closure.clone();
  if (failed(specializeShapes(*made.specialized, kernel, sizes)))
    return failure();
  auto plan = launchPlan(made.specialized->lookupSymbol<func::FuncOp>(kernel),
                         UnknownData::ignore);
  if (failed(plan))
    return failure();
  made.buffers = plan->signature();
  for (const BufferSpec &buffer : any->buffers)
    for (auto [axis, name] : llvm::enumerate(buffer.sizes))
      for (BufferSpec &size : made.sizes)
        if (size.name == name) {
          InputSpec value;
          value.kind = InputSpec::Kind::constant;
          value.value = static_cast<double>(
              made.buffers[&buffer - any->buffers.data()].shape[axis]);
          size.input = value;
        }
  llvm::append_range(made.buffers, made.sizes);
  return made;
}

ModuleOp KernelAtSizes::getModule() const {
  return specialized ? ModuleOp(*specialized) : closure;
}

KernelWork KernelAtSizes::computeWork() const {
  return computeKernelWork(getModule(), kernel);
}

FailureOr<Problem> KernelAtSizes::compileReference(StringRef cpu) const {
  auto problem = tonno::compileReference(getModule(), kernel, cpu);
  if (failed(problem))
    return failure();
  // Between results and workspace, as in candidates; no launch has them.
  const size_t position = buffers.size() - sizes.size();
  auto addSizes = [&](Artifact &artifact) {
    LaunchPlan &plan = artifact.plan;
    plan.buffers.insert(plan.buffers.begin() + static_cast<long>(position),
                        sizes.begin(), sizes.end());
    for (Launch &launch : plan.launches)
      for (uint32_t &buffer : launch.buffers)
        if (buffer >= position)
          buffer += static_cast<uint32_t>(sizes.size());
  };
  addSizes(problem->reference);
  for (Artifact &beside : problem->besideSteps)
    addSizes(beside);
  for (auto *artifact : {&problem->nudged, &problem->plain})
    if (*artifact)
      addSizes(**artifact);
  return problem;
}

/// Returns the value of an expression of sizes in a launch plan.
static Result<int64_t> evaluate(const std::string &text,
                                const std::vector<Dimension> &sizes) {
  auto expression = TONNO_TRY(SizeExpression::parse(text, {}, sizes));
  int64_t value = TONNO_TRY(expression.compute({}));
  if (value < 0)
    return Error{"'" + text + "' is " + std::to_string(value) + " at " +
                 formatDimensions(sizes, ", ")};
  return value;
}

LogicalResult KernelAtSizes::fixSizes(Artifact &candidate) const {
  if (sizes.empty())
    return success();
  LaunchPlan &plan = candidate.plan;
  std::vector<Dimension> known;
  for (auto [size, value] : llvm::zip_equal(findSizes(plan), sizes))
    known.push_back({size.name, static_cast<int64_t>(value.input->value)});
  for (auto [position, buffer] : llvm::enumerate(plan.buffers)) {
    if (position < buffers.size()) {
      buffer = buffers[position];
      continue;
    }
    if (!buffer.isDynamic())
      continue;
    auto bytes = evaluate(buffer.sizes.front(), known);
    if (!bytes)
      return emitError(closure->getLoc())
             << "the size of " << buffer.name << ": " << bytes.error().message;
    buffer.shape = {std::max<int64_t>(*bytes, 1)};
    buffer.sizes.clear();
  }
  return fixLaunches(plan, known);
}

LogicalResult
KernelAtSizes::fixLaunches(LaunchPlan &plan,
                           const std::vector<Dimension> &known) const {
  auto refuse = [&](const Launch &launch, const std::string &why) {
    return emitError(closure->getLoc())
           << "the launch of " << launch.symbol << ": " << why;
  };
  std::vector<Launch> all = std::exchange(plan.launches, {});
  for (Launch &launch : all) {
    if (!launch.condition.empty()) {
      auto runs = evaluate("if " + launch.condition + " then 1 else 0", known);
      if (!runs)
        return refuse(launch, runs.error().message);
      if (*runs == 0)
        continue;
    }
    bool isEmpty = false;
    for (auto [i, text] : llvm::enumerate(launch.gridSizes)) {
      auto extent = evaluate(text, known);
      if (!extent)
        return refuse(launch, extent.error().message);
      if (*extent > INT32_MAX)
        return refuse(launch, "a grid of " + std::to_string(*extent) +
                                  " workgroups at " +
                                  formatDimensions(known, ", ") +
                                  " is larger than any GPU takes");
      launch.geometry.grid[i] = static_cast<uint32_t>(*extent);
      isEmpty |= *extent == 0;
    }
    if (isEmpty)
      continue;
    launch.condition.clear();
    launch.gridSizes.clear();
    plan.launches.push_back(std::move(launch));
  }
  return success();
}

//===- Default spaces for GPUs --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/GpuAnnotation.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/KernelSchedule.h"
#include "GpuSpaces.h"

#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tonno;

static bool isConfigured(const LaunchedOp &member) {
  return member.op && member.op->hasAttr(TonnoDialect::kLoweringConfig);
}

/// The op that speaks for the launch; null where that has no choice.
static const LaunchedOp *findSpeaker(const ExpectedLaunch &launch) {
  bool isEmpty = llvm::any_of(launch.extents, [](int64_t extent) {
    return extent == 0 || ShapedType::isDynamic(extent);
  });
  if (isEmpty || launch.kind == ExpectedLaunch::Kind::points ||
      llvm::any_of(launch.ops, isConfigured))
    return nullptr;
  const auto *speaker = llvm::find_if(launch.ops, [&](const LaunchedOp &one) {
    return one.op && !isa<linalg::FillOp>(one.op) &&
           one.dims.size() == launch.extents.size() &&
           (one.numReductions != 0) == launch.reduced.has_value();
  });
  return speaker == launch.ops.end() ? nullptr : speaker;
}

static GpuSpace spaceOf(const ExpectedLaunch &launch, const GpuChip &chip,
                        KnobSizes &knobs) {
  if (launch.kind == ExpectedLaunch::Kind::contraction)
    return contractionSpace(launch, chip, knobs);
  return launch.reduced ? reductionSpace(launch, chip, knobs)
                        : elementwiseSpace(launch, chip, knobs);
}

static bool annotate(const ExpectedLaunch &launch, const GpuChip &chip,
                     KnobSizes &knobs) {
  const LaunchedOp *speaker = findSpeaker(launch);
  if (!speaker)
    return false;
  GpuSpace space = spaceOf(launch, chip, knobs);
  auto byLoop = [&](ArrayRef<Attribute> byDimension) {
    return llvm::map_to_vector(speaker->dims,
                               [&](unsigned dim) { return byDimension[dim]; });
  };
  SmallVector<Attribute> workgroup = byLoop(space.workgroup),
                         reduction = byLoop(space.reduction),
                         thread = byLoop(space.thread);
  return knobs.configure(speaker->op, {{lowering_config::kWorkgroup, workgroup},
                                       {lowering_config::kReduction, reduction},
                                       {lowering_config::kThread, thread}});
}

unsigned tonno::annotateForGpu(func::FuncOp function, const GpuChip &chip) {
  if (function.isExternal() || hasOwnLowering(function) ||
      scheduleOf(function) || !function.getBody().hasOneBlock())
    return 0;
  // Nothing in the module may have needed it so far.
  function.getContext()->loadDialect<TonnoDialect>();
  KnobSizes knobs(function);
  unsigned count = 0;
  for (const ExpectedLaunch &launch : expectLaunches(function))
    count += annotate(launch, chip, knobs);
  knobs.finish();
  return count;
}

//===- The values that a model's kernels read -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModelValues.h"
#include "tonno/Backend/Compile.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Runtime/Environment.h"
#include "tonno/Transforms/KernelInputs.h"
#include "tonno/Tuner/TuningProblem.h"

using namespace mlir;
using namespace tonno;

/// Divisor of the available memory that limits the values.
static constexpr uint64_t memoryParts = 8;

/// Returns the bytes of a kernel's tensors.
static uint64_t countBytes(func::FuncOp kernel) {
  uint64_t bytes = 0;
  for (Type argument : kernel.getArgumentTypes())
    if (auto type = dyn_cast<RankedTensorType>(argument);
        type && type.hasStaticShape())
      bytes += static_cast<uint64_t>(type.getNumElements()) *
               llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return bytes;
}

/// Returns the first kernels, as many as memory suffices for.
static ArrayRef<const ModelKernel *>
limitBytes(ArrayRef<const ModelKernel *> kernels) {
  uint64_t left = availableMemory() / memoryParts;
  size_t count = 0;
  for (const ModelKernel *kernel : kernels) {
    uint64_t bytes = countBytes(kernel->function);
    if (bytes > left)
      break; // the kernels that take less time
    left -= bytes;
    ++count;
  }
  return kernels.take_front(count);
}

/// Opens the function in the runner, whose reference is the function itself by
/// default.
static Result<void> open(func::FuncOp function, TuningProblem &problem,
                         const TunerOptions &options, Compiler &compiler,
                         Runner &runner, double seconds) {
  problem.againstDefault = describeAsOwnReference(function);
  auto session = createRunnerSession(compiler, problem, options);
  if (!session)
    return Error{session.error().text()};
  session->openSeconds = seconds;
  return runner.open(*session);
}

Result<ModelValues> ModelValues::capture(func::FuncOp model,
                                         ArrayRef<const ModelKernel *> kernels,
                                         const TunerOptions &options,
                                         Compiler &compiler, Runner &runner,
                                         const DeviceDescription &device,
                                         double seconds) {
  auto schedule = TONNO_TRY(findDefaultSchedule(options.target, options.chip));
  auto directory = TONNO_TRY(OwnDirectory::create());
  ModelValues values(std::move(directory));
  kernels = limitBytes(kernels);
  KernelInputs inputs = returnKernelInputs(model, kernels, schedule);
  if (llvm::all_of(inputs.results, [](auto &each) { return each.empty(); }))
    return values;
  auto problem =
      TONNO_TRY(readModelKernel(inputs.function, options, compiler, device));
  TONNO_TRY(open(inputs.function, problem, options, compiler, runner, seconds));
  RunRequest request;
  request.kind = RunRequest::Kind::results;
  request.directory = values.directory.path.string();
  request.waitSeconds = seconds;
  if (RunResult run = runner.run(request); run.status != Status::ok)
    return Error{run.message};
  unsigned first = inputs.function.getNumArguments();
  for (auto [kernel, results] : llvm::zip_equal(kernels, inputs.results)) {
    auto &files =
        values.files[func::FuncOp(kernel->function).getSymName().str()];
    for (unsigned result : results)
      files.push_back(values.directory.path /
                      (std::to_string(first + result) + ".npy"));
  }
  return values;
}

OwningOpRef<ModuleOp> ModelValues::declare(const ModelKernel &kernel) const {
  func::FuncOp function = kernel.function;
  auto known = files.find(function.getSymName().str());
  if (known == files.end() ||
      known->second.size() != function.getNumArguments())
    return nullptr;
  auto module = cast<ModuleOp>(
      function->getParentOfType<ModuleOp>()->cloneWithoutRegions());
  module.getBodyRegion().emplaceBlock();
  func::FuncOp copy = function.clone();
  module.push_back(copy);
  for (auto [number, file] : llvm::enumerate(known->second))
    copy.setArgAttr(number, TonnoDialect::kInput,
                    InputAttr::get(copy.getContext(), "npy(\"" + file + "\")"));
  return module;
}

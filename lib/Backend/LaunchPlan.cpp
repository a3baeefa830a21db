//===- LaunchPlan.cpp - Buffers and launches of a kernel ------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Backend/Backend.h"

#include "llvm/ADT/TypeSwitch.h"

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

/// The buffer of one argument or result; `what` names it in messages.
static FailureOr<BufferSpec> bufferSpec(func::FuncOp kernel, Type type,
                                        Access access, const char *what,
                                        unsigned number) {
  auto refuse = [&] {
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' has " << what << " "
           << number << " of type " << type << ": ";
  };
  BufferSpec spec;
  Type element = type;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!tensor.hasStaticShape())
      return refuse() << "a dynamic shape can't be tuned";
    if (tensor.getNumElements() == 0)
      return refuse() << "a dimension of size 0 leaves nothing to compute";
    llvm::append_range(spec.shape, tensor.getShape());
    element = tensor.getElementType();
  } else if (!type.isIntOrFloat()) {
    return refuse() << "only ranked tensors and scalars are supported";
  }
  std::optional<ElementType> known = elementType(element);
  if (!known)
    return refuse() << "the element type is not supported";
  spec.elementType = *known;
  spec.access = access;
  spec.name =
      (access == Access::read ? "arg" : "result") + std::to_string(number);
  return spec;
}

FailureOr<LaunchPlan> tonno::launchPlan(func::FuncOp kernel) {
  if (kernel.isExternal())
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' has no body";
  if (kernel.getNumResults() == 0)
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' has no result";
  LaunchPlan plan;
  Launch launch;
  launch.symbol = (kernel.getName() + "_entry").str();
  auto append = [&](Type type, Access access, const char *what,
                    unsigned number) {
    auto spec = bufferSpec(kernel, type, access, what, number);
    if (succeeded(spec)) {
      launch.buffers.push_back(plan.buffers.size());
      plan.buffers.push_back(std::move(*spec));
    }
    return LogicalResult(spec);
  };
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (failed(append(type, Access::read, "argument", i)))
      return failure();
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes()))
    if (failed(append(type, Access::write, "result", i)))
      return failure();
  plan.launches.push_back(std::move(launch));
  return plan;
}

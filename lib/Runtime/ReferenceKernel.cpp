//===- ReferenceKernel.cpp - The kernel whose results are right -----------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Runtime/ReferenceKernel.h"
#include "tonno/Runtime/Elements.h"

using namespace tonno;

static Result<void> checkBuffers(const Signature &signature,
                                 const Signature &reference) {
  if (signature.size() != reference.size())
    return Error{"the reference has " + std::to_string(reference.size()) +
                 " buffers, the kernel " + std::to_string(signature.size())};
  for (size_t i = 0; i < signature.size(); ++i) {
    const BufferSpec &ours = signature[i];
    const BufferSpec &theirs = reference[i];
    if (ours.shape != theirs.shape || ours.access != theirs.access)
      return Error{"the reference disagrees about buffer " + ours.name};
    // Integers wrap alike only where they are equally wide.
    bool isFloat = isFloatingPoint(ours.elementType) &&
                   isFloatingPoint(theirs.elementType);
    if (!isFloat && ours.elementType != theirs.elementType)
      return Error{"buffer " + ours.name + " has element type " +
                   std::string(toString(ours.elementType)) +
                   ", in the reference " +
                   std::string(toString(theirs.elementType))};
    for (const BufferSpec *buffer : {&ours, &theirs})
      if (auto checked = buffer->checkLayout(); !checked)
        return checked;
  }
  return {};
}

Result<ReferenceKernel> ReferenceKernel::load(Device &host,
                                              const Artifact &artifact,
                                              const Signature &signature) {
  if (auto match = checkBuffers(signature, artifact.plan.signature()); !match)
    return match.error();
  ReferenceKernel reference(host, artifact, signature);
  auto executable = host.load(artifact);
  if (!executable)
    return Error{"the reference does not load: " + executable.error().message};
  reference.executable = std::move(*executable);
  return reference;
}

Result<ReferenceResults> ReferenceKernel::run(const Values &inputs) {
  auto failed = [](const Failure &failure) {
    return Error{"the reference failed: " + failure.message};
  };
  auto block = DeviceBlock::allocate(host, BufferSet::bytesFor(plan.buffers));
  if (!block)
    return failed(block.error());
  std::mt19937_64 layout(0);
  auto set = BufferSet::place(host, plan.buffers, block->start(), layout);
  if (!set)
    return failed(set.error());
  if (auto filled = set->fill(
          encodeAll(std::span(plan.buffers).first(inputs.size()), inputs));
      !filled)
    return failed(filled.error());
  if (auto launched = host.launch(*executable, set->pointers()); !launched)
    return failed(launched.error());
  auto contents = set->download();
  if (!contents)
    return failed(contents.error());
  ReferenceResults results;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto &values = results.values.emplace_back();
    auto &rounded = results.rounded.emplace_back();
    if (!isOutput(signature[i]))
      continue;
    ElementType type = signature[i].elementType;
    values = decode(plan.buffers[i].elementType, (*contents)[i]);
    rounded = isFloatingPoint(type) ? encode(type, values)
                                    : std::move((*contents)[i]);
  }
  return results;
}

//===- The kernel whose results are right ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReferenceKernel.h"
#include "tonno/Runtime/Elements.h"

#include <algorithm>

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

static Error asError(const Failure &failure) {
  return Error{"the reference failed: " + failure.message};
}

Result<ReferenceKernel> ReferenceKernel::load(Device &host,
                                              const Artifact &artifact,
                                              const Signature &signature) {
  const std::vector<BufferSpec> &buffers = artifact.plan.buffers;
  if (auto match = checkBuffers(signature, artifact.plan.signature()); !match)
    return match.error();
  auto executable = host.load(artifact);
  if (!executable)
    return Error{"the reference does not load: " + executable.error().message};
  auto block = DeviceBlock::allocate(host, BufferSet::bytesFor(buffers));
  if (!block)
    return asError(block.error());
  std::mt19937_64 layout(0);
  auto set = BufferSet::place(host, buffers, block->start(), layout);
  if (!set)
    return asError(set.error());
  return ReferenceKernel(host, artifact, signature, std::move(*executable),
                         std::move(*block), std::move(*set));
}

static Result<std::vector<std::byte>, Failure>
download(Device &host, const BufferSpec &buffer, DevicePointer from) {
  std::vector<std::byte> memory(buffer.bytes());
  if (auto downloaded = host.download(memory, from); !downloaded)
    return downloaded.error();
  return buffer.isDense() ? std::move(memory) : gather(buffer, memory);
}

/// Without a copy on the way: large results take longer to move than to
/// compute.
static Result<std::vector<double>, Failure>
downloadDoubles(Device &host, const BufferSpec &buffer, DevicePointer from) {
  std::vector<double> values(buffer.elements());
  if (auto downloaded =
          host.download(std::as_writable_bytes(std::span(values)), from);
      !downloaded)
    return downloaded.error();
  return values;
}

/// What is in the reference's buffer, as values and in the kernel's type.
static Result<void, Failure> takeResult(Device &host, const BufferSpec &buffer,
                                        DevicePointer from, ElementType type,
                                        std::vector<double> &values,
                                        std::vector<std::byte> &rounded) {
  if (buffer.elementType == ElementType::f64 && buffer.isDense()) {
    auto found = downloadDoubles(host, buffer, from);
    if (!found)
      return found.error();
    values = std::move(*found);
  } else {
    auto found = download(host, buffer, from);
    if (!found)
      return found.error();
    values = decode(buffer.elementType, *found);
    rounded = std::move(*found);
  }
  if (isFloatingPoint(type))
    rounded = encode(type, values);
  return {};
}

Result<ReferenceResults> ReferenceKernel::run(const Values &inputs) {
  return run(encodeAll(std::span(plan.buffers).first(inputs.size()), inputs));
}

Result<ReferenceResults> ReferenceKernel::run(const BufferContents &inputs) {
  if (auto filled = set.fill(inputs); !filled)
    return asError(filled.error());
  if (auto launched = host.launch(*executable, set.pointers()); !launched)
    return asError(launched.error());
  ReferenceResults results;
  for (size_t i = 0; i < signature.size(); ++i) {
    auto &values = results.values.emplace_back();
    auto &rounded = results.rounded.emplace_back();
    if (isOutput(signature[i]))
      if (auto taken = takeResult(host, plan.buffers[i], set.pointers()[i],
                                  signature[i].elementType, values, rounded);
          !taken)
        return asError(taken.error());
  }
  return results;
}

Result<void> ReferenceKernel::checkAccesses(const Values &inputs) {
  if (!host.guardsBlocks())
    return {};
  auto edge = BufferSet::placeAt(BufferSet::Edge::end, host, plan.buffers);
  if (!edge)
    return asError(edge.error());
  std::swap(set, *edge);
  auto results = run(inputs);
  std::swap(set, *edge);
  return results ? Result<void>() : results.error();
}

double ReferenceKernel::coarsestRoundoff() const {
  double coarsest = 0;
  for (const BufferSpec &buffer : plan.buffers)
    if (isFloatingPoint(buffer.elementType))
      coarsest = std::max(coarsest, unitRoundoff(buffer.elementType));
  return coarsest;
}

//===- A GPU's kernel in this process -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuKernel.h"

#include <algorithm>

using namespace tonno;
using namespace tonno::python;

/// The alignment of what the vendors' drivers allocate.
static constexpr uint64_t driversAlignment = 256;

static const GpuDriverTraits *findVendor(const std::string &target) {
  for (const GpuDriverTraits *vendor : {&cudaVendor(), &hipVendor()})
    if (target == vendor->target)
      return vendor;
  return nullptr;
}

GpuKernel::GpuKernel(const std::string &name, Artifact given,
                     std::string driver, const GpuDriverTraits &vendor)
    : CompiledKernel(name, given.plan, given.binary),
      artifact(std::move(given)), driver(std::move(driver)), itsVendor(&vendor),
      block(workspace()), scalarOffsets(plan().buffers.size()) {
  for (size_t i = 0; i < numBuffers(); ++i) {
    const BufferSpec &buffer = signature()[i];
    if (!buffer.shape.empty() || buffer.access != Access::read)
      continue;
    block.add(sizeof(ScalarValue::words),
              std::max<uint64_t>(buffer.alignment, sizeof(uint32_t)));
    scalarOffsets[i] = block.offset(block.size() - 1);
  }
  for (uint32_t i = numBuffers(); i < plan().buffers.size(); ++i)
    if (const auto &size = plan().buffers[i].input) {
      auto value = static_cast<uint64_t>(size->value);
      sizes.push_back(
          {i,
           {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32)}});
    }
  blockBytes = std::max<uint64_t>(block.bytes(), 1); // drivers refuse 0 bytes
  if (block.alignment() > driversAlignment)
    blockBytes += block.alignment();
}

Result<GpuKernel> GpuKernel::make(const std::string &name, Artifact artifact,
                                  std::string driver) {
  const GpuDriverTraits *vendor = findVendor(artifact.target);
  if (!vendor)
    return Error{"kernel '" + name + "' cannot be loaded: its target is '" +
                 artifact.target +
                 "', and those of kernels are host, nvptx "
                 "and amdgpu"};
  return GpuKernel(name, std::move(artifact), std::move(driver), *vendor);
}

Result<void> GpuKernel::enqueue(SharedGpu &gpu, const GpuProgram &code,
                                GpuStream stream, std::span<GpuAddress> buffers,
                                std::span<const ScalarValue> scalars,
                                GpuAddress memory) const {
  uint64_t alignment = block.alignment();
  memory = roundUp(memory, alignment);
  for (size_t i = 0; i < workspace().size(); ++i)
    buffers[numBuffers() + i] = memory + workspace().offset(i);
  // The values are part of the commands, unlike those of a copy: the caller's
  // may be gone before the stream comes to them.
  auto fill = [&](const ScalarValue &scalar) -> Result<void> {
    for (size_t i = 0; i < scalar.words.size(); ++i)
      TONNO_TRY(
          gpu.check(gpu.functions().fillWords(buffers[scalar.buffer] +
                                                  i * sizeof scalar.words[i],
                                              scalar.words[i], 1, stream),
                    "pass a scalar"));
    return {};
  };
  for (const ScalarValue &scalar : scalars) {
    buffers[scalar.buffer] = memory + scalarOffsets[scalar.buffer];
    TONNO_TRY(fill(scalar));
  }
  for (const ScalarValue &size : sizes)
    TONNO_TRY(fill(size));
  auto enqueued = code.enqueue(stream, buffers);
  return enqueued ? Result<void>() : Error{enqueued.error().failure.message};
}

Result<void> GpuKernel::runInTurn(SharedGpu &gpu, SharedGpu::Program &program,
                                  GpuStream stream,
                                  std::span<GpuAddress> buffers,
                                  std::span<const ScalarValue> scalars) const {
  if (gpu.isCapturing(stream))
    return Error{"a graph needs memory that is allocated in the order of the "
                 "stream, which the driver lacks; call the kernel outside of "
                 "captures"};
  // Held while launches are enqueued: those of another thread must not come
  // between them.
  std::lock_guard lock(program.lock);
  if (!program.workspace)
    program.workspace = TONNO_TRY(gpu.allocate(blockBytes));
  const GpuFunctions &f = gpu.functions();
  if (program.lastUse)
    TONNO_TRY(gpu.check(f.streamWait(stream, program.lastUse, 0),
                        "wait for the workspace"));
  auto enqueued =
      enqueue(gpu, program.code, stream, buffers, scalars, program.workspace);
  // Also after a failure: the launches before it may be in flight.
  auto marked = gpu.mark(stream);
  if (!marked) {
    // The next call waits for no event of these launches.
    (void)f.streamSynchronize(stream);
    return enqueued ? marked.error() : enqueued.error();
  }
  if (program.lastUse)
    (void)f.eventDestroy(program.lastUse); // the driver does once it has passed
  program.lastUse = *marked;
  return enqueued;
}

Result<void> GpuKernel::run(SharedGpu &gpu, GpuStream stream,
                            std::span<GpuAddress> buffers,
                            std::span<const ScalarValue> scalars) const {
  SharedGpu::Use use(gpu);
  TONNO_TRY(use.begun());
  SharedGpu::Program &program = *TONNO_TRY(gpu.load(hash(), artifact));
  if (workspace().size() == 0 && scalars.empty())
    return enqueue(gpu, program.code, stream, buffers, scalars, 0);

  constexpr GpuCode notSupported = 801; // of both vendors
  const GpuFunctions &f = gpu.functions();
  GpuAddress memory = 0;
  GpuCode code = f.allocateAsync && f.freeAsync
                     ? f.allocateAsync(&memory, blockBytes, stream)
                     : notSupported;
  if (code == notSupported)
    return runInTurn(gpu, program, stream, buffers, scalars);
  TONNO_TRY(gpu.check(code, "allocate a workspace of " +
                                std::to_string(blockBytes) + " bytes"));
  auto enqueued = enqueue(gpu, program.code, stream, buffers, scalars, memory);
  auto freed = gpu.check(f.freeAsync(memory, stream), "free the workspace");
  return enqueued ? freed : enqueued;
}

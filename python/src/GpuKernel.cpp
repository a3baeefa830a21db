//===- A GPU's kernel in this process -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuKernel.h"

#include <algorithm>
#include <atomic>

using namespace tonno;
using namespace tonno::python;

/// The alignment of what the vendors' drivers allocate.
static constexpr uint64_t driversAlignment = 256;
/// The handle of the calling thread's default stream, for both vendors.
static constexpr uintptr_t perThreadStream = 2;

/// Returns a number that no other thread has had. Threads' ids are used again.
static uint64_t numberThread() {
  static std::atomic<uint64_t> count = 0;
  thread_local uint64_t number = ++count;
  return number;
}

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
  memory = (memory + alignment - 1) / alignment * alignment;
  for (size_t i = 0; i < workspace().size(); ++i)
    buffers[numBuffers() + i] = memory + workspace().offset(i);
  for (const ScalarValue &scalar : scalars) {
    GpuAddress address = memory + scalarOffsets[scalar.buffer];
    buffers[scalar.buffer] = address;
    // The values are part of the commands, unlike those of a copy: the caller's
    // may be gone before the stream comes to them.
    for (size_t i = 0; i < scalar.words.size(); ++i)
      TONNO_TRY(gpu.check(
          gpu.functions().fillWords(address + i * sizeof scalar.words[i],
                                    scalar.words[i], 1, stream),
          "pass a scalar"));
  }
  auto enqueued = code.enqueue(stream, buffers);
  return enqueued ? Result<void>() : Error{enqueued.error().failure.message};
}

Result<GpuAddress> GpuKernel::findWorkspace(SharedGpu &gpu,
                                            SharedGpu::Program &program,
                                            GpuStream stream) const {
  uint64_t thread = reinterpret_cast<uintptr_t>(stream) == perThreadStream
                        ? numberThread()
                        : 0;
  auto found = program.workspaces.find({stream, thread});
  if (found != program.workspaces.end())
    return found->second;
  GpuAddress memory = TONNO_TRY(gpu.allocate(blockBytes));
  program.workspaces.emplace(std::pair(stream, thread), memory);
  return memory;
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
  if (code == notSupported) {
    // Held while launches are enqueued: those of another thread must not come
    // between them.
    std::lock_guard lock(program.lock);
    memory = TONNO_TRY(findWorkspace(gpu, program, stream));
    return enqueue(gpu, program.code, stream, buffers, scalars, memory);
  }
  TONNO_TRY(gpu.check(code, "allocate a workspace of " +
                                std::to_string(blockBytes) + " bytes"));
  auto enqueued = enqueue(gpu, program.code, stream, buffers, scalars, memory);
  auto freed = gpu.check(f.freeAsync(memory, stream), "free the workspace");
  return enqueued ? freed : enqueued;
}

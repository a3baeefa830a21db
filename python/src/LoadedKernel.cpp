//===- A host kernel in this process --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoadedKernel.h"

#include <algorithm>
#include <cstring>
#include <new>

using namespace tonno;
using namespace tonno::python;

AlignedMemory tonno::python::allocateAligned(uint64_t bytes,
                                             uint64_t alignment) {
  alignment = std::max<uint64_t>(alignment, sizeof(void *));
  void *memory = std::aligned_alloc(
      alignment, roundUp(std::max<uint64_t>(bytes, 1), alignment));
  if (!memory)
    throw std::bad_alloc();
  return AlignedMemory(memory);
}

LoadedKernel::LoadedKernel(CompiledKernel kernel, SharedObject code)
    : CompiledKernel(std::move(kernel)), code(std::move(code)) {}

Result<std::shared_ptr<LoadedKernel>>
LoadedKernel::load(const std::string &name, LaunchPlan plan,
                   std::span<const uint8_t> binary) {
  auto refuse = [&](const std::string &why) {
    return Error{"kernel '" + name + "' cannot be loaded: " + why};
  };
  auto code = SharedObject::load(binary);
  if (!code)
    return refuse(code.error().message);
  std::shared_ptr<LoadedKernel> kernel(new LoadedKernel(
      CompiledKernel(name, std::move(plan), binary), *std::move(code)));
  if (auto found = kernel->findEntries(); !found)
    return refuse(found.error().message);
  return kernel;
}

Result<void> LoadedKernel::findEntries() {
  bool hasThreads = false;
  for (const Launch &launch : plan().launches) {
    LaunchGeometry row;
    row.grid[0] = launch.geometry.grid[0];
    if (launch.geometry != row)
      return Error{"the launch plan is for a GPU"};
    void *function = code.find(launch.symbol);
    if (!function)
      return Error{"the binary has no symbol '" + launch.symbol + "'"};
    std::vector<uint32_t> all(plan().buffers.size());
    for (uint32_t i = 0; i < all.size(); ++i)
      all[i] = i;
    entries.push_back(
        {function,
         launch.buffers == all ? std::vector<uint32_t>() : launch.buffers,
         row.grid[0], launch.atLoad});
    hasThreads |= launch.threads > 1;
    hasLaunchAtLoad |= launch.atLoad;
  }
  for (uint32_t i = 0; i < plan().buffers.size(); ++i) {
    const BufferSpec &buffer = plan().buffers[i];
    if (plan().isLoaded(i))
      loadedBuffers.push_back(i);
    if (buffer.access == Access::workspace && buffer.input)
      sizes.emplace_back(i - numBuffers(),
                         static_cast<int64_t>(buffer.input->value));
  }
  if (hasThreads) // which may outlive the call
    code.keepLoaded();
  return {};
}

AlignedMemory LoadedKernel::acquireWorkspace() {
  {
    std::lock_guard lock(workspacesLock);
    if (!idleWorkspaces.empty()) {
      AlignedMemory taken = std::move(idleWorkspaces.back());
      idleWorkspaces.pop_back();
      return taken;
    }
  }
  return allocateAligned(workspace().bytes(), workspace().alignment());
}

void LoadedKernel::returnWorkspace(AlignedMemory workspace) {
  std::lock_guard lock(workspacesLock);
  idleWorkspaces.push_back(std::move(workspace));
}

static void call(void *function, void **buffers, uint32_t workgroups) {
  if (workgroups == 1)
    return reinterpret_cast<void (*)(void **)>(function)(buffers);
  for (uint64_t workgroup = 0; workgroup < workgroups; ++workgroup)
    reinterpret_cast<void (*)(void **, uint64_t)>(function)(buffers, workgroup);
}

void LoadedKernel::place(void **buffers, void *block) const {
  for (size_t i = 0; i < workspace().size(); ++i)
    buffers[numBuffers() + i] =
        static_cast<char *>(block) + workspace().offset(i);
  for (auto [position, size] : sizes)
    std::memcpy(buffers[numBuffers() + position], &size, sizeof size);
}

void LoadedKernel::runEntries(void **buffers, bool atLoad) const {
  for (const Entry &entry : entries) {
    if (entry.atLoad != atLoad)
      continue;
    if (entry.buffers.empty()) {
      call(entry.function, buffers, entry.workgroups);
      continue;
    }
    std::vector<void *> chosen;
    for (uint32_t index : entry.buffers)
      chosen.push_back(buffers[index]);
    call(entry.function, chosen.data(), entry.workgroups);
  }
}

void LoadedKernel::run(void **buffers) {
  if (workspace().size() == 0)
    return runEntries(buffers, /*atLoad=*/false);
  AlignedMemory block = acquireWorkspace();
  place(buffers, block.get());
  std::shared_ptr<void> shared;
  if (hasLaunchAtLoad) {
    std::lock_guard lock(workspacesLock);
    shared = loaded;
  }
  if (shared) {
    for (size_t index : loadedBuffers)
      buffers[index] = static_cast<char *>(shared.get()) +
                       workspace().offset(index - numBuffers());
  } else {
    runEntries(buffers, /*atLoad=*/true);
  }
  runEntries(buffers, /*atLoad=*/false);
  returnWorkspace(std::move(block));
}

bool LoadedKernel::loadsInEachCall() {
  if (!hasLaunchAtLoad)
    return false;
  std::lock_guard lock(workspacesLock);
  return !loaded;
}

void LoadedKernel::runAtLoad(void **buffers) {
  if (!hasLaunchAtLoad)
    return;
  AlignedMemory block =
      allocateAligned(workspace().bytes(), workspace().alignment());
  place(buffers, block.get());
  runEntries(buffers, /*atLoad=*/true);
  std::lock_guard lock(workspacesLock);
  loaded = std::move(block);
}

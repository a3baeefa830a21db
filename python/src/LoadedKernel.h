//===- A host kernel in this process --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_LOADEDKERNEL_H
#define PYTHON_SRC_LOADEDKERNEL_H

#include "CompiledKernel.h"

#include "tonno/Runtime/SharedObject.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace tonno::python {

struct FreeMemory {
  void operator()(void *memory) const { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<void, FreeMemory>;

/// Returns memory at a multiple of `alignment`, a power of two. Throws
/// std::bad_alloc.
AlignedMemory allocateAligned(uint64_t bytes, uint64_t alignment);

/// The alignment of the arrays that the package allocates.
inline constexpr uint64_t arrayAlignment = bufferAlignment;

/// A kernel's code, loaded. Threads may run it at the same time: each call has
/// a workspace of its own.
class LoadedKernel : public CompiledKernel {
public:
  /// An Error says why the binary can't be loaded, or that the plan is none for
  /// the host.
  static Result<std::shared_ptr<LoadedKernel>>
  load(const std::string &name, LaunchPlan plan,
       std::span<const uint8_t> binary);

  /// Runs the kernel. `buffers` has a place for each buffer of the plan: the
  /// caller's are filled in, those of the workspace are not. Throws
  /// std::bad_alloc if there is no memory for a workspace.
  void run(void **buffers);

  /// Returns true if each call runs launches at load, since none has been kept.
  bool loadsInEachCall();

  /// Runs the launches at load for all later calls, which need not do it then.
  /// `buffers` has the caller's arguments. Throws std::bad_alloc.
  void runAtLoad(void **buffers);

private:
  struct Entry {
    void *function;
    std::vector<uint32_t> buffers; ///< empty if it takes all, in their order
    uint32_t workgroups;
    bool atLoad;
  };

  LoadedKernel(CompiledKernel kernel, SharedObject code);
  Result<void> findEntries();
  AlignedMemory acquireWorkspace();
  void returnWorkspace(AlignedMemory workspace);
  /// Points the buffers behind the signature into a workspace, and writes the
  /// sizes there.
  void place(void **buffers, void *workspace) const;
  void runEntries(void **buffers, bool atLoad) const;

  SharedObject code;
  std::vector<Entry> entries;
  bool hasLaunchAtLoad = false;
  std::vector<size_t> loadedBuffers; ///< positions in the plan
  /// Workspace with stated contents, an i64: its position in the workspace.
  std::vector<std::pair<size_t, int64_t>> sizes;

  std::mutex workspacesLock; ///< of what follows
  /// A workspace that the launches at load have filled; null before.
  std::shared_ptr<void> loaded;
  std::vector<AlignedMemory> idleWorkspaces;
};

} // namespace tonno::python

#endif // PYTHON_SRC_LOADEDKERNEL_H

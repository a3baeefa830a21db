//===- A compiled kernel apart from its code ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompiledKernel.h"

#include "tonno/Core/Hash.h"

#include <algorithm>
#include <atomic>

using namespace tonno;
using namespace tonno::python;

void BlockLayout::add(uint64_t bytes, uint64_t alignment) {
  alignment = std::max<uint64_t>(alignment, 1);
  offsets.push_back(roundUp(end, alignment));
  end = offsets.back() + bytes;
  largest = std::max(largest, alignment);
}

bool tonno::python::isResult(const BufferSpec &buffer) {
  return buffer.name.starts_with("result");
}

CompiledKernel::CompiledKernel(std::string name, LaunchPlan plan,
                               std::span<const uint8_t> binary)
    : shippedName(std::move(name)), launchPlan(std::move(plan)) {
  std::string contents = Json(launchPlan).dump() + shippedName;
  contents.append(reinterpret_cast<const char *>(binary.data()), binary.size());
  if (std::ranges::any_of(launchPlan.launches, &Launch::atLoad)) {
    static std::atomic<uint64_t> count = 0;
    contents += std::to_string(count++);
  }
  contentHash = sha256(contents);
  for (const BufferSpec &buffer : launchPlan.buffers) {
    bool isWorkspace = buffer.access == Access::workspace;
    callersBuffers += !isWorkspace;
    arguments += !isWorkspace && !isResult(buffer);
    if (isWorkspace)
      workspaceLayout.add(buffer.bytes(), buffer.alignment);
  }
}

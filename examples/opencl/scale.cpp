//===- Tunes the local size of a kernel -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <tonno/OpenCL/Autotuner.h>

#include <cstdio>

static const char *const source = R"(
__kernel void scale(__global float *x) {
  int i = get_global_id(0);
  x[i] = x[i] * 2.0f;
})";

int main() {
  cl::CommandQueue queue(cl::Context::getDefault(), cl::Device::getDefault(),
                         CL_QUEUE_PROFILING_ENABLE);
  constexpr size_t items = 1 << 20;
  cl::Buffer x(queue.getInfo<CL_QUEUE_CONTEXT>(), CL_MEM_READ_WRITE,
               items * sizeof(float));
  queue.enqueueFillBuffer(x, 1.0f, 0, items * sizeof(float));
  tonno::KernelSpec spec{"scale", source};
  auto result = tonno::Autotuner(queue).tune(spec, {items}, {.arguments = {x}});
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    return 1;
  }
  std::printf("best local size: %s\n",
              tonno::describe(result->bestLocalSize).c_str());
  std::printf("runtime: %.1f us\n", result->runtimeUs);
  for (const std::string &note : result->notes)
    std::printf("note: %s\n", note.c_str());
}

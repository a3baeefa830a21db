//===- A kernel to call ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_BACKEND_LOADEDKERNEL_H
#define TONNO_TEST_UNIT_BACKEND_LOADEDKERNEL_H

#include "tonno/Core/Artifact.h"

#include "gtest/gtest.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

/// A shared object loaded from memory, to call its launches of one workgroup.
class LoadedKernel {
public:
  explicit LoadedKernel(const tonno::Artifact &artifact) {
    char path[] = "/tmp/tonno-kernel-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "wb");
    fwrite(artifact.binary.data(), 1, artifact.binary.size(), file);
    fclose(file);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    remove(path);
    for (const tonno::Launch &launch : artifact.plan.launches) {
      Entry entry = nullptr;
      if (library)
        entry = reinterpret_cast<Entry>(dlsym(library, launch.symbol.c_str()));
      EXPECT_TRUE(entry) << dlerror();
      if (entry)
        entries.push_back(entry);
    }
  }
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;
  ~LoadedKernel() {
    if (library)
      dlclose(library);
  }

  void operator()(std::vector<void *> buffers) const {
    for (Entry entry : entries)
      entry(buffers.data());
  }

private:
  using Entry = void (*)(void **);

  void *library = nullptr;
  std::vector<Entry> entries;
};

#endif // TONNO_TEST_UNIT_BACKEND_LOADEDKERNEL_H

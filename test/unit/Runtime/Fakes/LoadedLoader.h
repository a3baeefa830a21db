//===- The fake of OpenCL's loader, loaded --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_RUNTIME_FAKES_LOADEDLOADER_H
#define TEST_UNIT_RUNTIME_FAKES_LOADEDLOADER_H

#include "Runtime/Fakes/FakeLoader.h"

#include <dlfcn.h>

namespace tonno {

inline const std::string fakeLoaderPath =
    std::string(FAKE_DIRECTORY) + "/libfakeloader.so";

/// Returns the library's state since it was loaded. Forked processes start with
/// a test's changes to it.
inline FakeLoader &loadedLoader() {
  void *loaded = ::dlopen(fakeLoaderPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto state =
      reinterpret_cast<FakeLoader *(*)()>(::dlsym(loaded, fakeLoaderSymbol));
  FakeLoader &fake = *state();
  int objects = fake.objects;
  fake = FakeLoader();
  fake.objects = objects;
  return fake;
}

} // namespace tonno

#endif // TEST_UNIT_RUNTIME_FAKES_LOADEDLOADER_H

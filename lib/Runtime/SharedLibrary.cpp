//===- SharedLibrary.cpp - Shared objects loaded from memory --------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedLibrary.h"
#include "tonno/Core/File.h"
#include "Confinement.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace tonno;

Result<std::unique_ptr<SharedLibrary>>
SharedLibrary::load(std::span<const uint8_t> binary) {
  int descriptor = ::memfd_create("tonno-artifact", MFD_CLOEXEC);
  if (descriptor < 0)
    return Error{std::string("memfd_create: ") + std::strerror(errno)};
  std::unique_ptr<SharedLibrary> loaded(new SharedLibrary(descriptor));
  std::string_view bytes(reinterpret_cast<const char *>(binary.data()),
                         binary.size());
  if (!writeAll(descriptor, bytes))
    return Error{std::string("cannot write the binary to memory: ") +
                 std::strerror(errno)};
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  Confinement confinement(Confinement::Phase::loading); // it has constructors
  loaded->library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded->library)
    return Error{::dlerror()};
  if (auto kept = confinement.check(); !kept)
    return Error{kept.error().message};
  return loaded;
}

SharedLibrary::~SharedLibrary() {
  if (library) {
    Confinement confinement(Confinement::Phase::running); // and destructors
    ::dlclose(library);
  }
  ::close(descriptor);
}

void *SharedLibrary::find(const std::string &symbol) const {
  return ::dlsym(library, symbol.c_str());
}

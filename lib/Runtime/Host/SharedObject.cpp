//===- Shared objects loaded from memory ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/SharedObject.h"
#include "tonno/Core/Descriptor.h"
#include "tonno/Core/File.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <optional>
#include <sys/mman.h>

using namespace tonno;

/// A path of the file that no library has had. The loader knows libraries by
/// name, and one that can't be unloaded would be handed out in place of the
/// next with its descriptor's number. The bits of a count lead nowhere, as "./"
/// and ".//".
static std::string makeUniquePath(int descriptor) {
  static std::atomic<uint64_t> count = 0;
  std::string path = "/proc/self/fd/";
  for (uint64_t bits = ++count; bits != 0; bits >>= 1)
    path += bits & 1 ? ".//" : "./";
  return path + std::to_string(descriptor);
}

static bool isLoadedAs(void *library, const std::string &path) {
  link_map *map = nullptr;
  return ::dlinfo(library, RTLD_DI_LINKMAP, static_cast<void *>(&map)) == 0 &&
         path == map->l_name;
}

/// Returns the status of a binary that could not be written to memory: a
/// shortage of descriptors or space is the machine's fault.
static Status classifyErrno(int problem) {
  switch (problem) {
  case EMFILE:
  case ENFILE:
  case EFBIG:
  case ENOSPC:
    return Status::lost;
  case ENOMEM:
    return Status::out_of_memory;
  default:
    return Status::load_error;
  }
}

/// The architecture of a program or library, by ELF's number for it.
static std::optional<ElfW(Half)>
getElfMachine(std::span<const uint8_t> binary) {
  ElfW(Ehdr) header;
  if (binary.size() < sizeof header)
    return std::nullopt;
  std::memcpy(&header, binary.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return std::nullopt;
  return header.e_machine;
}

static bool isForAnotherMachine(std::span<const uint8_t> binary) {
  std::array<uint8_t, sizeof(ElfW(Ehdr))> own = {};
  std::ifstream program("/proc/self/exe", std::ios::binary);
  program.read(reinterpret_cast<char *>(own.data()), own.size());
  auto its = getElfMachine(binary), ours = getElfMachine(own);
  return its && ours && *its != *ours;
}

/// The loader's reason ends with the system's, if that has one. Of binaries for
/// other machines it says that there is no such file.
static Failure makeLoaderFailure(std::span<const uint8_t> binary,
                                 const std::string &reason) {
  if (isForAnotherMachine(binary))
    return {Status::load_error,
            "the binary is for another architecture than this machine's; run "
            "it on such a machine, or compile for the chip 'native'"};
  for (int problem : {EMFILE, ENFILE, ENOMEM})
    if (reason.ends_with(std::strerror(problem)))
      return {classifyErrno(problem), reason};
  return {Status::load_error, reason};
}

Result<SharedObject, Failure>
SharedObject::load(std::span<const uint8_t> binary) {
  // The file lives while the loader reads it.
  Descriptor file(::memfd_create("tonno-artifact", MFD_CLOEXEC));
  if (!file.valid() ||
      !writeAll(file.get(), {reinterpret_cast<const char *>(binary.data()),
                             binary.size()})) {
    int problem = errno;
    return Failure{classifyErrno(problem),
                   std::string("cannot write the binary to memory: ") +
                       std::strerror(problem) +
                       (problem == EFBIG ? "; see 'ulimit -f'" : "")};
  }
  std::string path = makeUniquePath(file.get());
  SharedObject loaded;
  loaded.library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded.library)
    return makeLoaderFailure(binary, ::dlerror());
  if (!isLoadedAs(loaded.library, path))
    return Failure{Status::lost, "the loader returned another library"};
  return loaded;
}

SharedObject::~SharedObject() {
  if (library)
    ::dlclose(library);
}

void *SharedObject::find(const std::string &symbol) const {
  return ::dlsym(library, symbol.c_str());
}

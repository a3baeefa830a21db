//===- Files without a file system ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MemoryFile.h"
#include "tonno/Core/File.h"

#include <algorithm>
#include <cerrno>
#include <sys/mman.h>
#include <unistd.h>

using namespace tonno;

Descriptor tonno::fileInMemory(llvm::StringRef bytes, bool inherited) {
  Descriptor file(::memfd_create("kernel", inherited ? 0 : MFD_CLOEXEC));
  if (!file.valid() || !writeAll(file.get(), bytes) ||
      ::lseek(file.get(), 0, SEEK_SET) != 0)
    return {};
  return file;
}

std::string tonno::readToEnd(int descriptor, size_t most) {
  std::string bytes;
  char chunk[65536];
  for (;;) {
    ssize_t n = ::read(descriptor, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return bytes;
    bytes.append(chunk, std::min(static_cast<size_t>(n), most - bytes.size()));
  }
}

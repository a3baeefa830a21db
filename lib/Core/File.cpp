//===- File.cpp - Files, read whole and written whole ---------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Core/File.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace tonno;
namespace fs = std::filesystem;

static Error systemError(const std::string &doing, const fs::path &path) {
  return {doing + " '" + path.string() + "': " + std::strerror(errno)};
}

Result<std::string> tonno::readFile(const fs::path &path) {
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return systemError("cannot read", path);
  std::string bytes;
  char chunk[65536];
  ssize_t n;
  while ((n = ::read(descriptor, chunk, sizeof chunk)) != 0) {
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      break;
    bytes.append(chunk, static_cast<size_t>(n));
  }
  Error failure = systemError("cannot read", path);
  ::close(descriptor);
  if (n < 0)
    return failure;
  return bytes;
}

AtomicFile::AtomicFile(int descriptor, fs::path temporary, fs::path target)
    : descriptor(descriptor), temporary(std::move(temporary)),
      target(std::move(target)) {}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)),
      temporary(std::move(other.temporary)), target(std::move(other.target)) {}

AtomicFile::~AtomicFile() {
  if (descriptor < 0)
    return;
  ::close(descriptor);
  ::unlink(temporary.c_str());
}

Result<AtomicFile> AtomicFile::create(const fs::path &path) {
  std::string pattern = path.string() + ".tmp.XXXXXX";
  int descriptor = ::mkostemp(pattern.data(), O_CLOEXEC);
  if (descriptor < 0)
    return systemError("cannot write", path);
  // mkostemp makes private files; a result has the permissions of any other.
  mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor, 0666 & ~mask);
  return AtomicFile(descriptor, pattern, path);
}

Result<void> AtomicFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return systemError("cannot write", target);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

Result<void> AtomicFile::commit() {
  if (::fsync(descriptor) != 0)
    return systemError("cannot write", target);
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    return systemError("cannot write", target);
  ::close(std::exchange(descriptor, -1));
  return {};
}

Result<void> tonno::writeFileAtomically(const fs::path &path,
                                        std::string_view bytes) {
  auto file = AtomicFile::create(path);
  if (!file)
    return file.error();
  if (auto written = file->write(bytes); !written)
    return written;
  return file->commit();
}

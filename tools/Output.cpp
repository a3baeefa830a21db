//===- Output file of a tool ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Output.h"

#include "tonno/Core/PrintableText.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace tonno;

static Error stdoutError(int code) {
  return {std::string("cannot write to stdout: ") + std::strerror(code)};
}

Result<Output> Output::open(const std::string &path) {
  Output output;
  if (path == "-") {
    int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
      return stdoutError(EBADF);
    return output;
  }
  auto file = TONNO_TRY(AtomicFile::create(path));
  output.path = path;
  if (file.isInPlace()) {
    output.file.emplace(std::move(file));
    return output;
  }
  // Removes the temporary files of killed processes that wrote the same output.
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  removeAbandoned(folder.empty() ? "." : folder,
                  std::filesystem::path(path).filename().string());
  return output;
}

void Output::appendTo(std::vector<WrittenFile> &files, const char *form,
                      const std::string &meaning) const {
  if (path)
    files.push_back({*path, form, meaning});
}

Result<void> Output::write(const std::string &bytes) {
  if (file) {
    if (auto written = file->write(bytes); !written)
      return written;
    return file->commit();
  }
  if (path)
    return writeFileAtomically(*path, bytes);
  bool isTerminal = ::isatty(STDOUT_FILENO);
  if (!writeAll(STDOUT_FILENO, isTerminal ? toPrintable(bytes) : bytes))
    return stdoutError(errno);
  return {};
}

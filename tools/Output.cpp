//===- Output.cpp - Where the result of a tool goes -----------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Output.h"

#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <system_error>
#include <unistd.h>

using namespace tonno;

static Error stdoutError(std::error_code code) {
  return {"cannot write to stdout: " + code.message()};
}

Result<Output> Output::open(const std::string &path) {
  Output output;
  if (path == "-") {
    int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
      return stdoutError(std::make_error_code(std::errc::bad_file_descriptor));
    return output;
  }
  auto file = AtomicFile::create(path);
  if (!file)
    return file.error();
  output.file.emplace(std::move(*file));
  return output;
}

Result<void> Output::write(const std::string &bytes) {
  if (file) {
    if (auto written = file->write(bytes); !written)
      return written;
    return file->commit();
  }
  llvm::outs() << bytes;
  llvm::outs().flush();
  std::error_code code = llvm::outs().error();
  llvm::outs().clear_error(); // which would be fatal
  if (code)
    return stdoutError(code);
  return {};
}

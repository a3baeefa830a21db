//===- What is printed to standard error ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CapturedErrors.h"

#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace tonno;

CapturedErrors::CapturedErrors() {
  llvm::errs().flush();
  file = ::memfd_create("standard error", MFD_CLOEXEC);
  if (file < 0)
    return;
  standardError = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (standardError >= 0)
    ::dup2(file, STDERR_FILENO);
}

CapturedErrors::~CapturedErrors() {
  if (std::string text = take(); !text.empty())
    llvm::errs() << text;
}

std::string CapturedErrors::take() {
  std::string text;
  llvm::errs().flush();
  if (standardError >= 0) {
    ::dup2(standardError, STDERR_FILENO);
    ::close(std::exchange(standardError, -1));
    char chunk[4096];
    for (off_t at = 0;;) {
      ssize_t read = ::pread(file, chunk, sizeof chunk, at);
      if (read <= 0)
        break;
      text.append(chunk, static_cast<size_t>(read));
      at += read;
    }
  }
  if (file >= 0)
    ::close(std::exchange(file, -1));
  return text;
}

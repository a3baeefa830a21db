//===- Standard error, captured for a while -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Process/CapturedErrors.h"
#include "tonno/Core/File.h"

#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace tonno;

CapturedErrors::CapturedErrors() {
  std::fflush(stderr);
  file = ::memfd_create("standard error", MFD_CLOEXEC);
  if (file < 0)
    return;
  standardError = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (standardError >= 0)
    ::dup2(file, STDERR_FILENO);
}

CapturedErrors::~CapturedErrors() {
  // A closed standard error has no reader.
  if (std::string text = take(); !text.empty())
    (void)!writeAll(STDERR_FILENO, text);
}

std::string CapturedErrors::take() {
  std::string text;
  std::fflush(stderr);
  if (standardError >= 0) {
    ::dup2(standardError, STDERR_FILENO);
    ::close(std::exchange(standardError, -1));
    char chunk[4096];
    for (ssize_t read;
         (read = ::pread(file, chunk, sizeof chunk, text.size())) > 0;)
      text.append(chunk, static_cast<size_t>(read));
  }
  if (file >= 0)
    ::close(std::exchange(file, -1));
  return text;
}

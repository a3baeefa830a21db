//===- A folder's name without blanks -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FolderAlias.h"

#include <fcntl.h>
#include <unistd.h>
#include <utility>

using namespace tonno;

FolderAlias::FolderAlias(std::string given)
    : folder(std::move(given)), alias(folder) {
  if (folder.find_first_of(" \t\"'\\") == std::string::npos)
    return;
  // Not O_CLOEXEC: a driver's compiler may be another program.
  descriptor = ::open(folder.c_str(), O_PATH | O_DIRECTORY);
  if (descriptor >= 0)
    alias = "/proc/self/fd/" + std::to_string(descriptor);
}

FolderAlias::~FolderAlias() {
  if (descriptor >= 0)
    ::close(descriptor);
}

std::string FolderAlias::resolve(std::string text) const {
  if (alias == folder)
    return text;
  const std::string inside = alias + "/";
  for (size_t at = text.find(inside); at != std::string::npos;
       at = text.find(inside, at + folder.size()))
    text.replace(at, alias.size(), folder);
  return text;
}

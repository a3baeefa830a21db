//===- Where tonno's other programs are -----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Tuner/ToolPath.h"

#include <dlfcn.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace fs = std::filesystem;

/// The tool or plugin that this function was linked into.
static fs::path ownFile() {
  std::error_code ignored;
  fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  Dl_info info;
  // For the main program the loader knows only what it was called as.
  if (::dladdr(reinterpret_cast<void *>(&ownFile), &info) && info.dli_fname)
    if (fs::path file = fs::canonical(info.dli_fname, ignored); !ignored)
      return file;
  return self;
}

std::string tonno::findTool(const std::string &name) {
  fs::path folder = ownFile().parent_path();
  for (const fs::path &candidate :
       {folder / name, folder.parent_path() / "bin" / name})
    if (::access(candidate.c_str(), X_OK) == 0)
      return candidate.string();
  return name;
}

std::vector<std::string> tonno::commandOr(std::vector<std::string> given,
                                          const std::string &tool) {
  if (given.empty())
    given.push_back(findTool(tool));
  return given;
}

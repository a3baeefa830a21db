//===- Where CUDA's tools are ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaInstallation.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

using namespace tonno;
namespace fs = std::filesystem;

static constexpr llvm::StringLiteral libraryName = "libnvJitLink.so";

CudaSearch CudaSearch::fromEnvironment() {
  CudaSearch search;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *root = std::getenv(variable); root && *root)
      search.roots.push_back(root);
  if (!search.roots.empty())
    return search;
  // NVIDIA's own, Arch's and Debian's.
  search.roots = {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda",
                  "/usr/lib/nvidia-cuda-toolkit"};
  search.system = true;
  return search;
}

static std::optional<std::string>
findFile(const CudaSearch &search, std::initializer_list<const char *> places) {
  std::error_code ignored;
  for (const std::string &root : search.roots)
    for (const char *place : places) {
      fs::path path = fs::path(root) / place;
      if (fs::is_regular_file(path, ignored))
        return path.string();
    }
  return std::nullopt;
}

/// The number behind the name, as in libnvJitLink.so.13; 0 without one.
static unsigned soVersion(const fs::path &path) {
  std::string name = path.filename().string();
  llvm::StringRef rest(name);
  unsigned version = 0;
  if (rest.consume_front(libraryName) && rest.consume_front("."))
    rest.consumeInteger(10, version);
  return version;
}

static std::vector<fs::path> librariesIn(const fs::path &folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (llvm::StringRef(at->path().filename().string())
            .starts_with(libraryName))
      found.push_back(at->path());
  // One library has several names.
  std::ranges::sort(found, [](const fs::path &a, const fs::path &b) {
    return std::pair(soVersion(a), a) > std::pair(soVersion(b), b);
  });
  return found;
}

std::vector<std::string> tonno::nvJitLinkLibraries(const CudaSearch &search) {
  std::vector<std::string> paths;
  for (const std::string &root : search.roots)
    for (const char *place :
         {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      for (const fs::path &path : librariesIn(fs::path(root) / place))
        paths.push_back(path.string());
  if (search.system)
    for (const char *suffix : {".13", ".12", ""})
      paths.push_back(libraryName.str() + suffix);
  return paths;
}

std::optional<std::string> tonno::findPtxas(const CudaSearch &search) {
  if (auto found = findFile(search, {"bin/ptxas"}))
    return found;
  if (!search.system)
    return std::nullopt;
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas");
  return found ? std::optional(*found) : std::nullopt;
}

std::optional<std::string> tonno::findLibdevice(const CudaSearch &search) {
  return findFile(
      search, {"nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc"});
}

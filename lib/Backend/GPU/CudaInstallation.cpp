//===- Locations of CUDA's tools ------------------------------------------===//
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

/// Returns the entries of a folder with this prefix, the newest version first:
/// cu13 before cu12, python3.13 before python3.9.
static std::vector<fs::path> entries(const fs::path &folder,
                                     llvm::StringRef prefix = "") {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (llvm::StringRef(at->path().filename().string()).starts_with(prefix))
      found.push_back(at->path());
  std::ranges::sort(found, [](const fs::path &a, const fs::path &b) {
    return llvm::StringRef(a.filename().string())
               .compare_numeric(b.filename().string()) > 0;
  });
  return found;
}

std::vector<std::string> tonno::nvidiaPackagesBeside(const fs::path &program) {
  std::vector<std::string> roots;
  for (const fs::path &python :
       entries(program.parent_path().parent_path() / "lib"))
    for (const char *packages : {"site-packages", "dist-packages"})
      for (const fs::path &root : entries(python / packages / "nvidia"))
        roots.push_back(root.string());
  return roots;
}

CudaSearch CudaSearch::fromEnvironment() {
  CudaSearch search;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char *root = std::getenv(variable); root && *root)
      search.roots.push_back(root);
  if (!search.roots.empty())
    return search;
  std::error_code ignored;
  search.roots =
      nvidiaPackagesBeside(fs::read_symlink("/proc/self/exe", ignored));
  // NVIDIA's own, Arch's and Debian's.
  for (const char *root : {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda",
                           "/usr/lib/nvidia-cuda-toolkit"})
    search.roots.push_back(root);
  search.system = true;
  return search;
}

static std::optional<std::string>
findFile(const CudaSearch &search, std::initializer_list<std::string> places) {
  std::error_code ignored;
  for (const std::string &root : search.roots)
    for (const std::string &place : places) {
      fs::path path = fs::path(root) / place;
      if (fs::is_regular_file(path, ignored))
        return path.string();
    }
  return std::nullopt;
}

std::vector<std::string> tonno::nvJitLinkLibraries(const CudaSearch &search) {
  std::vector<std::string> paths;
  for (const std::string &root : search.roots)
    for (const char *place :
         {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
      for (const fs::path &path : entries(fs::path(root) / place, libraryName))
        paths.push_back(path.string());
  if (search.system)
    for (const char *suffix : {".13", ".12", ""})
      paths.push_back(libraryName.str() + suffix);
  return paths;
}

static std::optional<std::string> findProgram(const CudaSearch &search,
                                              const std::string &name) {
  if (auto found = findFile(search, {"bin/" + name}))
    return found;
  if (!search.system)
    return std::nullopt;
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName(name);
  return found ? std::optional(*found) : std::nullopt;
}

std::optional<std::string> tonno::findPtxas(const CudaSearch &search) {
  return findProgram(search, "ptxas");
}

std::optional<std::string> tonno::findNvdisasm(const CudaSearch &search) {
  return findProgram(search, "nvdisasm");
}

std::optional<std::string> tonno::findLibdevice(const CudaSearch &search) {
  return findFile(
      search, {"nvvm/libdevice/libdevice.10.bc", "libdevice/libdevice.10.bc"});
}

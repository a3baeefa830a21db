//===- A directory for one test -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TEST_UNIT_TEMPORARYDIRECTORY_H
#define TONNO_TEST_UNIT_TEMPORARYDIRECTORY_H

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tonno {

/// An empty directory that goes away with all it holds.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tonno-test-XXXXXX").string();
    root = ::mkdtemp(pattern.data());
  }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  const std::filesystem::path &path() const { return root; }
  std::filesystem::path operator/(const std::string &name) const {
    return root / name;
  }

  /// Returns every regular file below, sorted.
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> found;
    for (const auto &entry :
         std::filesystem::recursive_directory_iterator(root))
      if (entry.is_regular_file())
        found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
  }

private:
  std::filesystem::path root;
};

inline void writeText(const std::filesystem::path &path,
                      const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

} // namespace tonno

#endif // TONNO_TEST_UNIT_TEMPORARYDIRECTORY_H

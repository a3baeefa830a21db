//===- A directory of this process ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_OWNDIRECTORY_H
#define TONNO_LIB_TUNER_OWNDIRECTORY_H

#include "tonno/Core/Result.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

namespace tonno {

/// Temporary directory of this process, removed with its contents.
class OwnDirectory {
public:
  static Result<OwnDirectory> create() {
    std::error_code failed;
    auto above = std::filesystem::temp_directory_path(failed);
    std::string pattern = (above / "tonno-XXXXXX").string();
    if (failed || !::mkdtemp(pattern.data()))
      return Error{"cannot create a directory in '" + above.string() + "'"};
    return OwnDirectory(pattern);
  }
  OwnDirectory(OwnDirectory &&other) noexcept
      : path(std::exchange(other.path, {})) {}
  OwnDirectory &operator=(OwnDirectory &&) = delete;
  ~OwnDirectory() {
    std::error_code ignored;
    if (!path.empty())
      std::filesystem::remove_all(path, ignored);
  }

  std::filesystem::path path;

private:
  explicit OwnDirectory(std::filesystem::path path) : path(std::move(path)) {}
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_OWNDIRECTORY_H

//===- Dates of files -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_FILEDATE_H
#define TONNO_CORE_FILEDATE_H

#include <filesystem>
#include <optional>
#include <string>

namespace tonno {

/// Returns when a file was last written: "2026-11-25T18:43:33Z"; empty if that
/// cannot be read. For users and for pruning only: no result depends on it.
std::string getFileDate(const std::filesystem::path &path);

/// Returns the seconds since a file was last written, by the system's date.
std::optional<double> getFileAge(const std::filesystem::path &path);

/// Gives a file the date of another file, or one that getFileDate has
/// returned. Leaves it as it is where that fails: dates are no results.
void copyFileDate(const std::filesystem::path &from,
                  const std::filesystem::path &to);
void setFileDate(const std::filesystem::path &path, const std::string &date);

} // namespace tonno

#endif // TONNO_CORE_FILEDATE_H

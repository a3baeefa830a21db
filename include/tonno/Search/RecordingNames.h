//===- Recordings that can be told apart ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_RECORDINGNAMES_H
#define TONNO_SEARCH_RECORDINGNAMES_H

#include "tonno/Search/Recording.h"

#include <filesystem>
#include <span>

namespace tonno {

/// Renames those that have the name of another one, so that no two have the
/// same: by their files, one for each, by the paths of these where the files
/// are called the same, and by number where they are of one file.
void tellApart(std::span<Recording> recordings,
               std::span<const std::filesystem::path> files);

} // namespace tonno

#endif // TONNO_SEARCH_RECORDINGNAMES_H

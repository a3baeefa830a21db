//===- Files of JSON ------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef BENCHMARKS_HOST_JSONFILE_H
#define BENCHMARKS_HOST_JSONFILE_H

#include "tonno/Core/File.h"
#include "tonno/Core/Json.h"

namespace tonno {

/// Reads and decodes a JSON file; an Error names the file.
template <typename T> Result<T> readJson(const std::filesystem::path &path) {
  auto text = TONNO_TRY(readFile(path));
  auto json = parseJson(text);
  if (!json)
    return json.error().prefixed(path.string());
  auto value = decode<T>(*json);
  if (!value)
    return value.error().prefixed(path.string());
  return value;
}

} // namespace tonno

#endif // BENCHMARKS_HOST_JSONFILE_H

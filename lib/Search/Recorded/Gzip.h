//===- Compressed files ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SEARCH_GZIP_H
#define TONNO_LIB_SEARCH_GZIP_H

#include "tonno/Core/Result.h"

#include <string>
#include <string_view>

namespace tonno {

bool isGzip(std::string_view bytes);

/// The content, which may be of several members. An Error where it is cut off
/// or damaged, or larger than the limit.
Result<std::string> gunzip(std::string_view bytes, size_t mostBytes);

} // namespace tonno

#endif // TONNO_LIB_SEARCH_GZIP_H

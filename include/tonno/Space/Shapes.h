//===- Sizes of dynamic dimensions ----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SPACE_SHAPES_H
#define TONNO_SPACE_SHAPES_H

#include "tonno/Core/Result.h"
#include "tonno/Space/SearchSpace.h"

#include <string_view>
#include <vector>

namespace tonno {

/// Parses a size for each named dimension: "M=64, N=1024". The Error quotes the
/// part that is no size, is below 1, or names a dimension again.
Result<std::vector<Dimension>> parseSizes(std::string_view text);

} // namespace tonno

#endif // TONNO_SPACE_SHAPES_H

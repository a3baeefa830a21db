//===- Why a space is empty -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_CONSTRAINTCONFLICT_H
#define TONNO_SEARCH_CONSTRAINTCONFLICT_H

#include "tonno/Core/SearchSpace.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// Constraints of a space, by index, that no configuration satisfies together,
/// while without any one of them some might. None: the space is not empty, or
/// that can't be told. Takes bounded work.
std::optional<std::vector<size_t>>
conflictingConstraints(const SearchSpace &space);

/// These, as they are told of: `constraints "A < 2" and "A > 4" together`, or
/// just `constraints`.
std::string describeConflict(const SearchSpace &space);

} // namespace tonno

#endif // TONNO_SEARCH_CONSTRAINTCONFLICT_H

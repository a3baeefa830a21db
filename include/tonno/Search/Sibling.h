//===- The best of a recording, for another -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SEARCH_SIBLING_H
#define TONNO_SEARCH_SIBLING_H

#include "tonno/Search/LegalSpace.h"
#include "tonno/Search/Recording.h"

namespace tonno {

/// The configurations of the sibling's fastest trials, at most `count`, as
/// points of the space, fastest first: to start a search of the same kernel at
/// another shape or on another device. What the space has not, or is illegal
/// there, is left out, and the next one taken. None where the knobs have other
/// names.
std::vector<Configuration> bestOfSibling(const Recording &sibling,
                                         const LegalSpace &space, size_t count);

} // namespace tonno

#endif // TONNO_SEARCH_SIBLING_H

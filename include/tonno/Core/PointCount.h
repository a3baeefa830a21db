//===- Numbers of points of a space ------------- -------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_CORE_POINTCOUNT_H
#define TONNO_CORE_POINTCOUNT_H

#include "tonno/Core/Json.h"

#include <string>

namespace tonno {

/// A count of points; saturates at its greatest value.
__extension__ using PointCount = unsigned __int128;

PointCount saturatingProduct(PointCount a, PointCount b);
PointCount saturatingSum(PointCount a, PointCount b);

/// Returns the digits of a count up to 2^64, of another "over 2^64".
std::string formatCount(PointCount count);

/// Returns a number up to 2^64, of another count the text "over 2^64".
Json countToJson(PointCount count);
/// Returns an estimate, or "over 2^64" if it is infinite.
Json countToJson(double count);

} // namespace tonno

#endif // TONNO_CORE_POINTCOUNT_H

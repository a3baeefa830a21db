//===- Sealed files for other machines ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_SESSION_SEALEDFILE_H
#define TONNO_LIB_SESSION_SEALEDFILE_H

#include "tonno/Core/Json.h"

#include <string>
#include <string_view>

namespace tonno {

/// A kind of file that travels: to another machine, or to a later day.
struct SealedFormat {
  std::string_view name; ///< "bundle"
  int version;
};

/// Returns a line that names the format, a line with the SHA-256 of the
/// content, and the content as CBOR.
std::string seal(const SealedFormat &format, const Json &content);

/// Returns the content; the Error is another kind of file, another version, or
/// damage.
Result<Json> unseal(const SealedFormat &format, std::string_view bytes);

} // namespace tonno

#endif // TONNO_LIB_SESSION_SEALEDFILE_H

//===- SHA-256 ------------------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/Hash.h"

#include <sys/types.h>

#include <sha2.h>

std::string tonno::sha256(std::string_view bytes) {
  char hex[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(),
             hex);
  return hex;
}

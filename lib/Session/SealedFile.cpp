//===- Sealed files for other machines ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SealedFile.h"
#include "tonno/Core/Hash.h"

using namespace tonno;

static constexpr size_t digestLength = 64; ///< of SHA-256 in hex

static std::string formatName(const SealedFormat &format) {
  return "tonno " + std::string(format.name) + " ";
}

static std::string formatLine(const SealedFormat &format) {
  return formatName(format) + std::to_string(format.version);
}

std::string tonno::seal(const SealedFormat &format, const Json &content) {
  std::string payload;
  Json::to_cbor(content, payload);
  return formatLine(format) + "\n" + sha256(payload) + "\n" + payload;
}

Result<Json> tonno::unseal(const SealedFormat &format, std::string_view bytes) {
  std::string name(format.name), line = formatLine(format);
  if (!bytes.starts_with(formatName(format)))
    return Error{"not a " + name + " of tonno"};
  if (!bytes.starts_with(line + "\n"))
    return Error{"the file is a " + name +
                 " of another version; this version reads '" + line + "'"};
  bytes.remove_prefix(line.size() + 1);
  if (bytes.size() <= digestLength || bytes[digestLength] != '\n' ||
      sha256(bytes.substr(digestLength + 1)) != bytes.substr(0, digestLength))
    return Error{"the file is truncated or damaged"};
  bytes.remove_prefix(digestLength + 1);
  auto json = parseCbor(
      {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  if (!json)
    return json.error().prefixed("the content is not CBOR");
  return json;
}

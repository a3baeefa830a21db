//===- Compressed files ---------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Gzip.h"

#include <algorithm>
#include <array>
#include <limits>

#include <zlib.h>

using namespace tonno;

bool tonno::isGzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

namespace {
struct Inflation {
  z_stream stream = {};
  bool isReady = false;

  Inflation() {
    constexpr int gzipOnly = 16; // added to the size of the window
    isReady = inflateInit2(&stream, MAX_WBITS + gzipOnly) == Z_OK;
  }
  ~Inflation() {
    if (isReady)
      inflateEnd(&stream);
  }
};
} // namespace

Result<std::string> tonno::gunzip(std::string_view bytes, size_t mostBytes) {
  Inflation inflation;
  z_stream &stream = inflation.stream;
  if (!inflation.isReady)
    return Error{"there is no memory to decompress it"};
  std::string content;
  std::array<char, 1 << 16> piece;
  for (bool inMember = false; inMember || !bytes.empty();) {
    size_t given =
        std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    // zlib's interface is not const, and reads only.
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef *>(piece.data());
    stream.avail_out = piece.size();
    int state = inflate(&stream, Z_NO_FLUSH);
    bytes.remove_prefix(given - stream.avail_in);
    content.append(piece.data(), piece.size() - stream.avail_out);
    if (content.size() > mostBytes)
      return Error{"it decompresses to more than " +
                   std::to_string(mostBytes >> 20) + " MiB"};
    inMember = state == Z_OK;
    if (state == Z_STREAM_END) {
      inflateReset(&stream);
      continue;
    }
    if (state == Z_BUF_ERROR)
      return Error{"its compressed data is cut off: copy or download it again"};
    if (state != Z_OK)
      return Error{
          "its compressed data is damaged" +
          (stream.msg ? " (" + std::string(stream.msg) + ")" : std::string()) +
          ": copy or download it again"};
  }
  return content;
}

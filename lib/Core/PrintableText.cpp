//===- Text that is safe on a terminal ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/PrintableText.h"

#include <algorithm>
#include <cstddef>

using namespace tonno;

static bool isContinuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

/// Returns the length of the character that the text begins with, or 0 if it is
/// a control character or none at all.
static size_t printableLength(std::string_view text) {
  auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7f) || first == '\n' || first == '\t';
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length ||
      !std::all_of(text.begin() + 1, text.begin() + std::ptrdiff_t(length),
                   isContinuation))
    return 0;
  auto second = static_cast<unsigned char>(text[1]);
  bool isOverlong =
      (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  bool isNoCharacter =
      (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  // U+0080 to U+009F are control characters, 0x9b the start of a sequence.
  bool isControl = first == 0xc2 && second < 0xa0;
  return isOverlong || isNoCharacter || isControl ? 0 : length;
}

std::string tonno::toPrintable(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string printable;
  while (!text.empty()) {
    size_t length = printableLength(text);
    if (length == 0) {
      auto byte = static_cast<unsigned char>(text.front());
      printable += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
      length = 1;
    } else {
      printable += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return printable;
}

//===- Texts that a client edits ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Document.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;
using namespace tonno;

/// Returns the columns that a byte of UTF-8 adds: that of a character's first
/// byte stands for the whole character.
static unsigned countColumns(char byte, ColumnUnit unit) {
  auto value = static_cast<unsigned char>(byte);
  if (unit == ColumnUnit::utf8)
    return 1;
  bool isContinuation = (value & 0xC0) == 0x80;
  return isContinuation ? 0 : value >= 0xF0 ? 2 : 1;
}

size_t Document::getOffset(lsp::Position position) const {
  size_t offset = 0;
  for (int line = 0; line < position.line; ++line) {
    offset = text.find('\n', offset);
    if (offset == std::string::npos)
      return text.size();
    ++offset;
  }
  int column = 0;
  for (; offset < text.size() && text[offset] != '\n'; ++offset) {
    unsigned width = countColumns(text[offset], unit);
    if (column >= position.character && width > 0)
      break;
    column += width;
  }
  return offset;
}

lsp::Position Document::getPosition(size_t offset) const {
  StringRef before = StringRef(text).take_front(offset);
  int line = before.count('\n');
  int column = 0;
  for (char byte : before.substr(before.rfind('\n') + 1))
    column += countColumns(byte, unit);
  return {line, column};
}

SmallVector<Span> Document::getParts() const {
  static constexpr StringLiteral separator = "// -----";
  SmallVector<Span> parts;
  size_t begin = 0;
  for (size_t at = text.find(separator); at != std::string::npos;
       at = text.find(separator, begin)) {
    parts.push_back({begin, at});
    begin = at + separator.size();
  }
  parts.push_back({begin, text.size()});
  return parts;
}

Span Document::getPartAt(size_t offset) const {
  SmallVector<Span> parts = getParts();
  return *find_if(parts, [&](Span part) {
    return offset <= part.end || part.end == text.size();
  });
}

/// Returns the closing bracket of an opening one.
static char getClosing(char open) {
  switch (open) {
  case '<':
    return '>';
  case '(':
    return ')';
  case '[':
    return ']';
  default:
    return '}';
  }
}

void BracketReader::advance() {
  StringRef rest = text.substr(at);
  char c = rest.front();
  if (string || inComment) {
    bool isEscape = string && c == '\\' && rest.size() > 1 && rest[1] != '\n';
    if (c == '\n')
      inComment = false;
    if (c == '\n' || (string && c == '"'))
      string.reset();
    at += isEscape ? 2 : 1;
    return;
  }
  if (rest.starts_with("//")) {
    inComment = true;
    at += 2;
    return;
  }
  for (StringRef pair : {"->", ">=", "<=", "=="})
    if (rest.starts_with(pair)) {
      at += pair.size();
      return;
    }
  if (c == '"') {
    string = at;
  } else if (StringRef("<([{").contains(c)) {
    brackets.push_back({at, at + 1});
  } else if (StringRef(">)]}").contains(c)) {
    // A closing bracket also closes those that were left open within it. It
    // closes nothing if there is no matching one.
    auto opened = find_if(reverse(brackets), [&](const OpenBracket &bracket) {
      return getClosing(text[bracket.offset]) == c;
    });
    if (opened != brackets.rend())
      brackets.truncate(brackets.rend() - opened - 1);
  } else if (c == ',' && !brackets.empty()) {
    brackets.back().entry = at + 1;
  }
  ++at;
}

std::optional<size_t> tonno::findBracketEnd(StringRef text, size_t open) {
  BracketReader reader(text, open);
  do
    reader.advance();
  while (!reader.isAtEnd() && !reader.getOpenBrackets().empty());
  return reader.getOpenBrackets().empty() ? std::optional(reader.offset())
                                          : std::nullopt;
}

static bool isIdentifierByte(char c) {
  return isAlnum(c) || StringRef("_$.-").contains(c);
}

Span tonno::findIdentifier(StringRef text, size_t offset) {
  Span found{offset, offset};
  while (found.begin > 0 && isIdentifierByte(text[found.begin - 1]))
    --found.begin;
  if (found.begin > 0 && text[found.begin - 1] == '#')
    --found.begin;
  else if (found.begin == offset && offset < text.size() && text[offset] == '#')
    ++found.end;
  while (found.end < text.size() && isIdentifierByte(text[found.end]))
    ++found.end;
  return found;
}

//===- Texts that a client edits ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_LSP_DOCUMENT_H
#define TONNO_TOOLS_LSP_DOCUMENT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tonno {

/// The unit of columns in positions of a client.
enum class ColumnUnit { utf8, utf16 };

/// A range of bytes.
struct Span {
  size_t begin = 0;
  size_t end = 0;
};

/// The text of an opened document. Offsets are in bytes.
struct Document {
  std::string text;
  int64_t version = 0;
  ColumnUnit unit = ColumnUnit::utf16;

  /// Returns the offset of a position, clamped to the end of its line and of
  /// the text.
  size_t getOffset(llvm::lsp::Position position) const;

  llvm::lsp::Position getPosition(size_t offset) const;
  llvm::lsp::Range getRange(Span span) const {
    return {getPosition(span.begin), getPosition(span.end)};
  }

  /// Returns the parts that lines with `// -----` separate, in order. Each is a
  /// module of its own, as in upstream's server.
  llvm::SmallVector<Span> getParts() const;

  /// Returns the part with the offset.
  Span getPartAt(size_t offset) const;
};

/// An open bracket.
struct OpenBracket {
  size_t offset;
  size_t entry; ///< offset after the last comma within it, or after it
};

/// Scans MLIR's text from an offset, and tracks open brackets and the open
/// string. Comments and unterminated strings end with their line. `->`, `>=`,
/// `<=` and `==` are skipped: they open and close no brackets.
class BracketReader {
public:
  BracketReader(llvm::StringRef text, size_t begin) : text(text), at(begin) {}

  /// Reads one character or pair of characters.
  void advance();

  /// Reads up to the offset, or to the end of the text.
  void readTo(size_t end) {
    while (at < end && at < text.size())
      advance();
  }

  size_t offset() const { return at; }
  bool isAtEnd() const { return at >= text.size(); }
  bool isInComment() const { return inComment; }
  llvm::ArrayRef<OpenBracket> getOpenBrackets() const { return brackets; }

  /// Returns the offset of the open string's quote, if a string is open.
  std::optional<size_t> getString() const { return string; }

private:
  llvm::StringRef text;
  size_t at;
  bool inComment = false;
  std::optional<size_t> string;
  llvm::SmallVector<OpenBracket> brackets;
};

/// Returns the offset after the bracket that closes the one at `open`, if any.
std::optional<size_t> findBracketEnd(llvm::StringRef text, size_t open);

/// Returns the identifier around the offset, or that ends there: letters,
/// digits, `_`, `$`, `.` and `-`, with a `#` before them. May be empty.
Span findIdentifier(llvm::StringRef text, size_t offset);

} // namespace tonno

#endif // TONNO_TOOLS_LSP_DOCUMENT_H

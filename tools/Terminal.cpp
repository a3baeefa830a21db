//===- Output of tools for people -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Terminal.h"

#include "tonno/Core/PrintableText.h"

#include <string>

using namespace tonno;

namespace {

/// Passes whole lines on: a character may come in several pieces.
class PrintableStream : public llvm::raw_ostream {
public:
  explicit PrintableStream(llvm::raw_ostream &inner)
      : raw_ostream(/*unbuffered=*/true), inner(inner) {}
  ~PrintableStream() override { forward(line.size()); }

  bool is_displayed() const override { return inner.is_displayed(); }
  bool has_colors() const override { return inner.has_colors(); }
  raw_ostream &changeColor(Colors color, bool bold, bool background) override {
    forward(line.size());
    inner.changeColor(color, bold, background);
    return *this;
  }
  raw_ostream &resetColor() override {
    forward(line.size());
    inner.resetColor();
    return *this;
  }
  raw_ostream &reverseColor() override {
    forward(line.size());
    inner.reverseColor();
    return *this;
  }

private:
  void write_impl(const char *bytes, size_t size) override {
    line.append(bytes, size);
    forward(line.rfind('\n') + 1); // 0 if there is none
  }
  uint64_t current_pos() const override { return 0; }

  void forward(size_t size) {
    if (size == 0)
      return;
    std::string text = toPrintable(std::string_view(line).substr(0, size));
    if (print)
      print(text);
    else
      inner << text;
    inner.flush();
    line.erase(0, size);
  }

  llvm::raw_ostream &inner;
  std::string line; ///< that has no end yet

public:
  /// Prints instead of `inner`, if set.
  std::function<void(const std::string &)> print;
};

} // namespace

static PrintableStream &errorStream() {
  static PrintableStream stream(llvm::errs());
  return stream;
}

llvm::raw_ostream &tonno::messages() { return errorStream(); }

void tonno::redirectMessages(std::function<void(const std::string &)> print) {
  errorStream().print = std::move(print);
}

llvm::raw_ostream &tonno::answers() {
  static PrintableStream stream(llvm::outs());
  if (llvm::outs().is_displayed())
    return stream;
  return llvm::outs();
}

//===- Output of candidates -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_RUNTIME_PRINTEDOUTPUT_H
#define TONNO_RUNTIME_PRINTEDOUTPUT_H

#include "tonno/Core/Descriptor.h"
#include "tonno/Core/Result.h"

#include <string>
#include <utility>

namespace tonno {

/// Output of this process: at most 64 KiB at a time, the rest is dropped.
class PrintedOutput {
public:
  static Result<PrintedOutput> create();

  /// Redirects standard output and error into the pipe.
  void capture();
  /// Returns the captured output and clears it.
  std::string take();
  /// Copies it to the former standard error, with a note if the pipe was full.
  void forward();

private:
  PrintedOutput(int reader, int writer, Descriptor screen)
      : reader(reader), writer(writer), screen(std::move(screen)) {}

  Descriptor reader, writer;
  Descriptor screen; ///< what standard error was
};

} // namespace tonno

#endif // TONNO_RUNTIME_PRINTEDOUTPUT_H

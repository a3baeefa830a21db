//===- Output file of a tool ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TOOLS_OUTPUT_H
#define TONNO_TOOLS_OUTPUT_H

#include "tonno/Core/File.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// A file that a tool wrote.
struct WrittenFile {
  std::string path;
  std::string form;    ///< "ir", "report", or a value of --emit
  std::string meaning; ///< "an object"
};

/// A file, which appears whole or not at all, or standard output for "-".
class Output {
public:
  /// Opens the output. Fails early if the file can't be written. A process
  /// killed before the end leaves no partial output.
  static Result<Output> open(const std::string &path);

  /// Writes the whole result; called once.
  Result<void> write(const std::string &bytes);

  /// Appends the file to those that were written; standard output is none.
  void appendTo(std::vector<WrittenFile> &files, const char *form,
                const std::string &meaning) const;

private:
  std::optional<std::string> path; ///< none: standard output
  std::optional<AtomicFile>
      file; ///< at that path, unless that is no regular file
};

} // namespace tonno

#endif // TONNO_TOOLS_OUTPUT_H

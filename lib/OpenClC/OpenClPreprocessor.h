//===- Directives of OpenCL C ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCLC_OPENCLPREPROCESSOR_H
#define TONNO_LIB_OPENCLC_OPENCLPREPROCESSOR_H

#include <filesystem>
#include <string>
#include <vector>

namespace tonno {

// Conditions are not evaluated, as they may depend on the driver: both branches
// count, but for those of `#if 0`.

/// Line of the kernel's file or of an included one: without comments, joined
/// with its continuation lines.
struct OpenClLine {
  std::string text;
  std::filesystem::path file; ///< empty: the kernel's
  unsigned number = 0;        ///< of its first line, from 1
};

/// Returns the lines of a text, except those that `#if 0` excludes.
std::vector<OpenClLine> readLines(const std::string &source,
                                  const std::filesystem::path &file = {});

/// `#define NAME value`.
struct OpenClDefine {
  enum class When {
    unlessDefined, ///< only if it is undefined
    sometimes,     ///< where something else holds
    always
  };
  std::string value;
  OpenClLine line;
  When when = When::always;
};

/// Returns the definitions of a macro, in order.
std::vector<OpenClDefine> findDefines(const std::vector<OpenClLine> &lines,
                                      const std::string &name);

/// Returns true if the text contains the name as a word.
bool mentions(const std::string &source, const std::string &name);

/// Included text of a source, transitively. Compilers look for "a.h" beside the
/// including file and then, as for <a.h>, in the given folders.
struct OpenClIncludes {
  std::string text;                 ///< of all files
  std::vector<OpenClLine> lines;    ///< of the source and the included files
  std::vector<std::string> missing; ///< names that were not found
  bool any = false;
};
OpenClIncludes findIncludes(const std::string &source,
                            const std::vector<std::filesystem::path> &folders);

} // namespace tonno

#endif // TONNO_LIB_OPENCLC_OPENCLPREPROCESSOR_H

//===- OpenClText.h - The text of OpenCL C -------------------- -*- C++ -*-===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TONNO_LIB_TUNER_OPENCLTEXT_H
#define TONNO_LIB_TUNER_OPENCLTEXT_H

#include "tonno/Session/Compiler.h"
#include "tonno/Tuner/OpenClFile.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// Takes the options in comments into the request, behind its own. The Error
/// has the line.
Result<void, LocatedError> addDirectives(const std::string &source,
                                         OpenClRequest &request);

/// The source without those comments.
std::string withoutDirectives(const std::string &source);

/// A line of the kernel's file, or of one that it includes.
struct OpenClLine {
  std::string text;
  std::filesystem::path file; ///< empty: the kernel's
  unsigned number = 0;        ///< from 1
};

/// `#define NAME value`.
struct OpenClDefine {
  std::string value;
  OpenClLine line;
  bool givesWay = false; ///< only where nobody has defined it
};

/// The first definition of a macro in the text.
std::optional<OpenClDefine> findDefine(const std::vector<OpenClLine> &lines,
                                       const std::string &name);

/// Whether the name stands in the text as a word.
bool mentions(const std::string &source, const std::string &name);

/// The names of the kernels that are defined in the text, in order.
std::vector<std::string> kernelNames(const std::string &source);

/// What the text includes, and what that includes, by these folders.
struct OpenClIncludes {
  std::string text;                 ///< of all files
  std::vector<OpenClLine> lines;    ///< of the source, and what it includes
  std::vector<std::string> missing; ///< names that were not found
  bool any = false;
};
OpenClIncludes findIncludes(const std::string &source,
                            const std::vector<std::filesystem::path> &folders);

} // namespace tonno

#endif // TONNO_LIB_TUNER_OPENCLTEXT_H

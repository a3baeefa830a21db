//===- Files in OpenCL C --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_OPENCLC_OPENCLFILE_H
#define TONNO_OPENCLC_OPENCLFILE_H

#include "tonno/Engine/Compiler.h"
#include "tonno/OpenClC/Worker/OpenClSource.h"

#include <string>
#include <vector>

namespace tonno {

/// The options of a kernel in OpenCL C, from the command line or from comments
/// of its file, one a line: `// tonno: --knob=TS=8,16,32`.
struct OpenClRequest {
  std::string file;
  std::string kernel; ///< empty: the file's only one
  std::vector<std::string> knobs, constraints;
  std::vector<std::string> arguments; ///< "A=f32[1024x1024]"
  std::vector<std::string> inputs;    ///< "A=uniform(0, 1)"
  std::string globalSize, localSize, buildOptions;
};

/// The kernel read from a file, with its space and arguments.
struct OpenClFile {
  /// The kernel; its `textHash`, which the cache uses, covers the text without
  /// tonno's comments, and the included files.
  OpenClSource kernel;
  std::vector<std::string> warnings;
};

/// Reads the file. For a knob, an argument or a size, the command line takes
/// precedence over the file; a knob's default is the file's `#define` unless an
/// option states one. Errors have a location in the file, if there is one.
Result<OpenClFile, LocatedError> readOpenCl(OpenClRequest request);

/// Returns the file with these values as the knobs' defaults, below a comment.
std::string tunedSource(const OpenClSource &kernel, const Json &values,
                        const std::string &comment);

} // namespace tonno

#endif // TONNO_OPENCLC_OPENCLFILE_H

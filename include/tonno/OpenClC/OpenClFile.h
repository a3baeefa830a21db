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

/// What users say of a kernel in OpenCL C, on the command line or, an option a
/// line, in comments of its file: `// tonno: --knob=TS=8,16,32`.
struct OpenClRequest {
  std::string file;
  std::string kernel; ///< empty: the file's only one
  std::vector<std::string> knobs, constraints;
  std::vector<std::string> arguments; ///< "A=f32[1024x1024]"
  std::vector<std::string> inputs;    ///< "A=uniform(0, 1)"
  std::string globalSize, localSize, buildOptions;
};

/// What was read.
struct OpenClFile {
  /// Its `textHash` is what the cache goes by: of the text without tonno's
  /// comments, and of the files that it includes.
  OpenClSource kernel;
  std::vector<std::string> warnings;
};

/// Reads the file. What a command line says of a knob, an argument or a size
/// goes before what the file says; a knob's default is what the file defines
/// where nobody else has. Errors have a place in the file, where there is one.
Result<OpenClFile, LocatedError> readOpenCl(OpenClRequest request);

/// The file with these values of its knobs as their defaults, behind a comment.
std::string tunedSource(const OpenClSource &kernel, const Json &values,
                        const std::string &comment);

} // namespace tonno

#endif // TONNO_OPENCLC_OPENCLFILE_H

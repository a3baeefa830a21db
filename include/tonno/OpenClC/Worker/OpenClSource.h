//===- A kernel in OpenCL C, with its knobs -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_OPENCLC_WORKER_OPENCLSOURCE_H
#define TONNO_OPENCLC_WORKER_OPENCLSOURCE_H

#include "tonno/Core/Json.h"
#include "tonno/Space/SearchSpace.h"

#include <map>
#include <string>

namespace tonno {

/// A kernel in OpenCL C as a user describes it. Each knob is a macro that the
/// build defines, `-D NAME=VALUE`; sizes and local memory may depend on knobs.
struct OpenClSource {
  std::string file; ///< as it was named, for diagnostics
  std::string source;
  std::string textHash; ///< of the source, and of what it includes
  std::string name;
  std::string options; ///< of the build, beside the macros
  /// The folder searched first for included files; empty if the file includes
  /// none. Used by the build only: hashes do not depend on the location of a
  /// checkout.
  std::string includeFolder;
  std::string globalSize; ///< "1024 / WPT, 1024"
  std::string localSize;  ///< empty: the driver chooses
  /// Arguments by name or number, in the syntax of OpenClArguments.h:
  /// "f32[1024x1024]".
  std::map<std::string, std::string> arguments;
  std::map<std::string, std::string> inputs; ///< "uniform(0, 1)", by name
  SearchSpace space;

  /// Returns the line of the kernel's definition, counted from 1; 0 if it was
  /// not found.
  unsigned line() const;
  /// Returns the build options for a configuration: the user's options,
  /// followed by " -D A=1" for each knob.
  std::string buildOptions(const Configuration &configuration) const;
  /// Returns the build options on the machine that has the file: `buildOptions`
  /// behind "-I" of its folder, and a macro that makes drivers' caches
  /// distinguish texts.
  std::string localBuildOptions(const Configuration &configuration) const;
};

/// Returns a knob's value as a macro's; none for a list, or for text with
/// blanks.
std::optional<std::string> macroValue(const Option &option);

void to_json(Json &json, const OpenClSource &kernel);
void from_json(const Json &json, OpenClSource &kernel);

} // namespace tonno

#endif // TONNO_OPENCLC_WORKER_OPENCLSOURCE_H

//===- Builds OpenCL kernels ----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCLC_WORKER_OPENCLBUILDER_H
#define TONNO_LIB_OPENCLC_WORKER_OPENCLBUILDER_H

#include "tonno/Engine/Compiler.h"
#include "OpenClArguments.h"

#include <memory>
#include <string>

namespace tonno {

/// Alias of a folder without characters that drivers can't parse: PoCL, for
/// example, does not support blanks in its options, quoted or not. The alias is
/// valid in this process and its children, and leaves no file behind.
class FolderAlias {
public:
  /// Keeps the folder's own name if it has no blanks or can't be opened.
  explicit FolderAlias(std::string folder);
  FolderAlias(const FolderAlias &) = delete;
  FolderAlias &operator=(const FolderAlias &) = delete;
  ~FolderAlias();

  const std::string &name() const { return alias; }
  /// Replaces the alias by the folder's name in a compiler's message.
  std::string resolve(std::string text) const;

private:
  std::string folder, alias;
  int descriptor = -1;
};

/// Builds configurations of one kernel on the device that runs them. For a
/// process of its own: a driver's compiler may crash it.
class OpenClBuilder {
public:
  /// Builds the default configuration, whose kernel has the argument
  /// information. `which` is an index or a UUID; `loader` is passed to
  /// OpenClDriver::open.
  static Result<OpenClBuilder, LocatedError> open(OpenClSource kernel,
                                                  const std::string &which,
                                                  const std::string &loader);

  CompilerDescription describe() const;
  /// Builds the default configuration as the reference.
  Result<Problem, LocatedError> reference();
  Compilation compile(const Json &values);

private:
  OpenClBuilder(OpenClSource given, std::unique_ptr<OpenClContext> context)
      : kernel(std::move(given)), context(std::move(context)),
        folder(std::make_unique<FolderAlias>(kernel.includeFolder)) {
    kernel.includeFolder = folder->name();
  }
  Result<void, LocatedError> readKernel();
  Result<void> readSizes();
  Result<Artifact, Failure> build(const Configuration &configuration);
  Result<LaunchGeometry, Failure>
  computeLaunchGeometry(const Configuration &configuration) const;
  std::string adviseOnUnevenSizes(size_t dimension) const;
  LocatedError atKernel(const std::string &message) const;
  LocatedError locate(const std::string &said) const;

  OpenClSource kernel;
  std::unique_ptr<OpenClContext> context;
  std::unique_ptr<FolderAlias> folder; ///< of the included files
  OpenClArguments arguments;
  std::vector<SizeExpression> globalSizes, localSizes;
};

} // namespace tonno

#endif // TONNO_LIB_OPENCLC_WORKER_OPENCLBUILDER_H

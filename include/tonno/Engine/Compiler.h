//===- The interface of compilers -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_ENGINE_COMPILER_H
#define TONNO_ENGINE_COMPILER_H

#include "tonno/Core/Artifact.h"
#include "tonno/Core/Problem.h"
#include "tonno/Core/Status.h"
#include "tonno/Core/TimeBound.h"
#include "tonno/Core/Trial.h"
#include "tonno/Space/SearchSpace.h"

#include <optional>
#include <string>
#include <vector>

namespace tonno {

/// A kernel to compile, as it crosses to another process.
struct CompilerSession {
  /// The kernel's closure as MLIR bytecode; of OpenCL its OpenClSource as CBOR.
  std::vector<uint8_t> module;
  std::string kernel;       ///< its symbol
  std::string target;       ///< backend: "host", "nvptx", "amdgpu"
  std::string chip;         ///< "native" or a chip's name
  bool isSimulated = false; ///< for the `sim` device
  /// Sizes of dynamic dimensions that candidates, which take any, are run at.
  std::vector<Dimension> sizes = {};
  /// Limits the seconds of one compilation; if empty, the compiler chooses.
  std::optional<double> compileSeconds = {};
};

/// The compiler's description of the opened kernel.
struct CompilerDescription {
  std::string triple, chip, features;
  std::string fingerprint; ///< Backend::fingerprint, and the compiler
  std::string versions;    ///< "tonno 0.1.0, LLVM 22.1.8"
  std::string remark;      ///< Backend::remark
  Signature signature;     ///< of every candidate
  KernelWork work = {};    ///< in any configuration, as far as it is known
};

/// A diagnostic of another process; the file is empty where none is known.
struct LocatedError {
  std::string message;
  std::string file = {};
  unsigned line = 0;
  unsigned column = 0;
  std::string note = {}; ///< beside it; not part of what is sent

  /// Formats the error: "matmul.mlir:8:8: ..."
  std::string text() const;
};

/// A candidate that was compiled, or why it was not.
struct Compilation {
  Status status = Status::ok;
  std::string message;
  std::optional<Artifact> artifact; ///< if ok
  double seconds = 0;
};

/// Returns the trial after compilation: status `ok` if it still has to run,
/// otherwise the compilation's failure.
Trial makeCompiledTrial(const Configuration &configuration,
                        const Compilation &compilation);

/// The CPUs that a reference is to run on.
enum class ReferenceCpu {
  native, ///< this machine's
  any,    ///< of this architecture
};

/// Compiles configurations of one kernel, several at a time. Whatever a
/// candidate does to its compiler, `next` comes back with a result.
class Compiler {
public:
  virtual ~Compiler() = default;

  virtual Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) = 0;

  /// Compiles what candidates are verified against.
  virtual Result<Problem, LocatedError> reference(ReferenceCpu cpu) = 0;

  /// Starts to compile the knob values.
  virtual void submit(const Json &values) = 0;
  /// Waits for the result of the earliest submission still open.
  virtual Compilation next() = 0;

  /// Waits for the result of any open submission, for at most the given time,
  /// and lets `next` return that one first. Returns its place among the open
  /// ones until then; none after the time. Compilers that work one after the
  /// other keep their order: 0.
  virtual std::optional<size_t> bringForward(double /*seconds*/) { return 0; }

  /// Returns false if it has ended, and can't be started again.
  virtual bool isAlive() const { return true; }
};

/// Compiles the default configuration. The Error says why it does not compile.
Result<Artifact> compileDefault(Compiler &compiler, const SearchSpace &space);

void mapFields(JsonFields &fields, CompilerSession &session);
void mapFields(JsonFields &fields, CompilerDescription &description);
void mapFields(JsonFields &fields, LocatedError &error);
void mapFields(JsonFields &fields, Compilation &compilation);

} // namespace tonno

#endif // TONNO_ENGINE_COMPILER_H

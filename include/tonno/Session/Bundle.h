//===- Candidates to be run on another machine ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_BUNDLE_H
#define TONNO_SESSION_BUNDLE_H

#include "tonno/Cache/Records.h"
#include "tonno/Core/SearchSpace.h"
#include "tonno/Runtime/OracleOptions.h"
#include "tonno/Session/Compiler.h"
#include "tonno/Session/Effort.h"
#include "tonno/Timing/Protocol.h"

#include <deque>

namespace tonno {

/// What became of one configuration in the compiler.
struct BundledCandidate {
  Json values;
  Compilation compilation;
};

/// A kernel with candidates: all that a runner needs where no compiler is.
struct BundledKernel {
  std::string kernel;
  SearchSpace space;
  CompilerDescription compiled;
  ProblemIdentity identity; ///< without a device
  Problem problem;          ///< whose reference any CPU of this kind can run
  ProtocolOptions protocol;
  Effort effort; ///< of the survey that chose the candidates
  uint64_t seed = 0;
  OracleOptions oracle = {};
  bool isComplete = false;                  ///< the survey was not cut short
  std::vector<BundledCandidate> candidates; ///< the default's first
};

struct Bundle {
  std::string target; ///< "host", "nvptx", "amdgpu"
  std::vector<BundledKernel> kernels;
};

std::string encodeBundle(const Bundle &bundle);

/// The Error says whether it is no bundle, of another version, or damaged.
Result<Bundle> decodeBundle(std::string_view bytes);

/// Takes down what a compiler makes of the kernel, for its bundle.
class RecordingCompiler : public Compiler {
public:
  RecordingCompiler(Compiler &compiler, BundledKernel &kernel)
      : compiler(compiler), kernel(kernel) {}

  Result<CompilerDescription, LocatedError>
  open(const CompilerSession &session) override {
    return compiler.open(session);
  }
  Result<Problem, LocatedError> reference(ReferenceCpu cpu) override {
    return compiler.reference(cpu);
  }
  void submit(const Json &values) override;
  Compilation next() override;

private:
  Compiler &compiler;
  BundledKernel &kernel;
  std::deque<Json> submitted;
};

} // namespace tonno

#endif // TONNO_SESSION_BUNDLE_H

//===- Bundles: candidates that another machine compiled ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_BUNDLE_H
#define TONNO_SESSION_BUNDLE_H

#include "tonno/Cache/Records.h"
#include "tonno/Engine/Budget.h"
#include "tonno/Engine/Compiler.h"
#include "tonno/Engine/OracleOptions.h"
#include "tonno/Runtime/RunnerProcess.h"
#include "tonno/Session/TuneObserver.h"
#include "tonno/Space/SearchSpace.h"
#include "tonno/Timing/Protocol.h"
#include <deque>
#include <map>

namespace tonno {

/// The result of compiling one configuration.
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

/// Decodes a bundle; the Error is another kind of file, another version, or
/// damage.
Result<Bundle> decodeBundle(std::string_view bytes);

/// Records the output of a compiler for a kernel, for its bundle.
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

/// The result for one kernel on the device of another machine. Stored in the
/// records and in the IR as if the kernel had been tuned here.
struct BundleResult {
  std::string kernel;
  ProblemIdentity identity; ///< with the device
  DeviceDescription device;
  SearchSpace space;
  Json search; ///< effortJson
  DecisionRecord decision;
  /// SessionOutcome::isConclusive, and neither survey nor run were cut short.
  bool isConclusive = true;
  std::vector<TrialRecord> trials;
};

/// The results of running a bundle, for all its kernels.
struct BundleResults {
  std::vector<BundleResult> kernels;
  std::map<std::string, std::string> failures; ///< kernel -> why it has none

  const BundleResult *find(std::string_view kernel) const;
  bool isEmpty() const { return kernels.empty() && failures.empty(); }
};

/// Returns indented JSON text, for people and programs.
std::string encodeResults(const BundleResults &results);
Result<BundleResults> decodeResults(std::string_view text);

/// Checks that the result is of this kernel; the Error names the difference,
/// which may be the compiler or the judgement of candidates.
Result<void> checkSameProblem(const BundleResult &result,
                              const ProblemIdentity &identity,
                              const SearchSpace &space);

/// Options for running a bundle. All of its candidates are tried.
struct BundleOptions {
  double seconds = std::numeric_limits<double>::infinity(); ///< for each kernel
  /// Limits the seconds of one run of the reference.
  double referenceSeconds = RunnerLimits().referenceSeconds;
  std::function<bool()> interrupted = [] { return false; };
  /// Directory for a file of each candidate that fails here; none if empty.
  std::string failureDirectory = {};
  std::string device = {}; ///< what those files say that it ran on
};

/// Runs a bundle's candidates of one kernel through the loop. The Error says
/// why there is no result: the bundle does not fit this runner, or no candidate
/// ran correctly.
Result<BundleResult> runBundled(const BundledKernel &kernel, Runner &runner,
                                TuneObserver &observer,
                                const BundleOptions &options);

} // namespace tonno

#endif // TONNO_SESSION_BUNDLE_H

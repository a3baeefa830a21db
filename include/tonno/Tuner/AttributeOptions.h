//===- Command-line options that set attributes ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_TUNER_ATTRIBUTEOPTIONS_H
#define TONNO_TUNER_ATTRIBUTEOPTIONS_H

#include "tonno/Core/Result.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace tonno {

/// Kernel options that users state outside of the IR. They are written into the
/// IR as attributes, so that the worker sees them and the tuned IR compiles to
/// the measured program.
struct AttributeOptions {
  /// A pass pipeline with `@KNOB@` placeholders, which lowers the kernels.
  std::string pipeline;
  /// "NAME=domain", the domain as in `#tonno.knob`, perhaps with a default;
  /// or numbers separated by commas. Knobs of the pipeline.
  std::vector<std::string> knobs;
  std::vector<std::string> constraints;
  /// "arg0=uniform(-1, 1)": what arguments hold.
  std::vector<std::string> inputs;
  std::string reference; ///< the function that candidates are compared with
  /// "fast": any product and sum may become one operation; "on" or empty: where
  /// the IR allows it.
  std::string fpContract;

  bool isEmpty() const {
    return pipeline.empty() && knobs.empty() && constraints.empty() &&
           inputs.empty() && reference.empty() && fpContract.empty();
  }
};

/// Writes the options into the function `kernel`, or if that is empty, into
/// every public function with a body. The error names an option that cannot be
/// written.
mlir::LogicalResult addToKernels(mlir::ModuleOp module,
                                 const std::string &kernel,
                                 const AttributeOptions &options);

/// Parses the knob of `--knob`: "NAME=domain", the domain as in `#tonno.knob`,
/// with or without a default; or numbers separated by commas. The Error names
/// the option.
Result<KnobAttr> parseKnobOption(llvm::StringRef given,
                                 mlir::MLIRContext *context);

} // namespace tonno

#endif // TONNO_TUNER_ATTRIBUTEOPTIONS_H

//===- Options of a pass that make a TuneRequest --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TUNER_REQUESTPASSOPTIONS_H
#define TONNO_LIB_TUNER_REQUESTPASSOPTIONS_H

#include "tonno/Tuner/TuneRequest.h"

#include "mlir/Pass/Pass.h"

#include <deque>

namespace tonno {

/// The options of TuneRequest's table, as options of a pass.
class RequestPassOptions {
public:
  /// Declares the options with these flags; all if there are none. The pass
  /// must outlive them.
  explicit RequestPassOptions(mlir::Pass &pass,
                              llvm::ArrayRef<llvm::StringRef> flags = {});

  /// Returns the request with the options given to the pass. The Error names an
  /// option whose value is no number or out of range.
  Result<TuneRequest> request() const;

private:
  llvm::ArrayRef<llvm::StringRef> flags;
  std::deque<std::string> help; ///< which the options refer to
  std::vector<std::unique_ptr<llvm::cl::Option>> options; ///< as in the table
};

} // namespace tonno

#endif // TONNO_LIB_TUNER_REQUESTPASSOPTIONS_H

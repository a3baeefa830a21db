//===- What is printed to standard error ---- -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_TRANSFORMS_KERNELS_CAPTUREDERRORS_H
#define TONNO_LIB_TRANSFORMS_KERNELS_CAPTUREDERRORS_H

#include <string>

namespace tonno {

/// Captures what is printed to standard error while it lives: options of passes
/// report wrong values there, and neither to a diagnostic nor to a stream that
/// is given. Where nothing can be captured, all is printed as ever.
class CapturedErrors {
public:
  CapturedErrors();
  CapturedErrors(const CapturedErrors &) = delete;
  CapturedErrors &operator=(const CapturedErrors &) = delete;
  /// Prints what was not taken.
  ~CapturedErrors();

  /// Ends capturing and returns the text.
  std::string take();

private:
  int standardError = -1; ///< the descriptor, while something else has number 2
  int file = -1;
};

} // namespace tonno

#endif // TONNO_LIB_TRANSFORMS_KERNELS_CAPTUREDERRORS_H

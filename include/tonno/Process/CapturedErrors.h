//===- Standard error, captured for a while -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_PROCESS_CAPTUREDERRORS_H
#define TONNO_PROCESS_CAPTUREDERRORS_H

#include <string>

namespace tonno {

/// Captures standard error while it lives, where libraries report what they
/// return no error for, such as wrong values of options. If nothing can be
/// captured, the text is printed as ever.
class CapturedErrors {
public:
  CapturedErrors();
  CapturedErrors(const CapturedErrors &) = delete;
  CapturedErrors &operator=(const CapturedErrors &) = delete;
  /// Prints the text, unless it was taken.
  ~CapturedErrors();

  /// Ends capturing and returns the text.
  std::string take();

private:
  int standardError = -1; ///< the descriptor, while something else has number 2
  int file = -1;
};

} // namespace tonno

#endif // TONNO_PROCESS_CAPTUREDERRORS_H

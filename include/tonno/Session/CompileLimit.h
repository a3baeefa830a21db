//===- How long a compilation may take ------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SESSION_COMPILELIMIT_H
#define TONNO_SESSION_COMPILELIMIT_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace tonno {

/// What a compilation may take, from what others of the kernel took: an endless
/// one is not waited for much longer than the rest. Until some have been
/// compiled it is the most that is allowed.
class CompileLimit {
public:
  /// Both in seconds.
  CompileLimit(double most, double least) : most(most), least(least) {}

  /// Of another kernel; `stated` holds whatever compilations take.
  void restart(std::optional<double> stated) {
    this->stated = stated;
    slowest = 0;
    count = 0;
  }
  /// One that has succeeded.
  void add(double seconds) {
    slowest = std::max(slowest, seconds);
    ++count;
  }

  double seconds() const;
  /// Whatever others took.
  double mostSeconds() const { return stated.value_or(most); }
  /// Behind "did not compile within 10 s", of a candidate and of what is always
  /// given the most.
  std::string explanation() const;
  static std::string remedy();

private:
  double most, least;
  std::optional<double> stated;
  double slowest = 0;
  uint32_t count = 0;
};

} // namespace tonno

#endif // TONNO_SESSION_COMPILELIMIT_H

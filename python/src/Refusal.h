//===- Errors become exceptions -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_REFUSAL_H
#define PYTHON_SRC_REFUSAL_H

#include "tonno/Core/Result.h"
#include "tonno/Space/Constraint.h"

#include <nanobind/nanobind.h>

#include <stdexcept>

namespace tonno::python {

/// Becomes a tonno.Error in Python, or a tonno.ConstraintError. May be thrown
/// without the interpreter's lock, where no Python object can be made.
class Refusal : public std::runtime_error {
public:
  explicit Refusal(const std::string &message) : runtime_error(message) {}
  explicit Refusal(const Error &error) : runtime_error(error.message) {}
  /// `constraints` are those that it is about.
  Refusal(const ConstraintError &error,
          const std::vector<std::string> &constraints);

  /// Returns the fault of the constraint; one without a column is no fault of
  /// its syntax.
  const ConstraintError &fault() const { return constraintFault; }
  const std::string &constraint() const { return constraintText; }

private:
  ConstraintError constraintFault;
  std::string constraintText;
};

template <typename T> T valueOrThrow(Result<T> result) {
  if (!result)
    throw Refusal(result.error());
  return *std::move(result);
}

inline void check(const Result<void> &result) {
  if (!result)
    throw Refusal(result.error());
}

/// Sets Python's error to a tonno.Error or tonno.ConstraintError.
void raise(const Refusal &refusal);

void bindRefusal();

} // namespace tonno::python

#endif // PYTHON_SRC_REFUSAL_H

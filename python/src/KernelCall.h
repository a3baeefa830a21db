//===- Calls of a kernel from Python --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_KERNELCALL_H
#define PYTHON_SRC_KERNELCALL_H

#include "KernelParameter.h"
#include "LoadedKernel.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <vector>

namespace tonno::python {

/// A kernel that Python calls with arrays.
class CallableKernel {
public:
  /// `warn` is called with a parameter's label the first time that it is copied
  /// because of its alignment; `warnOfLoad` with the kernel's name in the
  /// second call that loads what `load` would keep. `fromCapsule` makes an
  /// array of a library, its first argument, of a capsule of DLPack.
  CallableKernel(std::shared_ptr<LoadedKernel> kernel, nanobind::object warn,
                 nanobind::object warnOfLoad, nanobind::object fromCapsule);

  const std::shared_ptr<LoadedKernel> &loaded() const { return kernel; }

  /// Throws a Refusal unless a parameter has this shape.
  void checkShape(size_t parameter, std::span<const int64_t> shape) const {
    parameters.at(parameter).checkShape(shape);
  }

  /// Runs the kernel on `arguments`. Writes the results to `out`, an array or a
  /// sequence of arrays, or to new arrays if `out` is null or None. Returns
  /// one array, a tuple of several, or None if there are no results.
  nanobind::object call(std::span<PyObject *const> arguments,
                        nanobind::handle out);

  /// Computes for all later calls what depends on constant arguments alone.
  void load(std::span<PyObject *const> arguments);

private:
  class Call;

  std::shared_ptr<LoadedKernel> kernel;
  std::vector<KernelParameter> parameters; ///< arguments, then results
  std::vector<bool> hasWarned;             ///< of each parameter
  int callsThatLoad = 0;                   ///< up to the second one
  nanobind::object warn, warnOfLoad, fromCapsule;
};

} // namespace tonno::python

#endif // PYTHON_SRC_KERNELCALL_H

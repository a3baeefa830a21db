//===- Calls of a GPU's kernel from Python --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_GPUKERNELCALL_H
#define PYTHON_SRC_GPUKERNELCALL_H

#include "GpuKernel.h"
#include "KernelParameter.h"

#include <nanobind/nanobind.h>

#include <span>
#include <vector>

namespace tonno::python {

/// A GPU's kernel that Python calls with arrays.
class CallableGpuKernel {
public:
  /// `libraries` has the functions of tonno.mlir.gpu_arrays.
  CallableGpuKernel(GpuKernel kernel, nanobind::object libraries);

  const GpuKernel &loaded() const { return kernel; }

  /// Enqueues the kernel on the stream, an object of Python. If it is null or
  /// None, this is the current stream of the first array whose library has one.
  /// Writes the results to `out`, an array or a sequence of arrays, or to new
  /// arrays if `out` is null or None. Returns one array, a tuple of several, or
  /// None if there are no results.
  nanobind::object call(std::span<PyObject *const> arguments,
                        nanobind::handle out, nanobind::handle stream);

private:
  class Call;

  GpuKernel kernel;
  std::vector<KernelParameter> parameters; ///< arguments, then results
  nanobind::object libraries;
};

} // namespace tonno::python

#endif // PYTHON_SRC_GPUKERNELCALL_H

//===- Kernels that XLA calls ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_XLAHANDLER_H
#define PYTHON_SRC_XLAHANDLER_H

#include "LoadedKernel.h"
#include "XlaFfi.h"

#include <memory>

namespace tonno::python {

/// The name under which the handler is registered, and of its attribute: the
/// kernel's hash.
inline constexpr const char *xlaTarget = "tonno_kernel";
inline constexpr const char *xlaAttribute = "kernel";

/// Lets XLA's programs call the kernel by its hash for the life of the process:
/// nothing tells when the last program is gone.
void shareWithXla(std::shared_ptr<LoadedKernel> kernel);

/// Runs the kernel that the attribute names. Its arguments are those that the
/// kernel reads; its results are those that it writes.
xla::Error *runForXla(xla::CallFrame *frame);

} // namespace tonno::python

#endif // PYTHON_SRC_XLAHANDLER_H

//===- RAII handles of OpenCL objects -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_LIB_OPENCL_HANDLES_H
#define TONNO_LIB_OPENCL_HANDLES_H

#include <CL/cl.h>

#include <memory>
#include <type_traits>

namespace tonno {

/// Releases one of OpenCL's objects.
template <auto release> struct Releaser {
  template <typename T> void operator()(T *object) const {
    (void)release(object); // nothing is left to do where that fails
  }
};

template <typename T, auto release>
using Handle = std::unique_ptr<std::remove_pointer_t<T>, Releaser<release>>;

using MemoryHandle = Handle<cl_mem, clReleaseMemObject>;
using EventHandle = Handle<cl_event, clReleaseEvent>;
using KernelHandle = Handle<cl_kernel, clReleaseKernel>;
using ProgramHandle = Handle<cl_program, clReleaseProgram>;

} // namespace tonno

#endif // TONNO_LIB_OPENCL_HANDLES_H

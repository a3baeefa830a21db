//===- The standard C++ bindings ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_OPENCL_BINDINGS_H
#define TONNO_OPENCL_BINDINGS_H

// The first include chooses the version of the bindings, and whether they
// throw. tonno passes handles only, and so works with any choice.
#ifndef CL_HPP_TARGET_OPENCL_VERSION
#define CL_HPP_TARGET_OPENCL_VERSION 300
#endif

#include <CL/opencl.hpp>

#endif // TONNO_OPENCL_BINDINGS_H

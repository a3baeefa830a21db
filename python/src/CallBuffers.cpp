//===- Parts of the calls of all kernels ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CallBuffers.h"

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

std::vector<KernelParameter>
tonno::python::makeParameters(const CompiledKernel &kernel) {
  std::vector<KernelParameter> parameters;
  parameters.reserve(kernel.numBuffers()); // each reads those before it
  for (const BufferSpec &buffer : kernel.signature())
    parameters.emplace_back(buffer, kernel.name(), parameters);
  return parameters;
}

void tonno::python::checkCount(size_t given, size_t expected, const char *noun,
                               const std::string &kernel) {
  if (given == expected)
    return;
  throw nb::type_error(
      ("kernel '" + kernel + "' has " + std::to_string(expected) + " " + noun +
       (expected == 1 ? "" : "s") + ", and " + std::to_string(given) +
       (given == 1 ? " was" : " were") + " given")
          .c_str());
}

OutArrays::OutArrays(nb::handle out, size_t numResults,
                     const std::string &kernel) {
  if (!out.is_valid() || out.is_none())
    return;
  if (!PyTuple_Check(out.ptr()) && !PyList_Check(out.ptr())) {
    array = out;
    checkCount(1, numResults, "result", kernel);
    return;
  }
  arrays = nb::tuple(nb::borrow(out));
  checkCount(nb::len(arrays), numResults, "result", kernel);
}

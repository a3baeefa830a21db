//===- The names of DLPack's devices --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dlpack.h"

using namespace tonno::python;

std::string dlpack::nameDevice(Device device) {
  std::string index = std::to_string(device.index);
  switch (device.type) {
  case hostDevice:
    return "the host";
  case cudaDevice:
  case cudaManagedDevice:
    return "cuda:" + index;
  case rocmDevice:
    return "rocm:" + index;
  case cudaHostDevice:
  case rocmHostDevice:
    return "the host, in pinned memory";
  default:
    return "device " + index + " of DLPack's type " +
           std::to_string(device.type);
  }
}

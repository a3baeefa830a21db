//===- The objects of the fake driver -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TEST_UNIT_OPENCL_FAKES_FAKEOBJECTS_H
#define TEST_UNIT_OPENCL_FAKES_FAKEOBJECTS_H

#include "FakeOpenCl.h"

#include <CL/cl_icd.h>

#include <cstring>

namespace tonno {

inline cl_icd_dispatch table;

/// OpenCL object; begins with the dispatch table that the loader expects
/// (cl_khr_icd).
struct Object {
  cl_icd_dispatch *functions = &table;
  int references = 1;
  cl_command_queue_properties properties = 0; ///< of a queue
  std::vector<char> bytes;                    ///< of a buffer
  bool isSet = false;                         ///< a kernel's argument
  Object *program = nullptr;                  ///< of a kernel, which keeps it
  FakeOpenCl::Launch times;                   ///< of an event
  int waitError = 0;
  bool hangs = false; ///< so an event never comes
};

template <typename Handle> Object &objectOf(Handle handle) {
  return *reinterpret_cast<Object *>(handle);
}

/// Writes the answer of a clGet...Info function.
inline cl_int put(const void *value, size_t bytes, size_t room, void *to,
                  size_t *written) {
  if (written)
    *written = bytes;
  if (to && room < bytes)
    return CL_INVALID_VALUE;
  if (to)
    std::memcpy(to, value, bytes);
  return CL_SUCCESS;
}

template <typename T>
cl_int put(T value, size_t room, void *to, size_t *written) {
  return put(static_cast<const void *>(&value), sizeof(T), room, to, written);
}

inline cl_int put(const std::string &text, size_t room, void *to,
                  size_t *written) {
  return put(text.c_str(), text.size() + 1, room, to, written);
}

} // namespace tonno

#endif // TEST_UNIT_OPENCL_FAKES_FAKEOBJECTS_H

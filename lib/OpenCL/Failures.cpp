//===- Texts of OpenCL errors ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Failures.h"

using namespace tonno;

static const char *getErrorName(cl_int code) {
  switch (code) {
#define TONNO_CODE(name)                                                       \
  case name:                                                                   \
    return #name;
    TONNO_CODE(CL_DEVICE_NOT_AVAILABLE)
    TONNO_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    TONNO_CODE(CL_OUT_OF_RESOURCES)
    TONNO_CODE(CL_OUT_OF_HOST_MEMORY)
    TONNO_CODE(CL_PROFILING_INFO_NOT_AVAILABLE)
    TONNO_CODE(CL_MEM_COPY_OVERLAP)
    TONNO_CODE(CL_BUILD_PROGRAM_FAILURE)
    TONNO_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    TONNO_CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
    TONNO_CODE(CL_INVALID_VALUE)
    TONNO_CODE(CL_INVALID_DEVICE)
    TONNO_CODE(CL_INVALID_CONTEXT)
    TONNO_CODE(CL_INVALID_QUEUE_PROPERTIES)
    TONNO_CODE(CL_INVALID_COMMAND_QUEUE)
    TONNO_CODE(CL_INVALID_MEM_OBJECT)
    TONNO_CODE(CL_INVALID_BINARY)
    TONNO_CODE(CL_INVALID_BUILD_OPTIONS)
    TONNO_CODE(CL_INVALID_PROGRAM)
    TONNO_CODE(CL_INVALID_PROGRAM_EXECUTABLE)
    TONNO_CODE(CL_INVALID_KERNEL_NAME)
    TONNO_CODE(CL_INVALID_KERNEL)
    TONNO_CODE(CL_INVALID_ARG_INDEX)
    TONNO_CODE(CL_INVALID_ARG_VALUE)
    TONNO_CODE(CL_INVALID_ARG_SIZE)
    TONNO_CODE(CL_INVALID_KERNEL_ARGS)
    TONNO_CODE(CL_INVALID_WORK_DIMENSION)
    TONNO_CODE(CL_INVALID_WORK_GROUP_SIZE)
    TONNO_CODE(CL_INVALID_WORK_ITEM_SIZE)
    TONNO_CODE(CL_INVALID_EVENT)
    TONNO_CODE(CL_INVALID_OPERATION)
    TONNO_CODE(CL_INVALID_BUFFER_SIZE)
    TONNO_CODE(CL_INVALID_GLOBAL_WORK_SIZE)
#undef TONNO_CODE
  default:
    return "an error";
  }
}

Error tonno::makeCallError(const std::string &function, cl_int code) {
  return {function + " gave " + getErrorName(code) + " (" +
          std::to_string(code) + ")"};
}

//===- A driver of OpenCL without a device --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loaded by OpenCL's loader as any vendor's driver is.

#include "FakeObjects.h"

#include <CL/cl_ext.h>
#include <algorithm>
#include <cstring>

using namespace tonno;

static FakeOpenCl fake;
extern "C" FakeOpenCl *tonnoFakeOpenCl() { return &fake; }

static Object platformObject, deviceObject;
static auto *const platform = reinterpret_cast<cl_platform_id>(&platformObject);
static auto *const device = reinterpret_cast<cl_device_id>(&deviceObject);
static Object *lastContext;

static Object *make() {
  ++fake.objects;
  return new Object;
}

template <typename Handle> static cl_int retain(Handle handle) {
  ++objectOf(handle).references;
  return CL_SUCCESS;
}

template <typename Handle> static cl_int release(Handle handle) {
  Object &object = objectOf(handle);
  if (--object.references == 0) {
    --fake.objects;
    if (object.program)
      (void)release(object.program);
    delete &object;
  }
  return CL_SUCCESS;
}

static cl_int retainDevice(cl_device_id) { return CL_SUCCESS; }

static cl_int platformInfo(cl_platform_id, cl_platform_info what, size_t room,
                           void *to, size_t *written) {
  switch (what) {
  case CL_PLATFORM_NAME:
    return put(std::string("tonno's fake"), room, to, written);
  case CL_PLATFORM_EXTENSIONS:
    return put(std::string("cl_khr_icd"), room, to, written);
  case CL_PLATFORM_ICD_SUFFIX_KHR:
    return put(std::string("TONNO"), room, to, written);
  case CL_PLATFORM_VERSION:
    return put(fake.platformVersion, room, to, written);
  default:
    return put(std::string("FULL_PROFILE"), room, to, written);
  }
}

static cl_int deviceIds(cl_platform_id, cl_device_type, cl_uint room,
                        cl_device_id *to, cl_uint *count) {
  if (count)
    *count = 1;
  if (to && room)
    *to = device;
  return CL_SUCCESS;
}

static cl_int deviceInfo(cl_device_id, cl_device_info what, size_t room,
                         void *to, size_t *written) {
  size_t extents[] = {fake.maxGroup, fake.maxGroup, fake.maxGroup};
  switch (what) {
  case CL_DEVICE_PLATFORM:
    return put(platform, room, to, written);
  case CL_DEVICE_MAX_WORK_GROUP_SIZE:
    return put(fake.maxGroup, room, to, written);
  case CL_DEVICE_MAX_WORK_ITEM_SIZES:
    return put(extents, sizeof extents, room, to, written);
  case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    return put<cl_bool>(fake.isNonUniform, room, to, written);
  case CL_DEVICE_LOCAL_MEM_SIZE:
    return put<cl_ulong>(1024, room, to, written);
  case CL_DEVICE_TYPE:
    return put<cl_device_type>(CL_DEVICE_TYPE_GPU, room, to, written);
  case CL_DEVICE_EXTENSIONS:
    return put(std::string("cl_khr_device_uuid"), room, to, written);
  case CL_DEVICE_UUID_KHR:
    return put(fake.uuid, room, to, written);
  case CL_DEVICE_NAME:
    return put(std::string("fake device"), room, to, written);
  case CL_DEVICE_VERSION:
    return put(fake.version, room, to, written);
  case CL_DRIVER_VERSION:
    return put(fake.driver, room, to, written);
  default:
    return CL_INVALID_VALUE;
  }
}

static cl_context
createContext(const cl_context_properties *, cl_uint, const cl_device_id *,
              void(CL_CALLBACK *)(const char *, const void *, size_t, void *),
              void *, cl_int *code) {
  if (code)
    *code = CL_SUCCESS;
  lastContext = make();
  return reinterpret_cast<cl_context>(lastContext);
}

static cl_int contextInfo(cl_context, cl_context_info what, size_t room,
                          void *to, size_t *written) {
  if (what == CL_CONTEXT_DEVICES)
    return put(device, room, to, written);
  return put<cl_uint>(1, room, to, written);
}

static cl_command_queue createQueue(cl_context, cl_device_id,
                                    const cl_queue_properties *properties,
                                    cl_int *code) {
  if (code)
    *code = CL_SUCCESS;
  Object *queue = make();
  if (properties && properties[0] == CL_QUEUE_PROPERTIES)
    queue->properties = properties[1];
  return reinterpret_cast<cl_command_queue>(queue);
}

static cl_int queueInfo(cl_command_queue queue, cl_command_queue_info what,
                        size_t room, void *to, size_t *written) {
  switch (what) {
  case CL_QUEUE_CONTEXT:
    return put(lastContext, room, to, written);
  case CL_QUEUE_DEVICE:
    return put(device, room, to, written);
  case CL_QUEUE_PROPERTIES:
    return put(objectOf(queue).properties, room, to, written);
  default:
    return CL_INVALID_VALUE;
  }
}

static cl_mem createBuffer(cl_context, cl_mem_flags, size_t bytes, void *,
                           cl_int *code) {
  *code = fake.bufferError;
  if (fake.bufferError)
    return nullptr;
  Object *buffer = make();
  buffer->bytes.resize(bytes);
  return reinterpret_cast<cl_mem>(buffer);
}

static cl_int bufferInfo(cl_mem buffer, cl_mem_info what, size_t room, void *to,
                         size_t *written) {
  if (what == CL_MEM_TYPE)
    return put<cl_mem_object_type>(CL_MEM_OBJECT_BUFFER, room, to, written);
  if (what == CL_MEM_SIZE)
    return put(objectOf(buffer).bytes.size(), room, to, written);
  return put<cl_mem_flags>(CL_MEM_READ_WRITE, room, to, written);
}

static cl_program createProgram(cl_context, cl_uint, const char **,
                                const size_t *, cl_int *code) {
  *code = CL_SUCCESS;
  return reinterpret_cast<cl_program>(make());
}

static cl_int buildProgram(cl_program, cl_uint, const cl_device_id *,
                           const char *options,
                           void(CL_CALLBACK *)(cl_program, void *), void *) {
  fake.buildOptions = options ? options : "";
  return CL_SUCCESS;
}

static cl_int programInfo(cl_program, cl_program_info what, size_t room,
                          void *to, size_t *written) {
  switch (what) {
  case CL_PROGRAM_SOURCE:
    return put(std::string(fake.hasSource ? "source" : ""), room, to, written);
  case CL_PROGRAM_DEVICES:
    return put(device, room, to, written);
  case CL_PROGRAM_BINARY_SIZES:
    return put(fake.binary.size(), room, to, written);
  case CL_PROGRAM_BINARIES:
    std::ranges::copy(fake.binary, *static_cast<char **>(to));
    return CL_SUCCESS;
  default:
    return CL_INVALID_VALUE;
  }
}

static cl_int buildInfo(cl_program, cl_device_id, cl_program_build_info what,
                        size_t room, void *to, size_t *written) {
  if (what == CL_PROGRAM_BUILD_STATUS)
    return put<cl_build_status>(fake.buildStatus, room, to, written);
  return put(what == CL_PROGRAM_BUILD_OPTIONS ? fake.buildOptions : "", room,
             to, written);
}

static cl_kernel createKernel(cl_program program, const char *, cl_int *code) {
  *code = CL_SUCCESS;
  Object *kernel = make();
  kernel->program = &objectOf(program);
  ++kernel->program->references;
  return reinterpret_cast<cl_kernel>(kernel);
}

static cl_int kernelInfo(cl_kernel kernel, cl_kernel_info what, size_t room,
                         void *to, size_t *written) {
  switch (what) {
  case CL_KERNEL_CONTEXT:
    return put(lastContext, room, to, written);
  case CL_KERNEL_PROGRAM:
    return put(objectOf(kernel).program, room, to, written);
  case CL_KERNEL_FUNCTION_NAME:
    return put(std::string("scale"), room, to, written);
  case CL_KERNEL_NUM_ARGS:
    return put<cl_uint>(1, room, to, written);
  default:
    return CL_INVALID_VALUE;
  }
}

static cl_int groupInfo(cl_kernel, cl_device_id, cl_kernel_work_group_info what,
                        size_t room, void *to, size_t *written) {
  size_t required[] = {0, 0, 0};
  if (what == CL_KERNEL_COMPILE_WORK_GROUP_SIZE)
    return put(required, sizeof required, room, to, written);
  if (what == CL_KERNEL_LOCAL_MEM_SIZE)
    return put<cl_ulong>(fake.localBytes, room, to, written);
  return put(fake.maxKernelGroup, room, to, written);
}

static cl_int argumentInfo(cl_kernel, cl_uint, cl_kernel_arg_info what,
                           size_t room, void *to, size_t *written) {
  if (!fake.tellsArguments ||
      fake.buildOptions.find("-cl-kernel-arg-info") == std::string::npos)
    return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  switch (what) {
  case CL_KERNEL_ARG_NAME:
    return put(std::string("x"), room, to, written);
  case CL_KERNEL_ARG_TYPE_NAME:
    return put(std::string("float*"), room, to, written);
  case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
    return put<cl_kernel_arg_address_qualifier>(CL_KERNEL_ARG_ADDRESS_GLOBAL,
                                                room, to, written);
  default:
    return put<cl_kernel_arg_type_qualifier>(
        fake.isConst ? CL_KERNEL_ARG_TYPE_CONST : CL_KERNEL_ARG_TYPE_NONE, room,
        to, written);
  }
}

static cl_int setArgument(cl_kernel kernel, cl_uint, size_t, const void *) {
  objectOf(kernel).isSet = true;
  return CL_SUCCESS;
}

static int errorOf(const std::map<size_t, int> &errors, size_t local) {
  auto found = errors.find(local);
  return found == errors.end() ? CL_SUCCESS : found->second;
}

static cl_int launch(cl_command_queue, cl_kernel kernel, cl_uint,
                     const size_t *, const size_t *, const size_t *local,
                     cl_uint, const cl_event *, cl_event *event) {
  if (!objectOf(kernel).isSet)
    return CL_INVALID_KERNEL_ARGS;
  fake.log.push_back("launch " + std::to_string(*local));
  if (int error = errorOf(fake.enqueueErrors, *local))
    return error;
  Object *made = make();
  auto &times = fake.launches[*local];
  if (!times.empty())
    made->times = times.front();
  if (times.size() > 1)
    times.erase(times.begin());
  made->waitError = errorOf(fake.waitErrors, *local);
  made->hangs = fake.hanging.contains(*local);
  *event = reinterpret_cast<cl_event>(made);
  return CL_SUCCESS;
}

static cl_int eventInfo(cl_event event, cl_event_info, size_t room, void *to,
                        size_t *written) {
  return put<cl_int>(objectOf(event).hangs ? CL_RUNNING : CL_COMPLETE, room, to,
                     written);
}

static cl_int flush(cl_command_queue) { return CL_SUCCESS; }

static cl_int waitFor(cl_uint, const cl_event *events) {
  fake.log.push_back("wait");
  return objectOf(*events).waitError;
}

static cl_int profile(cl_event event, cl_profiling_info what, size_t room,
                      void *to, size_t *written) {
  const FakeOpenCl::Launch &times = objectOf(event).times;
  cl_ulong at = 5000;
  if (what != CL_PROFILING_COMMAND_QUEUED)
    at += times.waitNs;
  if (what == CL_PROFILING_COMMAND_END)
    at += times.runNs;
  return put(at, room, to, written);
}

/// Logs a command other than a launch, and makes its event.
static void tellOf(const char *command, cl_event *event) {
  fake.log.push_back(command);
  if (!event)
    return;
  Object *made = make();
  made->hangs = fake.hangingCommands.contains(command);
  *event = reinterpret_cast<cl_event>(made);
}

static cl_int marker(cl_command_queue, cl_uint, const cl_event *,
                     cl_event *event) {
  tellOf("marker", event);
  return CL_SUCCESS;
}

static cl_int copyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t,
                         size_t, cl_uint, const cl_event *, cl_event *event) {
  if (fake.copyError)
    return fake.copyError;
  if (fake.copiesUntilHanging-- == 0)
    fake.hangingCommands.insert("copy");
  tellOf("copy", event);
  return CL_SUCCESS;
}

static cl_int fillBuffer(cl_command_queue, cl_mem, const void *, size_t, size_t,
                         size_t, cl_uint, const cl_event *, cl_event *event) {
  tellOf("fill", event);
  return CL_SUCCESS;
}

static void fillTable() {
  table.clGetPlatformInfo = platformInfo;
  table.clGetDeviceIDs = deviceIds;
  table.clGetDeviceInfo = deviceInfo;
  table.clRetainDevice = table.clReleaseDevice = retainDevice;
  table.clCreateContext = createContext;
  table.clGetContextInfo = contextInfo;
  table.clRetainContext = retain;
  table.clReleaseContext = release;
  table.clCreateCommandQueueWithProperties = createQueue;
  table.clRetainCommandQueue = retain;
  table.clReleaseCommandQueue = release;
  table.clGetCommandQueueInfo = queueInfo;
  table.clCreateBuffer = createBuffer;
  table.clRetainMemObject = retain;
  table.clReleaseMemObject = release;
  table.clGetMemObjectInfo = bufferInfo;
  table.clCreateProgramWithSource = createProgram;
  table.clBuildProgram = buildProgram;
  table.clRetainProgram = retain;
  table.clReleaseProgram = release;
  table.clGetProgramInfo = programInfo;
  table.clGetProgramBuildInfo = buildInfo;
  table.clCreateKernel = createKernel;
  table.clRetainKernel = retain;
  table.clReleaseKernel = release;
  table.clGetKernelInfo = kernelInfo;
  table.clGetKernelWorkGroupInfo = groupInfo;
  table.clGetKernelArgInfo = argumentInfo;
  table.clSetKernelArg = setArgument;
  table.clEnqueueNDRangeKernel = launch;
  table.clWaitForEvents = waitFor;
  table.clReleaseEvent = release;
  table.clGetEventProfilingInfo = profile;
  table.clGetEventInfo = eventInfo;
  table.clFlush = flush;
  table.clEnqueueMarkerWithWaitList = marker;
  table.clEnqueueCopyBuffer = copyBuffer;
  table.clEnqueueFillBuffer = fillBuffer;
}

extern "C" cl_int clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *to,
                                         cl_uint *count) {
  fillTable();
  if (count)
    *count = 1;
  if (to && room)
    *to = platform;
  return CL_SUCCESS;
}

extern "C" void *clGetExtensionFunctionAddress(const char *name) {
  if (std::strcmp(name, "clIcdGetPlatformIDsKHR") == 0)
    return reinterpret_cast<void *>(&clIcdGetPlatformIDsKHR);
  if (std::strcmp(name, "clGetPlatformInfo") == 0)
    return reinterpret_cast<void *>(&platformInfo);
  return nullptr;
}

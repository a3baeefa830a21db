//===- A libcuda.so.1 without a GPU ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeGpu.h"

/// Threads, block, grid, shared memory, opted in, cache: CUdevice_attribute.
const fake::Vendor fake::vendor = {
    13000, "90", "Fake CUDA", {1, 2, 3, 4, 5, 6, 7, 8, 97, 38}, 48 << 10};

// NOLINTBEGIN(readability-identifier-naming): NVIDIA's names.
FAKE(cuInit, (unsigned flags), init(flags))
FAKE(cuDriverGetVersion, (int *version), driverVersion(version))
FAKE(cuGetErrorName, (int code, const char **name), errorName(code, name))
FAKE(cuGetErrorString, (int code, const char **text), errorString(code, text))
FAKE(cuDeviceGetCount, (int *count), deviceCount(count))
FAKE(cuDeviceGet, (int *device, int index), deviceGet(device, index))
FAKE(cuDeviceGetName, (char *name, int bytes, int device),
     deviceName(name, bytes, device))
FAKE(cuDeviceGetUuid_v2, (unsigned char *uuid, int device),
     deviceUuid(uuid, device))
FAKE(cuDeviceGetPCIBusId, (char *text, int bytes, int device),
     deviceBusId(text, bytes, device))
FAKE(cuDeviceTotalMem_v2, (size_t *bytes, int device),
     deviceMemory(bytes, device))
FAKE(cuDeviceGetAttribute, (int *value, int attribute, int device),
     deviceAttribute(value, attribute, device))
FAKE(cuDevicePrimaryCtxRetain, (void **context, int device),
     contextRetain(context, device))
FAKE(cuDevicePrimaryCtxRelease_v2, (int device), contextRelease(device))
FAKE(cuCtxGetCurrent, (void **context), contextGetCurrent(context))
FAKE(cuCtxSetCurrent, (void *context), contextSetCurrent(context))
FAKE(cuMemAlloc_v2, (uint64_t *address, size_t bytes), allocate(address, bytes))
FAKE(cuMemFree_v2, (uint64_t address), free(address))
#ifndef FAKE_WITHOUT_ASYNC_MEMORY
FAKE(cuMemAllocAsync, (uint64_t *address, size_t bytes, void *stream),
     allocateAsync(address, bytes, stream))
FAKE(cuMemFreeAsync, (uint64_t address, void *stream),
     freeAsync(address, stream))
#endif
FAKE(cuMemcpyHtoDAsync_v2,
     (uint64_t to, const void *from, size_t bytes, void *stream),
     upload(to, from, bytes, stream))
FAKE(cuMemcpyDtoHAsync_v2,
     (void *to, uint64_t from, size_t bytes, void *stream),
     download(to, from, bytes, stream))
FAKE(cuMemcpyDtoDAsync_v2,
     (uint64_t to, uint64_t from, size_t bytes, void *stream),
     copy(to, from, bytes, stream))
FAKE(cuMemsetD8Async,
     (uint64_t to, unsigned char value, size_t bytes, void *stream),
     fill(to, value, bytes, stream))
FAKE(cuMemsetD32Async,
     (uint64_t to, unsigned value, size_t count, void *stream),
     fillWords(to, value, count, stream))
FAKE(cuModuleLoadDataEx,
     (void **module, const void *image, unsigned options, int *names,
      void **values),
     moduleLoad(module, image, options, names, values))
FAKE(cuModuleUnload, (void *module), moduleUnload(module))
FAKE(cuModuleGetFunction, (void **function, void *module, const char *name),
     moduleFunction(function, module, name))
FAKE(cuFuncGetAttribute, (int *value, int attribute, void *function),
     functionAttribute(value, attribute, function))
FAKE(cuFuncLoad, (void *function), functionLoad(function))
FAKE(cuFuncSetAttribute, (void *function, int attribute, int value),
     functionSetAttribute(function, attribute, value))
FAKE(cuLaunchKernel,
     (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
      unsigned bz, unsigned shared, void *stream, void **parameters,
      void **extra),
     launch(f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra))
FAKE(cuStreamCreate, (void **stream, unsigned flags),
     streamCreate(stream, flags))
FAKE(cuStreamDestroy_v2, (void *stream), streamDestroy(stream))
FAKE(cuStreamSynchronize, (void *stream), streamSynchronize(stream))
FAKE(cuStreamWaitEvent, (void *stream, void *event, unsigned flags),
     streamWait(stream, event, flags))
FAKE(cuEventCreate, (void **event, unsigned flags), eventCreate(event, flags))
FAKE(cuEventDestroy_v2, (void *event), eventDestroy(event))
FAKE(cuEventRecord, (void *event, void *stream), eventRecord(event, stream))
FAKE(cuEventQuery, (void *event), eventQuery(event))
FAKE(cuEventElapsedTime, (float *milliseconds, void *start, void *stop),
     eventElapsed(milliseconds, start, stop))

#ifndef FAKE_WITHOUT_GRAPHS
FAKE(cuStreamIsCapturing, (void *stream, int *status),
     streamIsCapturing(stream, status))
FAKE(cuThreadExchangeStreamCaptureMode, (int *mode), exchangeCaptureMode(mode))
FAKE(cuStreamBeginCapture_v2, (void *stream, int mode),
     captureBegin(stream, mode))
FAKE(cuStreamEndCapture, (void *stream, void **graph),
     captureEnd(stream, graph))
FAKE(cuGraphInstantiateWithFlags,
     (void **exec, void *graph, unsigned long long flags),
     graphInstantiate(exec, graph, flags))
FAKE(cuGraphLaunch, (void *exec, void *stream), graphLaunch(exec, stream))
FAKE(cuGraphDestroy, (void *graph), graphDestroy(graph))
FAKE(cuGraphExecDestroy, (void *exec), graphExecDestroy(exec))
FAKE(cuGraphUpload, (void *exec, void *stream), graphUpload(exec, stream))
#endif

#ifndef FAKE_WITHOUT_RECORD_FLAGS
FAKE(cuEventRecordWithFlags, (void *event, void *stream, unsigned flags),
     eventRecordWithFlags(event, stream, flags))
#endif
// NOLINTEND(readability-identifier-naming)

//===- A libamdhip64.so without a GPU -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeGpu.h"

/// Threads, block, grid, shared memory, opted in, cache: hipDeviceAttribute_t.
const fake::Vendor fake::vendor = {70'000'000,
                                   "gfx90a:sramecc+:xnack-",
                                   "Fake HIP",
                                   {56, 26, 27, 28, 29, 30, 31, 74, 75, 19},
                                   1 << 20};

FAKE(hipInit, (unsigned flags), init(flags))
FAKE(hipDriverGetVersion, (int *version), driverVersion(version))
FAKE(hipDrvGetErrorName, (int code, const char **name), errorName(code, name))
FAKE(hipDrvGetErrorString, (int code, const char **text),
     errorString(code, text))
FAKE(hipGetDeviceCount, (int *count), deviceCount(count))
FAKE(hipDeviceGet, (int *device, int index), deviceGet(device, index))
FAKE(hipDeviceGetName, (char *name, int bytes, int device),
     deviceName(name, bytes, device))
FAKE(hipDeviceGetUuid, (unsigned char *uuid, int device),
     deviceUuid(uuid, device))
FAKE(hipDeviceGetPCIBusId, (char *text, int bytes, int device),
     deviceBusId(text, bytes, device))
FAKE(hipDeviceTotalMem, (size_t *bytes, int device),
     deviceMemory(bytes, device))
FAKE(hipDeviceGetAttribute, (int *value, int attribute, int device),
     deviceAttribute(value, attribute, device))
FAKE(hipGetDevicePropertiesR0600, (void *properties, int device),
     deviceProperties(properties, device))
FAKE(hipSetDevice, (int device), deviceSet(device))
FAKE(hipGetDevice, (int *device), deviceGetCurrent(device))
FAKE(hipMalloc, (uint64_t *address, size_t bytes), allocate(address, bytes))
FAKE(hipFree, (uint64_t address), free(address))
#ifndef FAKE_WITHOUT_ASYNC_MEMORY
FAKE(hipMallocAsync, (uint64_t *address, size_t bytes, void *stream),
     allocateAsync(address, bytes, stream))
FAKE(hipFreeAsync, (uint64_t address, void *stream), freeAsync(address, stream))
#endif
FAKE(hipMemcpyHtoDAsync,
     (uint64_t to, const void *from, size_t bytes, void *stream),
     upload(to, from, bytes, stream))
FAKE(hipMemcpyDtoHAsync, (void *to, uint64_t from, size_t bytes, void *stream),
     download(to, from, bytes, stream))
FAKE(hipMemcpyDtoDAsync,
     (uint64_t to, uint64_t from, size_t bytes, void *stream),
     copy(to, from, bytes, stream))
FAKE(hipMemsetD8Async,
     (uint64_t to, unsigned char value, size_t bytes, void *stream),
     fill(to, value, bytes, stream))
FAKE(hipMemsetD32Async,
     (uint64_t to, unsigned value, size_t count, void *stream),
     fillWords(to, value, count, stream))
FAKE(hipModuleLoadDataEx,
     (void **module, const void *image, unsigned options, int *names,
      void **values),
     moduleLoad(module, image, options, names, values))
FAKE(hipModuleUnload, (void *module), moduleUnload(module))
FAKE(hipModuleGetFunction, (void **function, void *module, const char *name),
     moduleFunction(function, module, name))
FAKE(hipFuncGetAttribute, (int *value, int attribute, void *function),
     functionAttribute(value, attribute, function))
FAKE(hipModuleLaunchKernel,
     (void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
      unsigned bz, unsigned shared, void *stream, void **parameters,
      void **extra),
     launch(f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra))
FAKE(hipStreamCreateWithFlags, (void **stream, unsigned flags),
     streamCreate(stream, flags))
FAKE(hipStreamDestroy, (void *stream), streamDestroy(stream))
FAKE(hipStreamSynchronize, (void *stream), streamSynchronize(stream))
FAKE(hipStreamWaitEvent, (void *stream, void *event, unsigned flags),
     streamWait(stream, event, flags))
FAKE(hipEventCreateWithFlags, (void **event, unsigned flags),
     eventCreate(event, flags))
FAKE(hipEventDestroy, (void *event), eventDestroy(event))
FAKE(hipEventRecord, (void *event, void *stream), eventRecord(event, stream))
FAKE(hipEventQuery, (void *event), eventQuery(event))
FAKE(hipEventElapsedTime, (float *milliseconds, void *start, void *stop),
     eventElapsed(milliseconds, start, stop))

#ifndef FAKE_WITHOUT_GRAPHS
FAKE(hipStreamIsCapturing, (void *stream, int *status),
     streamIsCapturing(stream, status))
FAKE(hipThreadExchangeStreamCaptureMode, (int *mode), exchangeCaptureMode(mode))
FAKE(hipStreamBeginCapture, (void *stream, int mode),
     captureBegin(stream, mode))
FAKE(hipStreamEndCapture, (void *stream, void **graph),
     captureEnd(stream, graph))
FAKE(hipGraphInstantiateWithFlags,
     (void **exec, void *graph, unsigned long long flags),
     graphInstantiate(exec, graph, flags))
FAKE(hipGraphLaunch, (void *exec, void *stream), graphLaunch(exec, stream))
FAKE(hipGraphDestroy, (void *graph), graphDestroy(graph))
FAKE(hipGraphExecDestroy, (void *exec), graphExecDestroy(exec))
FAKE(hipGraphUpload, (void *exec, void *stream), graphUpload(exec, stream))
#endif

#ifndef FAKE_WITHOUT_RECORD_FLAGS
FAKE(hipEventRecordWithFlags, (void *event, void *stream, unsigned flags),
     eventRecordWithFlags(event, stream, flags))
#endif

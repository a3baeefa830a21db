//===- The table for CUDA agrees with cuda.h ------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VendorHeaders.h"

#include <cuda.h>

using namespace tonno;

TEST(CudaHeader, FunctionsAreCalledAsDeclared) {
  const GpuDriverTraits &cuda = cudaVendor();
  TONNO_CHECK_FUNCTION(cuda, init, cuInit);
  TONNO_CHECK_FUNCTION(cuda, driverVersion, cuDriverGetVersion);
  TONNO_CHECK_FUNCTION(cuda, errorName, cuGetErrorName);
  TONNO_CHECK_FUNCTION(cuda, errorString, cuGetErrorString);
  TONNO_CHECK_FUNCTION(cuda, deviceCount, cuDeviceGetCount);
  TONNO_CHECK_FUNCTION(cuda, deviceGet, cuDeviceGet);
  TONNO_CHECK_FUNCTION(cuda, deviceName, cuDeviceGetName);
  TONNO_CHECK_FUNCTION(cuda, deviceUuid, cuDeviceGetUuid_v2);
  TONNO_CHECK_FUNCTION(cuda, deviceBusId, cuDeviceGetPCIBusId);
  TONNO_CHECK_FUNCTION(cuda, deviceMemory, cuDeviceTotalMem);
  TONNO_CHECK_FUNCTION(cuda, deviceAttribute, cuDeviceGetAttribute);
  TONNO_CHECK_FUNCTION(cuda, contextRetain, cuDevicePrimaryCtxRetain);
  TONNO_CHECK_FUNCTION(cuda, contextRelease, cuDevicePrimaryCtxRelease);
  TONNO_CHECK_FUNCTION(cuda, contextSetCurrent, cuCtxSetCurrent);
  TONNO_CHECK_FUNCTION(cuda, contextGetCurrent, cuCtxGetCurrent);
  TONNO_CHECK_FUNCTION(cuda, allocate, cuMemAlloc);
  TONNO_CHECK_FUNCTION(cuda, free, cuMemFree);
  TONNO_CHECK_FUNCTION(cuda, allocateAsync, cuMemAllocAsync);
  TONNO_CHECK_FUNCTION(cuda, freeAsync, cuMemFreeAsync);
  TONNO_CHECK_FUNCTION(cuda, upload, cuMemcpyHtoDAsync);
  TONNO_CHECK_FUNCTION(cuda, download, cuMemcpyDtoHAsync);
  TONNO_CHECK_FUNCTION(cuda, fill, cuMemsetD8Async);
  TONNO_CHECK_FUNCTION(cuda, fillWords, cuMemsetD32Async);
  TONNO_CHECK_FUNCTION(cuda, moduleLoad, cuModuleLoadDataEx);
  TONNO_CHECK_FUNCTION(cuda, moduleUnload, cuModuleUnload);
  TONNO_CHECK_FUNCTION(cuda, moduleFunction, cuModuleGetFunction);
  TONNO_CHECK_FUNCTION(cuda, functionAttribute, cuFuncGetAttribute);
#if CUDA_VERSION >= 12040
  TONNO_CHECK_FUNCTION(cuda, functionLoad, cuFuncLoad);
#endif
  TONNO_CHECK_FUNCTION(cuda, functionSetAttribute, cuFuncSetAttribute);
  TONNO_CHECK_FUNCTION(cuda, launch, cuLaunchKernel);
  TONNO_CHECK_FUNCTION(cuda, streamCreate, cuStreamCreate);
  TONNO_CHECK_FUNCTION(cuda, streamDestroy, cuStreamDestroy);
  TONNO_CHECK_FUNCTION(cuda, streamSynchronize, cuStreamSynchronize);
  TONNO_CHECK_FUNCTION(cuda, streamWait, cuStreamWaitEvent);
  TONNO_CHECK_FUNCTION(cuda, eventCreate, cuEventCreate);
  TONNO_CHECK_FUNCTION(cuda, eventDestroy, cuEventDestroy);
  TONNO_CHECK_FUNCTION(cuda, eventRecord, cuEventRecord);
  TONNO_CHECK_FUNCTION(cuda, eventQuery, cuEventQuery);
  // From CUDA 12.8 on, the header maps the name to a second version.
  static_assert(areCalledAlike(decltype(GpuFunctions::eventElapsed){},
                               decltype(&cuEventElapsedTime){}));
  TONNO_CHECK_FUNCTION(cuda, streamIsCapturing, cuStreamIsCapturing);
  TONNO_CHECK_FUNCTION(cuda, exchangeCaptureMode,
                       cuThreadExchangeStreamCaptureMode);
  TONNO_CHECK_FUNCTION(cuda, captureBegin, cuStreamBeginCapture);
  TONNO_CHECK_FUNCTION(cuda, captureEnd, cuStreamEndCapture);
  TONNO_CHECK_FUNCTION(cuda, graphInstantiate, cuGraphInstantiateWithFlags);
  TONNO_CHECK_FUNCTION(cuda, graphLaunch, cuGraphLaunch);
  TONNO_CHECK_FUNCTION(cuda, graphDestroy, cuGraphDestroy);
  TONNO_CHECK_FUNCTION(cuda, graphExecDestroy, cuGraphExecDestroy);
  TONNO_CHECK_FUNCTION(cuda, graphUpload, cuGraphUpload);
  TONNO_CHECK_FUNCTION(cuda, eventRecordWithFlags, cuEventRecordWithFlags);
}

TEST(CudaHeader, NumbersAreTheHeaders) {
  const GpuAttributes &attributes = cudaVendor().attributes;
  EXPECT_EQ(attributes.threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  EXPECT_EQ(attributes.block[0], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
  EXPECT_EQ(attributes.block[2], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
  EXPECT_EQ(attributes.grid[0], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
  EXPECT_EQ(attributes.grid[2], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
  EXPECT_EQ(attributes.sharedBytes,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  EXPECT_EQ(attributes.sharedBytesOptIn,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  EXPECT_EQ(attributes.cacheBytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  // Numbers that GpuDevice.cpp uses.
  EXPECT_EQ(CU_JIT_ERROR_LOG_BUFFER, 5);
  EXPECT_EQ(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6);
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0);
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1);
  EXPECT_EQ(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8);
  EXPECT_EQ(CU_STREAM_NON_BLOCKING, 1);
  EXPECT_EQ(CU_STREAM_CAPTURE_MODE_RELAXED, 2);
  EXPECT_EQ(CU_EVENT_RECORD_EXTERNAL, 1);
  EXPECT_EQ(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75);
  EXPECT_EQ(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76);
}

TEST(CudaHeader, EveryErrorIsKnown) {
  checkErrors(cudaVendor(), CUDA_HEADER,
              R"((CUDA_ERROR_[A-Z0-9_]+)\s*=\s*([0-9]+),)");
}

//===- The table for HIP agrees with its header ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VendorHeaders.h"

#define __HIP_PLATFORM_AMD__
#define __HIP_DISABLE_CPP_FUNCTIONS__

#include <hip/hip_runtime_api.h>

using namespace tonno;

TEST(HipHeader, FunctionsAreCalledAsDeclared) {
  const GpuDriverTraits &hip = hipVendor();
  TONNO_CHECK_FUNCTION(hip, init, hipInit);
  TONNO_CHECK_FUNCTION(hip, driverVersion, hipDriverGetVersion);
  TONNO_CHECK_FUNCTION(hip, errorName, hipDrvGetErrorName);
  TONNO_CHECK_FUNCTION(hip, errorString, hipDrvGetErrorString);
  TONNO_CHECK_FUNCTION(hip, deviceCount, hipGetDeviceCount);
  TONNO_CHECK_FUNCTION(hip, deviceGet, hipDeviceGet);
  TONNO_CHECK_FUNCTION(hip, deviceName, hipDeviceGetName);
  TONNO_CHECK_FUNCTION(hip, deviceUuid, hipDeviceGetUuid);
  TONNO_CHECK_FUNCTION(hip, deviceBusId, hipDeviceGetPCIBusId);
  TONNO_CHECK_FUNCTION(hip, deviceMemory, hipDeviceTotalMem);
  TONNO_CHECK_FUNCTION(hip, deviceAttribute, hipDeviceGetAttribute);
  TONNO_CHECK_FUNCTION(hip, deviceProperties, hipGetDeviceProperties);
  TONNO_CHECK_FUNCTION(hip, deviceSet, hipSetDevice);
  TONNO_CHECK_FUNCTION(hip, deviceGetCurrent, hipGetDevice);
  TONNO_CHECK_FUNCTION(hip, allocate, hipMalloc);
  TONNO_CHECK_FUNCTION(hip, free, hipFree);
  TONNO_CHECK_FUNCTION(hip, allocateAsync, hipMallocAsync);
  TONNO_CHECK_FUNCTION(hip, freeAsync, hipFreeAsync);
  TONNO_CHECK_FUNCTION(hip, upload, hipMemcpyHtoDAsync);
  TONNO_CHECK_FUNCTION(hip, download, hipMemcpyDtoHAsync);
  TONNO_CHECK_FUNCTION(hip, fill, hipMemsetD8Async);
  TONNO_CHECK_FUNCTION(hip, fillWords, hipMemsetD32Async);
  TONNO_CHECK_FUNCTION(hip, moduleLoad, hipModuleLoadDataEx);
  TONNO_CHECK_FUNCTION(hip, moduleUnload, hipModuleUnload);
  TONNO_CHECK_FUNCTION(hip, moduleFunction, hipModuleGetFunction);
  TONNO_CHECK_FUNCTION(hip, functionAttribute, hipFuncGetAttribute);
  TONNO_CHECK_FUNCTION(hip, launch, hipModuleLaunchKernel);
  TONNO_CHECK_FUNCTION(hip, streamCreate, hipStreamCreateWithFlags);
  TONNO_CHECK_FUNCTION(hip, streamDestroy, hipStreamDestroy);
  TONNO_CHECK_FUNCTION(hip, streamSynchronize, hipStreamSynchronize);
  TONNO_CHECK_FUNCTION(hip, streamWait, hipStreamWaitEvent);
  TONNO_CHECK_FUNCTION(hip, eventCreate, hipEventCreateWithFlags);
  TONNO_CHECK_FUNCTION(hip, eventDestroy, hipEventDestroy);
  TONNO_CHECK_FUNCTION(hip, eventRecord, hipEventRecord);
  TONNO_CHECK_FUNCTION(hip, eventQuery, hipEventQuery);
  TONNO_CHECK_FUNCTION(hip, eventElapsed, hipEventElapsedTime);
  TONNO_CHECK_FUNCTION(hip, streamIsCapturing, hipStreamIsCapturing);
  TONNO_CHECK_FUNCTION(hip, exchangeCaptureMode,
                       hipThreadExchangeStreamCaptureMode);
  TONNO_CHECK_FUNCTION(hip, captureBegin, hipStreamBeginCapture);
  TONNO_CHECK_FUNCTION(hip, captureEnd, hipStreamEndCapture);
  TONNO_CHECK_FUNCTION(hip, graphInstantiate, hipGraphInstantiateWithFlags);
  TONNO_CHECK_FUNCTION(hip, graphLaunch, hipGraphLaunch);
  TONNO_CHECK_FUNCTION(hip, graphDestroy, hipGraphDestroy);
  TONNO_CHECK_FUNCTION(hip, graphExecDestroy, hipGraphExecDestroy);
  TONNO_CHECK_FUNCTION(hip, graphUpload, hipGraphUpload);
}

TEST(HipHeader, NumbersAreTheHeaders) {
  const GpuAttributes &attributes = hipVendor().attributes;
  EXPECT_EQ(attributes.threads, hipDeviceAttributeMaxThreadsPerBlock);
  EXPECT_EQ(attributes.block[0], hipDeviceAttributeMaxBlockDimX);
  EXPECT_EQ(attributes.block[2], hipDeviceAttributeMaxBlockDimZ);
  EXPECT_EQ(attributes.grid[0], hipDeviceAttributeMaxGridDimX);
  EXPECT_EQ(attributes.grid[2], hipDeviceAttributeMaxGridDimZ);
  EXPECT_EQ(attributes.sharedBytes, hipDeviceAttributeMaxSharedMemoryPerBlock);
  EXPECT_EQ(attributes.sharedBytesOptIn,
            hipDeviceAttributeSharedMemPerBlockOptin);
  EXPECT_EQ(attributes.cacheBytes, hipDeviceAttributeL2CacheSize);
  // Numbers that GpuVendors.cpp and GpuDevice.cpp use.
  EXPECT_EQ(offsetof(hipDeviceProp_t, gcnArchName), 1160u);
  EXPECT_EQ(sizeof(hipDeviceProp_t::gcnArchName), 256u);
  EXPECT_EQ(sizeof(hipDeviceProp_t), 1472u);
  EXPECT_EQ(hipJitOptionErrorLogBuffer, 5);
  EXPECT_EQ(hipJitOptionErrorLogBufferSizeBytes, 6);
  EXPECT_EQ(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0);
  EXPECT_EQ(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1);
  EXPECT_EQ(hipStreamNonBlocking, 1);
  EXPECT_EQ(hipStreamCaptureModeRelaxed, 2);
}

TEST(HipHeader, EveryErrorIsKnown) {
  checkErrors(hipVendor(), HIP_HEADER,
              R"((hipError[A-Za-z]+)\s*=\s*([0-9]+),)");
}

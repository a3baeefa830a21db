//===- OpenCL's numbers are its headers' ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenCL/OpenClNames.h"

#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

using namespace tonno;

TEST(OpenClHeader, NumbersAreTheHeaders) {
  EXPECT_EQ(opencl::deviceNotAvailable, CL_DEVICE_NOT_AVAILABLE);
  EXPECT_EQ(opencl::memoryAllocationFailure, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(opencl::outOfHostMemory, CL_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(opencl::execStatusError,
            CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  EXPECT_EQ(opencl::argumentInfoNotAvailable, CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
  EXPECT_EQ(opencl::invalidQueue, CL_INVALID_COMMAND_QUEUE);
  EXPECT_EQ(opencl::invalidKernelName, CL_INVALID_KERNEL_NAME);
  EXPECT_EQ(opencl::platformNotFound, CL_PLATFORM_NOT_FOUND_KHR);

  EXPECT_EQ(opencl::platformProperty, CL_CONTEXT_PLATFORM);
  EXPECT_EQ(opencl::platformVersion, uint32_t{CL_PLATFORM_VERSION});
  EXPECT_EQ(opencl::platformName, uint32_t{CL_PLATFORM_NAME});

  EXPECT_EQ(opencl::anyDevice, CL_DEVICE_TYPE_ALL);
  EXPECT_EQ(opencl::cpuDevice, uint64_t{CL_DEVICE_TYPE_CPU});
  EXPECT_EQ(opencl::gpuDevice, uint64_t{CL_DEVICE_TYPE_GPU});
  EXPECT_EQ(opencl::deviceType, uint32_t{CL_DEVICE_TYPE});
  EXPECT_EQ(opencl::deviceBaseAlignment,
            uint32_t{CL_DEVICE_MEM_BASE_ADDR_ALIGN});
  EXPECT_EQ(opencl::deviceCacheBytes,
            uint32_t{CL_DEVICE_GLOBAL_MEM_CACHE_SIZE});
  EXPECT_EQ(opencl::deviceMemoryBytes, uint32_t{CL_DEVICE_GLOBAL_MEM_SIZE});
  EXPECT_EQ(opencl::deviceLocalBytes, uint32_t{CL_DEVICE_LOCAL_MEM_SIZE});
  EXPECT_EQ(opencl::deviceName, uint32_t{CL_DEVICE_NAME});
  EXPECT_EQ(opencl::driverVersion, uint32_t{CL_DRIVER_VERSION});
  EXPECT_EQ(opencl::deviceVersion, uint32_t{CL_DEVICE_VERSION});
  EXPECT_EQ(opencl::deviceExtensions, uint32_t{CL_DEVICE_EXTENSIONS});
#ifdef CL_DEVICE_UUID_KHR
  EXPECT_EQ(opencl::deviceUuid, uint32_t{CL_DEVICE_UUID_KHR});
#endif

  EXPECT_EQ(opencl::profilingQueue, uint64_t{CL_QUEUE_PROFILING_ENABLE});
  EXPECT_EQ(opencl::readWriteMemory, uint64_t{CL_MEM_READ_WRITE});
  EXPECT_EQ(opencl::regionOfBuffer, uint32_t{CL_BUFFER_CREATE_TYPE_REGION});

  EXPECT_EQ(opencl::programBinarySizes, uint32_t{CL_PROGRAM_BINARY_SIZES});
  EXPECT_EQ(opencl::programBinaries, uint32_t{CL_PROGRAM_BINARIES});
  EXPECT_EQ(opencl::programKernelNames, uint32_t{CL_PROGRAM_KERNEL_NAMES});
  EXPECT_EQ(opencl::buildLog, uint32_t{CL_PROGRAM_BUILD_LOG});

  EXPECT_EQ(opencl::kernelArgumentCount, uint32_t{CL_KERNEL_NUM_ARGS});
  EXPECT_EQ(opencl::argumentAddress, uint32_t{CL_KERNEL_ARG_ADDRESS_QUALIFIER});
  EXPECT_EQ(opencl::argumentTypeName, uint32_t{CL_KERNEL_ARG_TYPE_NAME});
  EXPECT_EQ(opencl::argumentTypeQualifier,
            uint32_t{CL_KERNEL_ARG_TYPE_QUALIFIER});
  EXPECT_EQ(opencl::argumentName, uint32_t{CL_KERNEL_ARG_NAME});
  EXPECT_EQ(opencl::globalArgument, uint32_t{CL_KERNEL_ARG_ADDRESS_GLOBAL});
  EXPECT_EQ(opencl::localArgument, uint32_t{CL_KERNEL_ARG_ADDRESS_LOCAL});
  EXPECT_EQ(opencl::constantArgument, uint32_t{CL_KERNEL_ARG_ADDRESS_CONSTANT});
  EXPECT_EQ(opencl::constQualifier, uint64_t{CL_KERNEL_ARG_TYPE_CONST});

  EXPECT_EQ(opencl::kernelWorkGroupSize, uint32_t{CL_KERNEL_WORK_GROUP_SIZE});
  EXPECT_EQ(opencl::kernelRequiredSize,
            uint32_t{CL_KERNEL_COMPILE_WORK_GROUP_SIZE});
  EXPECT_EQ(opencl::kernelLocalBytes, uint32_t{CL_KERNEL_LOCAL_MEM_SIZE});
  EXPECT_EQ(opencl::kernelPrivateBytes, uint32_t{CL_KERNEL_PRIVATE_MEM_SIZE});

  EXPECT_EQ(opencl::eventStatus, uint32_t{CL_EVENT_COMMAND_EXECUTION_STATUS});
  EXPECT_EQ(opencl::profileStart, uint32_t{CL_PROFILING_COMMAND_START});
  EXPECT_EQ(opencl::profileEnd, uint32_t{CL_PROFILING_COMMAND_END});
}

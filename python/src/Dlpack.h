//===- The layout of DLPack's tensors -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_DLPACK_H
#define PYTHON_SRC_DLPACK_H

#include <cstdint>
#include <string>

/// The structs of DLPack 1.x that a producer and a consumer in one process
/// exchange. Their layout is fixed by the protocol of `__dlpack__`.
namespace tonno::python::dlpack {

/// Device types. Kernels of GPUs take managed memory, which is the device's as
/// well as the host's, but no pinned memory, which is the host's alone.
enum DeviceType : int32_t {
  hostDevice = 1,
  cudaDevice = 2,
  cudaHostDevice = 3,
  rocmDevice = 10,
  rocmHostDevice = 11,
  cudaManagedDevice = 13,
};
/// The flag of tensors that must not be written.
inline constexpr uint64_t readOnlyFlag = 1;
/// The names of capsules that nobody has consumed.
inline constexpr const char *capsuleName = "dltensor";
inline constexpr const char *versionedCapsuleName = "dltensor_versioned";

/// Type codes.
enum Code : uint8_t {
  signedInteger = 0,
  unsignedInteger = 1,
  floatingPoint = 2,
  bfloat = 4,
  complexNumber = 5,
  boolean = 6,
  float8E4M3FN = 10,
  float8E4M3FNUZ = 11,
  float8E5M2 = 12,
  float8E5M2FNUZ = 13,
  float8E8M0FNU = 14,
};

struct Device {
  int32_t type;
  int32_t index;
};

/// Returns "cuda:1" or "the host", for messages.
std::string nameDevice(Device device);

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *shape;
  int64_t *strides; ///< in elements; null if dense and row-major
  uint64_t byteOffset;
};

struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *self);
};

struct ManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(ManagedTensorVersioned *self);
  uint64_t flags;
  Tensor tensor;
};

} // namespace tonno::python::dlpack

#endif // PYTHON_SRC_DLPACK_H

//===- A buffer of a kernel as callers bring it ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PYTHON_SRC_KERNELPARAMETER_H
#define PYTHON_SRC_KERNELPARAMETER_H

#include "ArrayTypes.h"
#include "Dlpack.h"
#include "LoadedKernel.h"

#include <nanobind/nanobind.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tonno::python {

/// The memory of a Python scalar that a kernel takes as a buffer of rank 0.
struct alignas(arrayAlignment) ScalarSlot {
  std::byte bytes[arrayAlignment];
};

/// An array that takes part in a call.
struct BoundArray {
  void *data = nullptr;
  /// Keeps the memory alive beside the caller's own references; mostly null.
  nanobind::object owner = {};
};

/// The rules for one argument or result, computed when the kernel is loaded,
/// and the check of an array against them. Needs NumPy's C API: see
/// importNumpy.
class KernelParameter {
public:
  /// `others` are the kernel's parameters before this one, which may share
  /// names of dimensions.
  KernelParameter(const BufferSpec &spec, const std::string &kernel,
                  std::span<const KernelParameter> others);

  /// Returns the array's memory. Raises a TypeError if the object is no array
  /// or has other elements; throws a Refusal for any other reason why the
  /// kernel can't use it. `slot` is for the value of a scalar. The address may
  /// be misaligned.
  BoundArray bind(nanobind::handle array, ScalarSlot &slot) const;

  /// As `bind`, for an array in the memory of a GPU. Asks the array's library
  /// that the stream, as DLPack numbers it, waits for the array; -1 asks for no
  /// wait.
  BoundArray bindOnGpu(nanobind::handle array, int64_t stream) const;
  /// Returns true if the object is a number, or may be a scalar of NumPy, whose
  /// value is passed.
  bool takesValue(nanobind::handle given) const;
  /// Returns the device of an array's memory. Raises a TypeError if the object
  /// is no array.
  dlpack::Device findDevice(nanobind::handle array) const;

  /// Returns a new NumPy array that owns `memory`, which has `bytes()` bytes.
  nanobind::object makeNumpyArray(AlignedMemory memory) const;
  /// Returns a new capsule of DLPack that owns `memory`, on that device.
  nanobind::object makeDlpackCapsule(std::shared_ptr<void> memory,
                                     dlpack::Device device = {
                                         dlpack::hostDevice, 0}) const;

  const BufferSpec &spec() const { return buffer; }
  /// Returns the name of the dtype, in NumPy or ml_dtypes.
  const char *dtypeName() const { return type.name; }
  /// Returns the stride of each dimension in elements.
  std::vector<int64_t> elementStrides() const;
  uint64_t bytes() const { return byteCount; }
  uint64_t alignment() const { return buffer.alignment; }
  bool isAligned(const void *data) const {
    return (reinterpret_cast<uintptr_t>(data) & alignmentMask) == 0;
  }
  bool reads() const { return buffer.access != Access::write; }
  bool writes() const { return buffer.access != Access::read; }
  bool isDense() const { return buffer.isDense(); }
  bool isScalar() const { return buffer.shape.empty(); }
  /// Returns the names of the axes; empty without names.
  const std::vector<std::string> &dims() const { return buffer.dims; }
  /// Returns "argument 'arg0' of kernel 'matmul'".
  const std::string &label() const { return title; }

  /// Throws the Refusal "<label> <why>".
  [[noreturn]] void refuse(const std::string &why) const;
  /// Throws a Refusal unless the shape is that of the kernel. The message names
  /// the dimensions that differ, if the kernel names dimensions.
  void checkShape(std::span<const int64_t> given) const;

private:
  /// Returns the remedy for an array that is not as required: an array that is
  /// written cannot be replaced by a copy.
  std::string remedy(const char *forInput) const;
  BoundArray bindNumpy(nanobind::handle array) const;
  BoundArray bindDlpack(nanobind::handle array) const;
  BoundArray bindCapsule(nanobind::object capsule,
                         nanobind::handle array) const;
  [[noreturn]] void refuseObject(nanobind::handle given) const;
  [[noreturn]] void refuseExport(const nanobind::python_error &error) const;
  /// `libraries` are those whose arrays can be written.
  [[noreturn]] void refuseJax(const char *libraries) const;
  BoundArray bindScalar(nanobind::handle value, ScalarSlot &slot) const;
  template <typename Tensor>
  void *checkTensor(const Tensor &tensor, nanobind::handle array) const;
  bool hasAcceptedDtype(nanobind::handle array) const;
  [[noreturn]] void refuseType(const std::string &given) const;
  std::string explainSizes(std::span<const int64_t> given) const;
  [[noreturn]] void refuseStrides() const;
  [[noreturn]] void refusePackedOnGpu() const;
  /// Returns the dtype of results. Throws a Refusal without ml_dtypes.
  nanobind::object findDtype() const;

  BufferSpec buffer;
  const ArrayType &type;
  std::string title;
  /// The label of the first parameter with an axis of the same name, for each
  /// axis; empty if no earlier parameter has one.
  std::vector<std::string> namesakes;
  uint64_t byteCount, alignmentMask;
  std::vector<int64_t> byteStrides; ///< of each dimension
  nanobind::object dtype;           ///< null without ml_dtypes
  int typeNumbers[2] = {-1, -1};    ///< NumPy's, of dtypes of ml_dtypes
};

/// Imports NumPy's C API. Raises an ImportError without NumPy.
void importNumpy();

/// Returns the object whose `from_dlpack` makes arrays of the same library as
/// the first array among these: null for NumPy, and if there is no array.
nanobind::object findArrayLibrary(std::span<PyObject *const> arrays);

} // namespace tonno::python

#endif // PYTHON_SRC_KERNELPARAMETER_H

//===- A buffer of a kernel as callers bring it ---------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelParameter.h"
#include "Refusal.h"
#include "Values.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <cstring>
#include <span>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

void tonno::python::importNumpy() {
  if (!PyArray_API && _import_array() < 0)
    throw nb::python_error();
}

static PyArrayObject *asArray(nb::handle array) {
  return reinterpret_cast<PyArrayObject *>(array.ptr());
}

/// Returns the name of a type's top-level module, such as "torch".
static std::string getTopLevelModule(nb::handle array) {
  nb::object module = nb::getattr(array.type(), "__module__", nb::str(""));
  auto name = nb::cast<std::string>(nb::str(module));
  return name.substr(0, name.find('.'));
}

nb::object tonno::python::findArrayLibrary(std::span<PyObject *const> arrays) {
  for (nb::handle array : arrays) {
    if (PyArray_Check(array.ptr()))
      return {};
    if (PyArray_CheckAnyScalar(array.ptr()) ||
        !nb::hasattr(array, "__dlpack__"))
      continue;
    if (nb::hasattr(array, "__array_namespace__"))
      return array.attr("__array_namespace__")();
    nb::object library = nb::module_::import_(getTopLevelModule(array).c_str());
    return nb::hasattr(library, "from_dlpack") ? library : nb::object();
  }
  return {};
}

/// Returns "(8, 16)", or "(M=8, K=16)" with names.
static std::string describeShape(std::span<const int64_t> shape,
                                 std::span<const std::string> names = {}) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + (names.empty() ? "" : names[i] + "=") +
            std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

/// Returns the label of the first parameter with an axis of that name, or an
/// empty text.
static std::string findNamesake(const std::string &name,
                                std::span<const KernelParameter> parameters) {
  for (const KernelParameter &each : parameters)
    if (std::ranges::find(each.dims(), name) != each.dims().end())
      return each.label();
  return "";
}

KernelParameter::KernelParameter(const BufferSpec &spec,
                                 const std::string &kernel,
                                 std::span<const KernelParameter> others)
    : buffer(spec), type(findArrayType(spec.elementType)),
      title((isResult(spec) ? "result '" : "argument '") + spec.name +
            "' of kernel '" + kernel + "'"),
      byteCount(spec.bytes()),
      alignmentMask(std::max<uint64_t>(spec.alignment, 1) - 1) {
  auto size = static_cast<int64_t>(getByteSize(spec.elementType));
  byteStrides = spec.strides;
  if (spec.isDense()) {
    byteStrides.assign(spec.shape.size(), 1);
    for (size_t i = spec.shape.size(); i-- > 1;)
      byteStrides[i - 1] = byteStrides[i] * spec.shape[i];
  }
  for (int64_t &stride : byteStrides)
    stride *= size;
  for (const std::string &name : spec.dims)
    namesakes.push_back(findNamesake(name, others));

  nb::object makeDtype = nb::module_::import_("numpy").attr("dtype");
  if (!type.isExtension) {
    dtype = makeDtype(type.name);
    return;
  }
  nb::object extensions;
  try {
    extensions = nb::module_::import_("ml_dtypes");
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_ImportError))
      throw;
    return; // arrays of other libraries need none
  }
  dtype = makeDtype(extensions.attr(type.name));
  auto getTypeNumber = [](nb::handle dtype) {
    return reinterpret_cast<PyArray_Descr *>(dtype.ptr())->type_num;
  };
  typeNumbers[0] = typeNumbers[1] = getTypeNumber(dtype);
  if (type.unsignedName)
    typeNumbers[1] =
        getTypeNumber(makeDtype(extensions.attr(type.unsignedName)));
}

void KernelParameter::refuse(const std::string &why) const {
  throw Refusal(title + " " + why);
}

std::string KernelParameter::remedy(const char *forInput) const {
  return writes() ? "allocate an array that is" : forInput;
}

void KernelParameter::refuseType(const std::string &given) const {
  std::string remedy = writes()
                           ? std::string("allocate an array of ") + type.name
                           : "convert it by .astype";
  throw nb::type_error((title + " takes elements of " + type.name + ", and " +
                        given + " was given; " + remedy)
                           .c_str());
}

/// Returns "K is 17, and 16 in argument 'arg0' of kernel 'matmul'" for each
/// named dimension that differs.
std::string
KernelParameter::explainSizes(std::span<const int64_t> given) const {
  std::string text;
  for (size_t i = 0; i < namesakes.size() && i < given.size(); ++i)
    if (given[i] != buffer.shape[i])
      text += (text.empty() ? ": " : "; ") + buffer.dims[i] + " is " +
              std::to_string(given[i]) + ", and " +
              std::to_string(buffer.shape[i]) + " in " +
              (namesakes[i].empty() ? "the kernel" : namesakes[i]);
  return text;
}

void KernelParameter::checkShape(std::span<const int64_t> given) const {
  if (std::ranges::equal(given, buffer.shape))
    return;
  bool hasRank = given.size() == buffer.shape.size();
  refuse("has shape " + describeShape(buffer.shape, buffer.dims) + ", and " +
         describeShape(given) + " was given" +
         (hasRank ? explainSizes(given) : ""));
}

void KernelParameter::refuseStrides() const {
  if (isDense())
    refuse("is contiguous and row-major, and the given array is not; " +
           remedy("pass a copy, as numpy.ascontiguousarray or torch's "
                  ".contiguous() makes"));
  refuse("has strides of " + describeShape(byteStrides) +
         " bytes, unlike the given array");
}

bool KernelParameter::hasAcceptedDtype(nb::handle array) const {
  PyArray_Descr *given = PyArray_DESCR(asArray(array));
  if (type.isExtension)
    return given->type_num == typeNumbers[0] ||
           given->type_num == typeNumbers[1];
  return (given->kind == type.kinds[0] ||
          (given->kind == type.kinds[1] && given->kind != '\0')) &&
         PyArray_ITEMSIZE(asArray(array)) ==
             static_cast<npy_intp>(getByteSize(type.type));
}

BoundArray KernelParameter::bindNumpy(nb::handle given) const {
  PyArrayObject *array = asArray(given);
  if (!hasAcceptedDtype(given))
    refuseType(nb::cast<std::string>(nb::str(
        nb::handle(reinterpret_cast<PyObject *>(PyArray_DESCR(array))))));
  if (PyArray_ISBYTESWAPPED(array))
    refuse("is in the machine's byte order, and the given array is not; " +
           remedy("convert it by .astype(dtype.newbyteorder('='))"));
  const npy_intp *shape = PyArray_DIMS(array);
  size_t rank = PyArray_NDIM(array);
  checkShape({shape, rank});
  if (isDense()) {
    if (!PyArray_IS_C_CONTIGUOUS(array))
      refuseStrides();
  } else {
    const npy_intp *strides = PyArray_STRIDES(array);
    for (size_t i = 0; i < rank; ++i)
      if (shape[i] != 1 && strides[i] != byteStrides[i])
        refuseStrides();
  }
  if (writes() && !PyArray_ISWRITEABLE(array))
    refuse("is written, and the given array is read-only; pass a writable "
           "array");
  return {PyArray_DATA(array)};
}

template <typename Tensor>
void *KernelParameter::checkTensor(const Tensor &tensor,
                                   nb::handle array) const {
  if (type.dlpackCode < 0)
    throw nb::type_error((title + " takes elements of " + type.name +
                          ", which only NumPy's arrays with a dtype of "
                          "ml_dtypes have")
                             .c_str());
  if (tensor.type.lanes != 1 ||
      !isDlpackType(type, tensor.type.code, tensor.type.bits))
    refuseType(nameDlpackType(tensor.type.code, tensor.type.bits));
  auto rank = static_cast<size_t>(tensor.rank);
  checkShape({tensor.shape, rank});
  auto size = static_cast<int64_t>(getByteSize(type.type));
  bool hasElements = byteCount > 0; // else strides mean nothing
  if (hasElements && (tensor.strides || !isDense()))
    for (size_t i = 0; i < rank; ++i)
      if (tensor.shape[i] != 1 &&
          (!tensor.strides || tensor.strides[i] * size != byteStrides[i]))
        refuseStrides();
  return static_cast<char *>(tensor.data) + tensor.byteOffset;
}

/// Calls `__dlpack__` of the newest protocol that the array knows. `more` are
/// keywords for all protocols.
template <typename... More>
static nb::object exportTensor(nb::handle array, More... more) {
  nb::object method = array.attr("__dlpack__");
  try {
    return method(more..., nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
  }
  return method(more...);
}

void KernelParameter::refuseObject(nb::handle given) const {
  throw nb::type_error((title +
                        " is an array of NumPy, or any that has "
                        "__dlpack__, and a " +
                        typeName(given) + " was given")
                           .c_str());
}

void KernelParameter::refuseExport(const nb::python_error &error) const {
  refuse("cannot use the given array: " +
         nb::cast<std::string>(nb::str(error.value())));
}

void KernelParameter::refuseJax(const char *libraries) const {
  refuse(std::string("is written, and arrays of JAX are read-only; pass one "
                     "of ") +
         libraries);
}

void KernelParameter::refusePackedOnGpu() const {
  refuse(std::string("has elements of ") + type.name +
         ", which DLPack packs into bytes, unlike the kernel; convert them in "
         "the kernel from a type of 8 bits");
}

dlpack::Device KernelParameter::findDevice(nb::handle array) const {
  if (PyArray_Check(array.ptr()))
    return {dlpack::hostDevice, 0};
  if (!nb::hasattr(array, "__dlpack__"))
    refuseObject(array);
  try {
    auto [type, index] =
        nb::cast<std::pair<int, int>>(array.attr("__dlpack_device__")());
    return {type, index};
  } catch (nb::python_error &error) {
    refuseExport(error);
  }
}

BoundArray KernelParameter::bindCapsule(nb::object capsule,
                                        nb::handle array) const {
  if (PyCapsule_IsValid(capsule.ptr(), dlpack::versionedCapsuleName)) {
    auto *managed = static_cast<dlpack::ManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule.ptr(), dlpack::versionedCapsuleName));
    if (managed->major != 1)
      refuse("takes arrays by DLPack 1, and the given array exports version " +
             std::to_string(managed->major));
    if (writes() && (managed->flags & dlpack::readOnlyFlag))
      refuse("is written, and the given array is read-only; pass a writable "
             "array");
    return {checkTensor(managed->tensor, array), capsule};
  }
  auto *managed = static_cast<dlpack::ManagedTensor *>(
      PyCapsule_GetPointer(capsule.ptr(), dlpack::capsuleName));
  if (!managed)
    throw nb::python_error();
  return {checkTensor(managed->tensor, array), capsule};
}

BoundArray KernelParameter::bindDlpack(nb::handle array) const {
  dlpack::Device device = findDevice(array);
  if (device.type != dlpack::hostDevice)
    refuse("is in host memory, and the given array is on " +
           dlpack::nameDevice(device) + "; copy it to the host");
  bool isJax = getTopLevelModule(array).starts_with("jax");
  if (writes() && isJax)
    refuseJax("NumPy");
  nb::object capsule;
  try {
    if (isJax) // whose arrays may still be computed
      array.attr("block_until_ready")();
    capsule = exportTensor(array);
  } catch (nb::python_error &error) {
    refuseExport(error);
  }
  return bindCapsule(std::move(capsule), array);
}

BoundArray KernelParameter::bindOnGpu(nb::handle array, int64_t stream) const {
  if (type.dlpackCode < 0)
    refusePackedOnGpu();
  if (writes() && getTopLevelModule(array).starts_with("jax"))
    refuseJax("torch or CuPy");
  nb::object capsule;
  try {
    capsule = exportTensor(array, nb::arg("stream") = stream);
  } catch (nb::python_error &error) {
    refuseExport(error);
  }
  BoundArray bound = bindCapsule(std::move(capsule), array);
  if (!isAligned(bound.data))
    refuse("is aligned to " + std::to_string(alignment()) +
           " bytes, and the given array is not; " + remedy("pass a copy"));
  return bound;
}

template <typename T> static BoundArray storeValue(ScalarSlot &slot, T value) {
  std::memcpy(slot.bytes, &value, sizeof value);
  return {slot.bytes};
}

BoundArray KernelParameter::bindScalar(nb::handle value,
                                       ScalarSlot &slot) const {
  bool isBoolean = PyBool_Check(value.ptr());
  if (isBoolean != (type.type == ElementType::i1) ||
      (PyFloat_Check(value.ptr()) && type.kinds[0] == 'i'))
    refuseType("a " + typeName(value));
  if (isBoolean)
    return storeValue(slot, value.is(Py_True));
  if (type.type == ElementType::f64 || type.type == ElementType::f32) {
    double number = PyFloat_AsDouble(value.ptr());
    if (number == -1 && PyErr_Occurred())
      throw nb::python_error();
    return type.type == ElementType::f64
               ? storeValue(slot, number)
               : storeValue(slot, static_cast<float>(number));
  }
  // NumPy checks the range.
  int isNegative =
      PyObject_RichCompareBool(value.ptr(), nb::int_(0).ptr(), Py_LT);
  if (isNegative < 0)
    throw nb::python_error();
  nb::object wanted = findDtype();
  if (type.kinds[0] == 'i' && !isNegative)
    wanted = nb::module_::import_("numpy").attr("dtype")(type.unsignedName);
  nb::object array =
      nb::module_::import_("numpy").attr("asarray")(value, wanted);
  return {PyArray_DATA(asArray(array)), array};
}

BoundArray KernelParameter::bind(nb::handle array, ScalarSlot &slot) const {
  if (PyArray_CheckExact(array.ptr()))
    return bindNumpy(array);
  if (PyArray_Check(array.ptr())) {
    if (nb::hasattr(array, "mask"))
      refuse("cannot have a mask; pass the array's .data");
    return bindNumpy(array);
  }
  if (!writes() && isScalar()) {
    if (PyArray_IsScalar(array.ptr(), Generic)) {
      nb::object converted =
          nb::steal(PyArray_FromScalar(array.ptr(), nullptr));
      if (!converted)
        throw nb::python_error();
      BoundArray bound = bindNumpy(converted);
      bound.owner = converted;
      return bound;
    }
    if (PyFloat_Check(array.ptr()) || PyLong_Check(array.ptr()))
      return bindScalar(array, slot);
  }
  return bindDlpack(array);
}

bool KernelParameter::takesValue(nb::handle given) const {
  return !writes() && isScalar() &&
         (PyArray_CheckAnyScalar(given.ptr()) || PyFloat_Check(given.ptr()) ||
          PyLong_Check(given.ptr()));
}

nb::object KernelParameter::findDtype() const {
  if (!dtype.is_valid())
    refuse(std::string("has elements of ") + type.name +
           "; install ml_dtypes, which has them");
  return dtype;
}

static void freeMemory(PyObject *capsule) {
  std::free(PyCapsule_GetPointer(capsule, nullptr));
}

nb::object KernelParameter::makeNumpyArray(AlignedMemory memory) const {
  nb::object owner =
      nb::steal(PyCapsule_New(memory.get(), nullptr, &freeMemory));
  if (!owner)
    throw nb::python_error();
  void *data = memory.release();
  nb::object array = nb::steal(PyArray_NewFromDescr(
      &PyArray_Type,
      reinterpret_cast<PyArray_Descr *>(findDtype().release().ptr()),
      static_cast<int>(buffer.shape.size()), buffer.shape.data(),
      byteStrides.data(), data, NPY_ARRAY_WRITEABLE, nullptr));
  if (!array ||
      PyArray_SetBaseObject(asArray(array), owner.release().ptr()) < 0)
    throw nb::python_error();
  return array;
}

namespace {

/// A tensor of DLPack with the memory that it owns.
struct OwnedTensor {
  dlpack::ManagedTensor managed = {};
  std::vector<int64_t> shape, strides;
  std::shared_ptr<void> memory;
};

} // namespace

static void deleteTensor(dlpack::ManagedTensor *managed) {
  delete static_cast<OwnedTensor *>(managed->context);
}

/// Deletes the tensor of a capsule, unless a consumer has taken it over.
static void deleteCapsule(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, dlpack::capsuleName))
    deleteTensor(static_cast<dlpack::ManagedTensor *>(
        PyCapsule_GetPointer(capsule, dlpack::capsuleName)));
}

std::vector<int64_t> KernelParameter::elementStrides() const {
  std::vector<int64_t> strides = byteStrides;
  for (int64_t &stride : strides)
    stride /= static_cast<int64_t>(getByteSize(type.type));
  return strides;
}

nb::object KernelParameter::makeDlpackCapsule(std::shared_ptr<void> memory,
                                              dlpack::Device device) const {
  if (type.dlpackCode < 0) {
    if (device.type != dlpack::hostDevice)
      refusePackedOnGpu();
    refuse(std::string("has elements of ") + type.name +
           ", which only NumPy's arrays have; pass arrays of NumPy");
  }
  auto owned = std::make_unique<OwnedTensor>();
  owned->shape = buffer.shape;
  owned->strides = elementStrides();
  owned->memory = std::move(memory);
  dlpack::ManagedTensor &managed = owned->managed;
  managed.context = owned.get();
  managed.deleter = &deleteTensor;
  managed.tensor = {owned->memory.get(),
                    device,
                    static_cast<int32_t>(owned->shape.size()),
                    {static_cast<uint8_t>(type.dlpackCode),
                     static_cast<uint8_t>(8 * getByteSize(type.type)), 1},
                    owned->shape.data(),
                    owned->strides.data(),
                    0};
  nb::object capsule =
      nb::steal(PyCapsule_New(&managed, dlpack::capsuleName, &deleteCapsule));
  if (!capsule)
    throw nb::python_error();
  (void)owned.release(); // the capsule owns it
  return capsule;
}

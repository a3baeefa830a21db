//===- Calls of a GPU's kernel from Python --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GpuKernelCall.h"
#include "CallBuffers.h"
#include "Refusal.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <utility>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

/// DLPack's number for an export that makes no stream wait.
static constexpr int64_t withoutWait = -1;
/// The handle of the calling thread's default stream, for both vendors.
static constexpr int64_t perThreadStream = 2;

/// Returns a stream's number in DLPack. The default stream is 1 with CUDA,
/// where the driver takes both that and 0, and 0 with HIP.
static int64_t numberStream(const GpuDriverTraits &vendor, int64_t handle) {
  if (handle > 1)
    return handle;
  return &vendor == &cudaVendor() ? 1 : 0;
}

/// Releases memory, which waits for the device, for a caller with or without
/// the interpreter's lock.
static void releaseMemory(const SharedGpu &gpu, GpuAddress memory) {
  std::optional<nb::gil_scoped_release> released;
  // A library may free its arrays after the interpreter has ended.
  if (Py_IsInitialized() && PyGILState_Check())
    released.emplace();
  SharedGpu::Use use(gpu);
  gpu.release(memory);
}

static GpuStream toStream(int64_t handle) {
  return reinterpret_cast<GpuStream>(handle);
}

namespace {

/// Arrays that launches in flight use.
struct InFlight {
  SharedGpu *gpu;
  GpuStream stream;
  GpuEvent event; ///< behind the launches
  std::vector<nb::object> owners;
};

} // namespace

/// Returns the list, in the order of the calls. The interpreter's lock guards
/// it.
static std::vector<InFlight> &arraysInFlight() {
  // Never destroyed: the objects are Python's.
  static auto *list = new std::vector<InFlight>();
  return *list;
}

/// Releases the arrays whose launches have ended.
static void releaseArrays() {
  std::vector<InFlight> ended; // whose destructors may call kernels
  // Later events of a stream pass after the first that has not passed.
  std::set<std::pair<SharedGpu *, GpuStream>> busy;
  std::erase_if(arraysInFlight(), [&](InFlight &each) {
    if (busy.contains({each.gpu, each.stream}))
      return false;
    SharedGpu::Use use(*each.gpu);
    if (!use.begun() || !each.gpu->hasPassed(each.event)) {
      busy.insert({each.gpu, each.stream});
      return false;
    }
    ended.push_back(std::move(each));
    return true;
  });
}

/// One call: what it binds lives until it ends.
class CallableGpuKernel::Call {
public:
  explicit Call(CallableGpuKernel &callee)
      : callee(callee), kernel(callee.kernel),
        numBuffers(callee.parameters.size()), data(numBuffers),
        buffers(kernel.plan().buffers.size()), bound(numBuffers) {
    for (void *&each : data.all())
      each = nullptr;
  }

  /// Takes the value of a scalar, or checks that the array is on the device of
  /// those before.
  void checkDevice(size_t index, nb::handle given) {
    const KernelParameter &parameter = callee.parameters[index];
    if (parameter.takesValue(given)) {
      ScalarSlot slot;
      BoundArray value = parameter.bind(given, slot);
      ScalarValue scalar = {index};
      std::memcpy(scalar.words.data(), value.data, parameter.bytes());
      scalars.push_back(scalar);
      return;
    }
    dlpack::Device other = parameter.findDevice(given);
    bool isOfVendor = isCuda() ? other.type == dlpack::cudaDevice ||
                                     other.type == dlpack::cudaManagedDevice
                               : other.type == dlpack::rocmDevice;
    if (!isOfVendor)
      parameter.refuse(
          "is on " +
          (device ? nameDevice() : std::string(isCuda() ? "cuda" : "rocm")) +
          ", and the given array is on " + dlpack::nameDevice(other) +
          "; copy it to that device");
    if (device && device->index != other.index)
      parameter.refuse("is on " + nameDevice() + " like " +
                       firstParameter().label() +
                       ", and the given array is on " +
                       dlpack::nameDevice(other) + "; copy it to that device");
    if (!device)
      device = other;
    arrays.push_back({index, nb::borrow(given)});
  }

  /// Opens the driver, if no call has done so, and makes the device current
  /// until the call ends: torch exports tensors on the current device only.
  /// Throws a Refusal without an array.
  void open() {
    if (!device)
      throw Refusal("kernel '" + kernel.name() +
                    "' runs on the device of its arrays, and none was given; "
                    "pass out=");
    {
      nb::gil_scoped_release released;
      auto found = kernel.findGpu(device->index);
      if (!found)
        throw refusal(found.error());
      gpu = *found;
    }
    use.emplace(*gpu);
    if (!use->begun())
      throw refusal(use->begun().error());
  }

  /// Binds the caller's arrays to their parameters. Chooses the stream, which
  /// is a handle or an object of Python, or the arrays' if it is null or None.
  void bindArrays(nb::handle stream) {
    nb::list given;
    for (const GivenArray &each : arrays)
      given.append(each.array);
    auto [chosen, areOrdered] =
        nb::cast<std::pair<int64_t, std::vector<bool>>>(callee.libraries.attr(
            "find_stream")(stream.is_valid() ? nb::borrow(stream) : nb::none(),
                           given, device->index));
    handle = chosen;
    if (!isCuda() && handle == perThreadStream)
      throw Refusal("kernel '" + kernel.name() + "' cannot run on stream " +
                    std::to_string(handle) +
                    ", the default stream of a thread, which DLPack excludes "
                    "for ROCm; pass stream=0 or a created stream");
    number = numberStream(kernel.vendor(), handle);
    for (size_t i = 0; i < arrays.size(); ++i)
      bind(arrays[i].index, arrays[i].array, areOrdered[i]);
  }

  void checkOverlaps() {
    std::span<const KernelParameter> parameters = callee.parameters;
    python::checkOverlaps(parameters, [&](size_t i) {
      return Range(data[i], data[i] ? parameters[i].bytes() : 0);
    });
  }

  /// Returns a new array of torch or CuPy for a result. Returns a null object
  /// for other libraries: the result gets memory of the driver.
  nb::object makeResult(size_t index) {
    const KernelParameter &result = callee.parameters[index];
    nb::object made = callee.libraries.attr("make_result")(
        arrays.front().array, nb::tuple(nb::cast(result.spec().shape)),
        nb::tuple(nb::cast(result.elementStrides())), result.dtypeName(),
        device->index, handle);
    if (!made.is_none()) {
      // The library uses the memory in the order of the stream, for which it
      // was made.
      bind(index, made, /*isOrdered=*/true);
      return made;
    }
    memory.resize(numBuffers);
    memory[index] = allocate(result.bytes());
    data[index] = memory[index].get();
    buffers[index] = reinterpret_cast<GpuAddress>(data[index]);
    return {};
  }

  void run() {
    GpuEvent event = nullptr;
    std::optional<Error> failure;
    {
      nb::gil_scoped_release released;
      GpuStream stream = toStream(number);
      auto ran = kernel.run(*gpu, stream, buffers.all(), scalars);
      if (!ran)
        failure = ran.error();
      // Also after a failure: the launches before it may be in flight. A graph
      // may be launched at any time, so its arrays are the caller's to keep.
      if (!retained.empty() && !gpu->isCapturing(stream)) {
        auto marked = gpu->mark(stream);
        if (marked) {
          event = *marked;
        } else {
          if (ran)
            failure = marked.error();
          // The arrays are released without an event that has passed.
          (void)gpu->functions().streamSynchronize(stream);
        }
      }
    }
    if (event)
      arraysInFlight().push_back(
          {gpu, toStream(number), event, std::move(retained)});
    if (failure)
      throw refusal(*failure);
  }

  /// Returns an array of the library that owns the memory of a result.
  nb::object wrap(size_t index, nb::handle library) {
    // The first array may be in managed memory, unlike this one.
    dlpack::Device place = {isCuda() ? dlpack::cudaDevice : dlpack::rocmDevice,
                            device->index};
    nb::object capsule = callee.parameters[index].makeDlpackCapsule(
        std::move(memory[index]), place);
    // The library reads the array when its own stream has waited for this one.
    auto wait = nb::cpp_function(
        [gpu = gpu, stream = number, &vendor = kernel.vendor()](int64_t other) {
          other = numberStream(vendor, other);
          if (other == stream)
            return;
          nb::gil_scoped_release released;
          SharedGpu::Use use(*gpu);
          check(use.begun());
          check(gpu->wait(toStream(other), toStream(stream)));
        });
    return callee.libraries.attr("wrap_result")(
        library, capsule, nb::make_tuple(place.type, place.index), wait);
  }

  nb::object findLibrary() {
    PyObject *first = arrays.front().array.ptr();
    nb::object library = findArrayLibrary({&first, 1});
    if (!library.is_valid())
      callee.parameters[kernel.numArguments()].refuse(
          "cannot be made: the library of " + firstParameter().label() +
          " has no from_dlpack; pass out=");
    return library;
  }

private:
  /// An array of the caller's.
  struct GivenArray {
    size_t index; ///< of the parameter
    nb::object array;
  };

  /// Binds an array to a parameter. `isOrdered` says that the array's library
  /// writes and frees its memory in the order of the stream; else the library
  /// is asked to make the stream wait, and the array is retained.
  void bind(size_t index, nb::handle array, bool isOrdered) {
    bound[index] = callee.parameters[index].bindOnGpu(
        array, isOrdered ? withoutWait : number);
    if (!isOrdered)
      retained.push_back(bound[index].owner);
    data[index] = bound[index].data;
    buffers[index] = reinterpret_cast<GpuAddress>(data[index]);
  }

  const KernelParameter &firstParameter() const {
    return callee.parameters[arrays.front().index];
  }

  bool isCuda() const { return &kernel.vendor() == &cudaVendor(); }

  std::string nameDevice() const { return dlpack::nameDevice(*device); }

  Refusal refusal(const Error &error) const {
    return Refusal("kernel '" + kernel.name() + "' cannot run on " +
                   nameDevice() + ": " + error.message);
  }

  std::shared_ptr<void> allocate(uint64_t bytes) {
    nb::gil_scoped_release released;
    auto allocated = gpu->allocate(bytes);
    if (!allocated)
      throw refusal(allocated.error());
    return {reinterpret_cast<void *>(*allocated), [gpu = gpu](void *freed) {
              releaseMemory(*gpu, reinterpret_cast<GpuAddress>(freed));
            }};
  }

  CallableGpuKernel &callee;
  const GpuKernel &kernel;
  SharedGpu *gpu = nullptr;
  std::optional<SharedGpu::Use> use; ///< from `open` on
  size_t numBuffers;
  PerBuffer<void *> data;        ///< null for values
  PerBuffer<GpuAddress> buffers; ///< of the plan
  PerBuffer<BoundArray> bound;
  std::vector<ScalarValue> scalars;
  std::vector<std::shared_ptr<void>> memory; ///< of results, if any

  std::optional<dlpack::Device> device;
  std::vector<GivenArray> arrays;   ///< in the order of the parameters
  int64_t handle = 0;               ///< of the stream
  int64_t number = 0;               ///< the same stream in DLPack
  std::vector<nb::object> retained; ///< owners of arrays, until an event
};

CallableGpuKernel::CallableGpuKernel(GpuKernel compiled, nb::object libraries)
    : kernel(std::move(compiled)), libraries(std::move(libraries)) {
  importNumpy();
  parameters = makeParameters(kernel);
}

nb::object CallableGpuKernel::call(std::span<PyObject *const> arguments,
                                   nb::handle out, nb::handle stream) {
  size_t numArguments = kernel.numArguments(),
         numResults = parameters.size() - numArguments;
  checkCount(arguments.size(), numArguments, "argument", kernel.name());
  releaseArrays();
  OutArrays outs(out, numResults, kernel.name());
  size_t numGiven = outs.areGiven() ? parameters.size() : numArguments;
  auto given = [&](size_t i) {
    return i < numArguments ? nb::handle(arguments[i]) : outs[i - numArguments];
  };

  Call call(*this);
  for (size_t i = 0; i < numGiven; ++i)
    call.checkDevice(i, given(i));
  call.open();
  call.bindArrays(stream);
  call.checkOverlaps();
  if (outs.areGiven()) {
    call.run();
    return nb::borrow(out);
  }

  nb::object library;
  std::vector<nb::object> results;
  for (size_t i = numArguments; i < parameters.size(); ++i) {
    results.push_back(call.makeResult(i));
    if (!results.back().is_valid() && !library.is_valid())
      library = call.findLibrary();
  }
  call.run();
  return collectResults(numResults, [&](size_t i) {
    return results[i].is_valid() ? results[i]
                                 : call.wrap(numArguments + i, library);
  });
}

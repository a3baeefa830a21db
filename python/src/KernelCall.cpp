//===- Calls of a kernel from Python --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelCall.h"
#include "Refusal.h"
#include "Values.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace tonno;
using namespace tonno::python;
namespace nb = nanobind;

namespace tonno::python {

/// The memory of an array.
struct Range {
  const char *begin, *end;

  Range(const void *data, uint64_t bytes)
      : begin(static_cast<const char *>(data)), end(begin + bytes) {}
  bool overlaps(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
};

/// Storage for one value a buffer: on the stack for usual kernels.
template <typename T> class PerBuffer {
public:
  explicit PerBuffer(size_t count) {
    if (count > few.size())
      many.resize(count);
    values = count > few.size() ? many.data() : few.data();
  }
  PerBuffer(const PerBuffer &) = delete;
  PerBuffer &operator=(const PerBuffer &) = delete;

  T &operator[](size_t i) { return values[i]; }
  T *data() { return values; }

private:
  std::array<T, 8> few;
  std::vector<T> many;
  T *values;
};

} // namespace tonno::python

/// One call: what it binds lives until it ends.
class CallableKernel::Call {
public:
  explicit Call(CallableKernel &callee)
      : callee(callee), numBuffers(callee.kernel->numBuffers()),
        data(callee.kernel->plan().buffers.size()), bound(numBuffers),
        copies(numBuffers), slots(numBuffers) {}

  /// Binds an array of the caller's to a parameter.
  void bind(size_t index, nb::handle array) {
    const KernelParameter &parameter = callee.parameters[index];
    bound[index] = parameter.bind(array, slots[index]);
    data[index] = bound[index].data;
    if (!parameter.isAligned(data[index]))
      copyIn(index);
  }

  /// Allocates the memory of a result.
  void allocate(size_t index) {
    const KernelParameter &parameter = callee.parameters[index];
    copies[index] = allocateAligned(
        parameter.bytes(), std::max(parameter.alignment(), arrayAlignment));
    data[index] = copies[index].get();
  }

  /// Returns the memory that was allocated for a parameter.
  AlignedMemory takeMemory(size_t index) { return std::move(copies[index]); }

  /// Throws a Refusal if an array that is written overlaps another one.
  /// `count` is the number of buffers with arrays of the caller's.
  void checkOverlaps(size_t count) {
    for (size_t i = 0; i < count; ++i)
      if (callee.parameters[i].writes())
        for (size_t j = 0; j < count; ++j)
          if (i != j && rangeOf(i).overlaps(rangeOf(j)))
            callee.parameters[i].refuse("is written, and overlaps " +
                                        callee.parameters[j].label() +
                                        "; pass arrays that share no memory");
  }

  void run() {
    {
      nb::gil_scoped_release released;
      callee.kernel->run(data.data());
    }
    for (size_t i = 0; i < numBuffers; ++i)
      if (bound[i].data && copies[i] && callee.parameters[i].writes())
        std::memcpy(bound[i].data, copies[i].get(),
                    callee.parameters[i].bytes());
  }

private:
  Range rangeOf(size_t index) {
    return {bound[index].data, callee.parameters[index].bytes()};
  }

  /// Replaces a misaligned array by an aligned copy, and warns once.
  void copyIn(size_t index) {
    const KernelParameter &parameter = callee.parameters[index];
    if (parameter.writes() && !parameter.isDense())
      parameter.refuse("is aligned to " +
                       std::to_string(parameter.alignment()) +
                       " bytes, and the given array is not; pass a copy");
    if (!callee.hasWarned[index] && !parameter.isScalar()) {
      callee.hasWarned[index] = true;
      callee.warn(parameter.label(), parameter.alignment());
    }
    void *given = data[index];
    allocate(index);
    if (parameter.reads())
      std::memcpy(data[index], given, parameter.bytes());
  }

  CallableKernel &callee;
  size_t numBuffers;
  PerBuffer<void *> data;
  PerBuffer<BoundArray> bound;
  PerBuffer<AlignedMemory> copies;
  PerBuffer<ScalarSlot> slots;
};

CallableKernel::CallableKernel(std::shared_ptr<LoadedKernel> loaded,
                               nb::object warn, nb::object fromCapsule)
    : kernel(std::move(loaded)), hasWarned(kernel->numBuffers()),
      warn(std::move(warn)), fromCapsule(std::move(fromCapsule)) {
  importNumpy();
  parameters.reserve(kernel->numBuffers()); // each reads those before it
  for (const BufferSpec &buffer :
       kernel->signature().first(kernel->numBuffers()))
    parameters.emplace_back(buffer, kernel->name(), parameters);
}

/// Throws a TypeError if a call brings another number of arrays.
static void checkCount(size_t given, size_t expected, const char *noun,
                       const std::string &kernel) {
  if (given == expected)
    return;
  throw nb::type_error(
      ("kernel '" + kernel + "' has " + std::to_string(expected) + " " + noun +
       (expected == 1 ? "" : "s") + ", and " + std::to_string(given) +
       (given == 1 ? " was" : " were") + " given")
          .c_str());
}

nb::object CallableKernel::call(std::span<PyObject *const> arguments,
                                nb::handle out) {
  size_t numArguments = kernel->numArguments(),
         numResults = parameters.size() - numArguments;
  checkCount(arguments.size(), numArguments, "argument", kernel->name());
  Call call(*this);
  for (size_t i = 0; i < numArguments; ++i)
    call.bind(i, arguments[i]);

  if (out.is_valid() && !out.is_none()) {
    bool isSequence = PyTuple_Check(out.ptr()) || PyList_Check(out.ptr());
    nb::tuple outs =
        isSequence ? nb::tuple(nb::borrow(out)) : nb::make_tuple(out);
    checkCount(outs.size(), numResults, "result", kernel->name());
    for (size_t i = 0; i < numResults; ++i)
      call.bind(numArguments + i, outs[i]);
    call.checkOverlaps(parameters.size());
    call.run();
    return nb::borrow(out);
  }

  call.checkOverlaps(numArguments);
  for (size_t i = numArguments; i < parameters.size(); ++i)
    call.allocate(i);
  nb::object library = findArrayLibrary(arguments);
  call.run();
  auto makeArray = [&](size_t i) -> nb::object {
    const KernelParameter &result = parameters[numArguments + i];
    AlignedMemory memory = call.takeMemory(numArguments + i);
    if (library.is_valid())
      return fromCapsule(library, result.makeDlpackCapsule(std::move(memory)));
    return result.makeNumpyArray(std::move(memory));
  };
  if (numResults == 0)
    return nb::none();
  if (numResults == 1)
    return makeArray(0);
  nb::list results;
  for (size_t i = 0; i < numResults; ++i)
    results.append(makeArray(i));
  return nb::tuple(results);
}

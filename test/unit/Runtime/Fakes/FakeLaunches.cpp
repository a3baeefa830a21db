//===- The fake drivers' kernels, events, graphs --------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeState.h"

#include <cstring>
#include <sstream>

namespace fake {

template <typename T> static void make(void **handle) {
  *handle = new T();
  state.objects[*handle] = [](void *object) {
    delete static_cast<T *>(object);
  };
}

template <typename T> static Code destroy(void *handle) {
  if (!state.objects.erase(handle))
    return invalidHandle;
  delete static_cast<T *>(handle);
  return 0;
}

/// Parses the kernels of a fake binary; none if it is not a fake one.
static Module parse(const char *text) {
  Module module;
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != "TONNO-FAKE")
    return module;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    Kernel kernel;
    double microseconds = 0;
    words >> kernel.name >> kernel.operation >> kernel.elements;
    if (words >> microseconds)
      kernel.seconds = microseconds * 1e-6;
    if (int threads = 0; words >> threads)
      kernel.threads = threads;
    words >> kernel.sharedBytes;
    kernel.dynamicLimit = vendor.grantedSharedBytes;
    module.kernels[kernel.name] = kernel;
  }
  return module;
}

Code moduleLoad(void **module, const void *image, unsigned options, int *names,
                void **values) {
  const char *text = static_cast<const char *>(image);
  bool isElf = std::memcmp(text,
                           "\x7f"
                           "ELF",
                           4) == 0;
  Module parsed = parse(isElf ? text + 4 : text);
  if (parsed.kernels.empty()) {
    for (unsigned i = 0; i < options; ++i)
      if (names[i] == 5) // the log
        std::strcpy(static_cast<char *>(values[i]),
                    "line 1: not a fake binary");
    return isElf ? invalidImage : invalidPtx;
  }
  make<Module>(module);
  *static_cast<Module *>(*module) = std::move(parsed);
  return 0;
}

Code moduleUnload(void *module) { return destroy<Module>(module); }

Code moduleFunction(void **function, void *module, const char *name) {
  auto &kernels = static_cast<Module *>(module)->kernels;
  auto found = kernels.find(name);
  if (found == kernels.end())
    return notFound;
  *function = &found->second;
  return 0;
}

Code functionAttribute(int *value, int attribute, void *function) {
  auto *kernel = static_cast<Kernel *>(function);
  *value = attribute == 0 ? kernel->threads : kernel->sharedBytes;
  return attribute <= 1 ? 0 : invalidValue;
}

Code functionLoad(void *function) {
  static_cast<Kernel *>(function)->isLoaded = true;
  return 0;
}

Code functionSetAttribute(void *function, int attribute, int value) {
  if (attribute != 8)
    return invalidValue;
  static_cast<Kernel *>(function)->dynamicLimit = static_cast<unsigned>(value);
  return 0;
}

void submit(Node node) {
  if (state.isCapturing)
    return state.captured.push_back(std::move(node));
  state.now += launchSeconds;
  node();
}

static size_t countBuffers(const Kernel &kernel) {
  if (kernel.operation == "nothing")
    return kernel.elements;
  return kernel.operation == "add" || kernel.operation == "waits" ? 1 : 2;
}

static std::string triple(unsigned x, unsigned y, unsigned z) {
  return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z);
}

Code launch(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
            unsigned blockX, unsigned blockY, unsigned blockZ,
            unsigned sharedBytes, void *stream, void **parameters, void **) {
  auto *kernel = static_cast<Kernel *>(function);
  if (!isStream(stream))
    return invalidHandle;
  if (sharedBytes > kernel->dynamicLimit)
    return invalidValue;
  if (!kernel->isLoaded && setting("FAKE_DRIVER_LAZY", nullptr))
    state.now += 1e-3;
  kernel->isLoaded = true;
  std::vector<uint64_t> addresses;
  std::string buffers;
  for (size_t i = 0; i < countBuffers(*kernel); ++i) {
    addresses.push_back(*static_cast<uint64_t *>(parameters[i]));
    buffers += (i ? "," : "") + hex(addresses.back());
  }
  note("launch " + kernel->name + " grid=" + triple(gridX, gridY, gridZ) +
       " block=" + triple(blockX, blockY, blockZ) +
       " shared=" + std::to_string(sharedBytes) + " stream=" + hex(stream) +
       " buffers=" + buffers);
  submit([kernel = *kernel, addresses] {
    compute(kernel, addresses);
    state.now += kernel.seconds;
  });
  return 0;
}

Code streamCreate(void **stream, unsigned) {
  make<int>(stream);
  return 0;
}
Code streamWait(void *stream, void *event, unsigned) {
  if (!isStream(stream) || !state.objects.count(event))
    return invalidHandle;
  note("wait " + hex(event) + " stream=" + hex(stream));
  return 0;
}
Code streamDestroy(void *stream) { return destroy<int>(stream); }

Code eventCreate(void **event, unsigned) {
  make<Event>(event);
  return 0;
}
Code eventDestroy(void *event) { return destroy<Event>(event); }

Code eventRecord(void *event, void *stream) {
  note("record " + hex(event) + " stream=" + hex(stream));
  auto *recorded = static_cast<Event *>(event);
  recorded->isCaptured = state.isCapturing;
  if (state.isCapturing)
    return 0; // it orders, it keeps no time
  *recorded = {true, state.now};
  return 0;
}

Code eventRecordWithFlags(void *event, void *stream, unsigned flags) {
  if (!state.isCapturing || flags != 1)
    return eventRecord(event, stream);
  state.captured.push_back(
      [event] { *static_cast<Event *>(event) = {true, state.now}; });
  return 0;
}

Code eventQuery(void *event) {
  if (!state.objects.count(event))
    return invalidHandle;
  constexpr int relaxed = 2;
  bool isCaptured = static_cast<Event *>(event)->isCaptured;
  if (isCaptured || (state.isCapturing && threadState.captureMode != relaxed)) {
    state.isCapturing = false; // the capture is invalid
    return isCaptured ? capturedEvent : captureUnsupported;
  }
  return setting("FAKE_DRIVER_BUSY", nullptr) ? notReady : 0;
}

Code eventElapsed(float *milliseconds, void *start, void *stop) {
  auto *from = static_cast<Event *>(start), *to = static_cast<Event *>(stop);
  if (!from->isRecorded || !to->isRecorded)
    return invalidHandle;
  *milliseconds = static_cast<float>((to->at - from->at) * 1e3);
  return 0;
}

Code streamIsCapturing(void *, int *status) {
  *status = state.isCapturing;
  return 0;
}

Code exchangeCaptureMode(int *mode) {
  std::swap(*mode, threadState.captureMode);
  return 0;
}

Code captureBegin(void *, int) {
  if (state.isCapturing)
    return captureUnmatched;
  state.isCapturing = true;
  state.captured.clear();
  return 0;
}

Code captureEnd(void *, void **graph) {
  if (!state.isCapturing)
    return captureUnmatched;
  state.isCapturing = false;
  make<Graph>(graph);
  static_cast<Graph *>(*graph)->nodes = std::move(state.captured);
  return 0;
}

Code graphInstantiate(void **exec, void *graph, unsigned long long) {
  make<Graph>(exec);
  *static_cast<Graph *>(*exec) = *static_cast<Graph *>(graph);
  return 0;
}

Code graphLaunch(void *exec, void *) {
  state.now += launchSeconds;
  for (const Node &node : static_cast<Graph *>(exec)->nodes)
    node();
  return 0;
}

Code graphUpload(void *, void *) { return 0; }
Code graphDestroy(void *graph) { return destroy<Graph>(graph); }
Code graphExecDestroy(void *exec) { return destroy<Graph>(exec); }

} // namespace fake

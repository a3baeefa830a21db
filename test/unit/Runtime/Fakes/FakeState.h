//===- State of the fake GPU drivers --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_FAKES_FAKESTATE_H
#define TONNO_FAKES_FAKESTATE_H

#include "FakeGpu.h"

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fake {

inline constexpr Code invalidValue = 1, outOfMemory = 2, invalidDevice = 101,
                      invalidImage = 200, invalidPtx = 218, invalidHandle = 400,
                      notFound = 500, notReady = 600, illegalAddress = 700,
                      misalignedAddress = 716, captureUnsupported = 900,
                      captureUnmatched = 903, capturedEvent = 907;

inline constexpr double launchSeconds = 4e-6;

struct Kernel {
  std::string name, operation;
  size_t elements = 0;
  double seconds = 5e-6;
  int threads = 1024;
  int sharedBytes = 0;
  unsigned dynamicLimit = 0;
  bool isLoaded = false;
};

struct Module {
  std::map<std::string, Kernel> kernels;
};

struct Event {
  bool isRecorded = false;
  double at = 0;
  bool isCaptured = false; ///< last recorded in a capture
};

/// Command in a stream or a graph.
using Node = std::function<void()>;

struct Graph {
  std::vector<Node> nodes;
};

struct State {
  std::map<std::string, int> calls; ///< by function
  std::map<uint64_t, size_t> memory;
  size_t used = 0;
  /// Live handles, each with its deleter.
  std::map<void *, void (*)(void *)> objects;
  int contexts = 0; ///< retained and not released
  /// The addresses are the devices' contexts.
  std::array<char, 8> devices = {};
  std::string log;
  double now = 0;   ///< seconds
  Code pending = 0; ///< shows when the stream is waited for
  Code broken = 0;  ///< what each call returns from then on
  bool hangs = false;
  bool isInitialized = false;
  bool isCapturing = false;
  std::vector<Node> captured;
};

/// State of the calling thread.
struct ThreadState {
  int current = -1;    ///< device of the context; -1: none
  int captureMode = 0; ///< 2 is relaxed
};

extern State state;
extern thread_local ThreadState threadState;

const char *setting(const char *name, const char *otherwise);

/// Adds a line to the log, with the current device.
void note(const std::string &line);
/// Returns "0x1f".
std::string hex(uint64_t number);
std::string hex(const void *handle);

/// Returns true for a created stream and for the default ones: 0, 1 and 2.
bool isStream(void *stream);

/// Runs it, or keeps it for the graph that is being captured.
void submit(Node node);

/// Applies the kernel to memory; the clock is advanced elsewhere.
void compute(const Kernel &kernel, const std::vector<uint64_t> &addresses);

} // namespace fake

#endif // TONNO_FAKES_FAKESTATE_H

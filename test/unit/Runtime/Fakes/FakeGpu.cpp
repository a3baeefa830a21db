//===- The fake drivers' devices and memory -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeState.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <unistd.h>

namespace fake {

State state;
thread_local ThreadState threadState;
std::mutex lock;

const char *setting(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

static int numberOf(const std::string &text) {
  return static_cast<int>(std::strtol(text.c_str(), nullptr, 10));
}

/// Returns the code of FAKE_DRIVER_FAIL for this call of the function.
static Code injected(const std::string &function, int call) {
  std::istringstream specs(setting("FAKE_DRIVER_FAIL", ""));
  for (std::string spec; std::getline(specs, spec, ',');) {
    std::istringstream parts(spec);
    std::string name, code, nth = "1";
    std::getline(parts, name, ':');
    std::getline(parts, code, ':');
    if (std::string given; std::getline(parts, given, ':'))
      nth = given;
    if (function == name && (numberOf(nth) == 0 || numberOf(nth) == call))
      return numberOf(code);
  }
  return 0;
}

static bool breaksContext(Code code) {
  return code == 700 || code == 702 || code == 710 ||
         (code >= 714 && code <= 719);
}

Code enter(const char *function) {
  int call = ++state.calls[function];
  bool isAboutErrors = std::strstr(function, "GetError") != nullptr;
  if (state.broken && !isAboutErrors)
    return state.broken;
  Code code = injected(function, call);
  if (breaksContext(code))
    state.broken = code;
  return code;
}

/// Blocks begin at a multiple of this number, and of no larger power of two.
static constexpr uint64_t blockAlignment = 256;

static void freeBlock(uint64_t address) {
  std::free(reinterpret_cast<void *>(address - blockAlignment));
}

FAKE_EXPORT void fakeReset() {
  for (auto [address, bytes] : state.memory)
    freeBlock(address);
  for (auto [object, destroy] : state.objects)
    destroy(object);
  state = State();
  threadState = ThreadState();
}
FAKE_EXPORT int fakeCalls(const char *function) {
  std::lock_guard guard(lock);
  return state.calls[function];
}
/// Handles and blocks of memory that were not given back.
FAKE_EXPORT int fakeLive() {
  std::lock_guard guard(lock);
  return static_cast<int>(state.objects.size() + state.memory.size()) +
         state.contexts;
}

/// The log: "<device> launch <kernel> grid=x,y,z block=x,y,z shared=n stream=s
/// buffers=a,b", "<device> allocate <address> <bytes>", "<device> free
/// <address>", the last two with "-async ... stream=s" in the order of a
/// stream,
/// "<device> fill <address> <word>... stream=s", "<device> record <event>
/// stream=s", "<device> wait <event> stream=s".
FAKE_EXPORT const char *fakeLog() {
  thread_local std::string copy; // other threads may append to the log
  std::lock_guard guard(lock);
  copy = state.log;
  return copy.c_str();
}

std::string hex(uint64_t number) {
  std::ostringstream text;
  text << "0x" << std::hex << number;
  return text.str();
}

std::string hex(const void *handle) {
  return hex(reinterpret_cast<uint64_t>(handle));
}

void note(const std::string &line) {
  state.log += std::to_string(threadState.current) + " " + line + "\n";
}

bool isStream(void *stream) {
  return reinterpret_cast<uint64_t>(stream) <= 2 ||
         state.objects.count(stream) > 0;
}

static int deviceTotal() {
  return numberOf(setting("FAKE_DRIVER_DEVICES", "1"));
}

static bool isDevice(int device) {
  return device >= 0 && device < deviceTotal();
}

Code init(unsigned) {
  state.isInitialized = true;
  return 0;
}

Code driverVersion(int *version) {
  const char *other = setting("FAKE_DRIVER_VERSION", nullptr);
  *version = other ? numberOf(other) : vendor.version;
  return 0;
}

Code errorName(Code code, const char **name) {
  static std::string text;
  text = "FAKE_ERROR_" + std::to_string(code);
  *name = text.c_str();
  return 0;
}

Code errorString(Code code, const char **text) {
  if (code == 719)
    return invalidValue; // a driver need not know its own codes
  *text = "as it was told to";
  return 0;
}

Code deviceCount(int *count) {
  if (!state.isInitialized)
    return 3;
  *count = deviceTotal();
  return 0;
}

Code deviceGet(int *device, int index) {
  if (!isDevice(index))
    return invalidDevice;
  *device = index;
  return 0;
}

Code deviceName(char *name, int bytes, int device) {
  std::snprintf(name, static_cast<size_t>(bytes), "%s %d", vendor.name, device);
  return isDevice(device) ? 0 : invalidDevice;
}

Code deviceUuid(unsigned char *uuid, int device) {
  for (int i = 0; i < 16; ++i)
    uuid[i] = static_cast<unsigned char>(i == 0 ? 0x10 * (device + 1) : i);
  return isDevice(device) ? 0 : invalidDevice;
}

Code deviceBusId(char *text, int bytes, int device) {
  std::snprintf(text, static_cast<size_t>(bytes), "0000:1%d:00.0", device);
  return isDevice(device) ? 0 : invalidDevice;
}

static size_t memoryBytes() {
  return std::strtoull(setting("FAKE_DRIVER_MEMORY", "1073741824"), nullptr,
                       10);
}

Code deviceMemory(size_t *bytes, int device) {
  *bytes = memoryBytes();
  return isDevice(device) ? 0 : invalidDevice;
}

Code deviceAttribute(int *value, int attribute, int device) {
  constexpr int values[] = {1024,  1024,  1024,      64,         2147483647,
                            65535, 65535, 48 * 1024, 227 * 1024, 1 << 20};
  constexpr int major = 75, minor = 76; // of CUDA
  if (!isDevice(device))
    return invalidDevice;
  for (size_t i = 0; i < 10; ++i)
    if (attribute == vendor.attributes[i]) {
      *value = values[i];
      return 0;
    }
  int chip = numberOf(setting("FAKE_DRIVER_CHIP", vendor.chip));
  if (attribute != major && attribute != minor)
    return invalidValue;
  *value = attribute == major ? chip / 10 : chip % 10;
  return 0;
}

Code deviceProperties(void *properties, int device) {
  std::strcpy(static_cast<char *>(properties) + 1160, // gcnArchName
              setting("FAKE_DRIVER_CHIP", vendor.chip));
  return isDevice(device) ? 0 : invalidDevice;
}

Code deviceSet(int device) {
  if (!isDevice(device))
    return invalidDevice;
  threadState.current = device;
  return 0;
}

Code deviceGetCurrent(int *device) {
  *device =
      std::max(threadState.current, 0); // HIP's threads start with device 0
  return 0;
}

Code contextRetain(void **context, int device) {
  if (!isDevice(device))
    return invalidDevice;
  *context = &state.devices.at(static_cast<size_t>(device));
  ++state.contexts;
  return 0;
}

Code contextRelease(int) {
  --state.contexts;
  return 0;
}

Code contextGetCurrent(void **context) {
  *context = threadState.current < 0
                 ? nullptr
                 : &state.devices.at(static_cast<size_t>(threadState.current));
  return 0;
}

Code contextSetCurrent(void *context) {
  if (!context) {
    threadState.current = -1;
    return 0;
  }
  for (int device = 0; device < deviceTotal(); ++device)
    if (context == &state.devices.at(static_cast<size_t>(device))) {
      threadState.current = device;
      return 0;
    }
  return invalidHandle;
}

static Code take(uint64_t *address, size_t bytes) {
  if (bytes == 0)
    return invalidValue;
  if (state.used + bytes > memoryBytes())
    return outOfMemory;
  void *block =
      std::aligned_alloc(4096, (blockAlignment + bytes + 4095) / 4096 * 4096);
  if (!block)
    return outOfMemory;
  *address = reinterpret_cast<uint64_t>(block) + blockAlignment;
  state.memory[*address] = bytes;
  state.used += bytes;
  return 0;
}

Code allocate(uint64_t *address, size_t bytes) {
  if (Code code = take(address, bytes))
    return code;
  note("allocate " + hex(*address) + " " + std::to_string(bytes));
  return 0;
}

Code allocateAsync(uint64_t *address, size_t bytes, void *stream) {
  if (!isStream(stream))
    return invalidHandle;
  if (Code code = take(address, bytes))
    return code;
  note("allocate-async " + hex(*address) + " " + std::to_string(bytes) +
       " stream=" + hex(stream));
  return 0;
}

static Code giveBack(uint64_t address) {
  auto found = state.memory.find(address);
  if (found == state.memory.end())
    return invalidValue;
  state.used -= found->second;
  state.memory.erase(found);
  freeBlock(address);
  return 0;
}

Code free(uint64_t address) {
  note("free " + hex(address));
  return giveBack(address);
}

Code freeAsync(uint64_t address, void *stream) {
  if (!isStream(stream))
    return invalidHandle;
  note("free-async " + hex(address) + " stream=" + hex(stream));
  return giveBack(address);
}

/// Returns true if these bytes are in one allocated block.
static bool isOurs(uint64_t address, size_t bytes) {
  auto next = state.memory.upper_bound(address);
  if (next == state.memory.begin())
    return false;
  auto [start, size] = *std::prev(next);
  return address + bytes <= start + size;
}

Code upload(uint64_t to, const void *from, size_t bytes, void *) {
  if (!isOurs(to, bytes))
    return invalidValue;
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}

Code download(void *to, uint64_t from, size_t bytes, void *) {
  if (!isOurs(from, bytes))
    return invalidValue;
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}

Code copy(uint64_t to, uint64_t from, size_t bytes, void *) {
  if (!isOurs(to, bytes) || !isOurs(from, bytes))
    return invalidValue;
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  state.now += static_cast<double>(bytes) * 1e-12;
  return 0;
}

Code fill(uint64_t to, unsigned char value, size_t bytes, void *) {
  if (!isOurs(to, bytes))
    return invalidValue;
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  state.now += static_cast<double>(bytes) * 1e-12;
  return 0;
}

Code fillWords(uint64_t to, unsigned value, size_t count, void *stream) {
  if (!isStream(stream))
    return invalidHandle;
  if (!isOurs(to, count * sizeof value))
    return invalidValue;
  std::string words;
  for (size_t i = 0; i < count; ++i) {
    std::memcpy(reinterpret_cast<char *>(to) + i * sizeof value, &value,
                sizeof value);
    words += " " + hex(value);
  }
  note("fill " + hex(to) + words + " stream=" + hex(stream));
  return 0;
}

void compute(const Kernel &kernel, const std::vector<uint64_t> &addresses) {
  if (kernel.operation == "nothing")
    return;
  if (kernel.operation == "waits") {
    auto *flag = reinterpret_cast<const volatile int *>(addresses.front());
    lock.unlock(); // which the function of the driver holds
    while (*flag == 0)
      ::usleep(100);
    lock.lock();
    return;
  }
  auto *from = reinterpret_cast<const float *>(addresses.front());
  auto *to = reinterpret_cast<float *>(addresses.back());
  if (kernel.operation == "trap") {
    state.pending = illegalAddress;
    return;
  }
  if (kernel.operation == "misaligned") {
    state.pending = misalignedAddress;
    return;
  }
  if (kernel.operation == "endless") {
    state.hangs = true;
    return;
  }
  bool isSum = kernel.operation == "add";
  for (size_t i = 0; i < kernel.elements; ++i)
    to[i] = isSum ? from[i] + 1 : 2 * from[i];
  if (kernel.operation == "wrong")
    to[kernel.elements - 1] += 1;
  if (kernel.operation == "beyond")
    to[kernel.elements] = 0;
}

Code streamSynchronize(void *stream) {
  if (!isStream(stream))
    return invalidHandle;
  while (state.hangs)
    ::pause();
  if (state.pending)
    state.broken = state.pending;
  return state.pending;
}

} // namespace fake

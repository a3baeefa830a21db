//===- Common parts of the fake GPU drivers -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_FAKES_FAKEGPU_H
#define TONNO_FAKES_FAKEGPU_H

#include <cstddef>
#include <cstdint>
#include <mutex>

/// A driver whose device is this process's memory and whose clock stands still
/// unless something runs. FakeCuda.cpp and FakeHip.cpp give its functions their
/// vendors' names.
///
/// A binary is text, perhaps behind the four bytes of an ELF file:
///
///     TONNO-FAKE
///     <kernel> <operation> <elements> [<microseconds> [<threads> [<shared>]]]
///
/// where the operation is `scale` (doubles), `wrong`, `beyond`, `add` (1 to
/// each element, in place), `trap`, `misaligned`, `endless`, `waits` (until the
/// first word of its buffer is not 0, in the launch itself) or `nothing`, which
/// takes as many buffers as there would be elements.
///
/// Calls that change a stream or memory are logged: see fakeLog.
///
/// Environment:
///   FAKE_DRIVER_FAIL     function:code[:n],...: its nth call (the first)
///   fails;
///                        with n = 0 each one
///   FAKE_DRIVER_DEVICES  how many (1)
///   FAKE_DRIVER_VERSION  instead of the vendor's newest
///   FAKE_DRIVER_CHIP     "90", "gfx942:sramecc+:xnack-"
///   FAKE_DRIVER_MEMORY   bytes of each device
///   FAKE_DRIVER_LAZY     if set, a kernel that was not loaded before takes 1
///   ms
///                        more when it is first launched
///   FAKE_DRIVER_BUSY     if set, no event has passed
namespace fake {

using Code = int;

/// Guards the state.
extern std::mutex lock;

/// Differences between the vendors.
struct Vendor {
  int version;
  const char *chip;
  const char *name;
  int attributes[10]; ///< threads, block x to z, grid x to z, shared, opted in,
                      ///< cache
  unsigned grantedSharedBytes; ///< without functionSetAttribute
};
extern const Vendor vendor;

/// Counts the call of a function, and fails as configured, or if the context is
/// broken. Called first by each function.
Code enter(const char *function);

Code init(unsigned flags);
Code driverVersion(int *version);
Code errorName(Code code, const char **name);
Code errorString(Code code, const char **text);
Code deviceCount(int *count);
Code deviceGet(int *device, int index);
Code deviceName(char *name, int bytes, int device);
Code deviceUuid(unsigned char *uuid, int device);
Code deviceBusId(char *text, int bytes, int device);
Code deviceMemory(size_t *bytes, int device);
Code deviceAttribute(int *value, int attribute, int device);
Code deviceProperties(void *properties, int device);
Code deviceSet(int device);
Code contextRetain(void **context, int device);
Code contextRelease(int device);
Code contextGetCurrent(void **context);
Code contextSetCurrent(void *context);
Code deviceGetCurrent(int *device);
Code allocate(uint64_t *address, size_t bytes);
Code free(uint64_t address);
Code allocateAsync(uint64_t *address, size_t bytes, void *stream);
Code freeAsync(uint64_t address, void *stream);
Code upload(uint64_t to, const void *from, size_t bytes, void *stream);
Code download(void *to, uint64_t from, size_t bytes, void *stream);
Code copy(uint64_t to, uint64_t from, size_t bytes, void *stream);
Code fill(uint64_t to, unsigned char value, size_t bytes, void *stream);
Code fillWords(uint64_t to, unsigned value, size_t count, void *stream);
Code moduleLoad(void **module, const void *image, unsigned options, int *names,
                void **values);
Code moduleUnload(void *module);
Code moduleFunction(void **function, void *module, const char *name);
Code functionAttribute(int *value, int attribute, void *function);
Code functionLoad(void *function);
Code functionSetAttribute(void *function, int attribute, int value);
Code launch(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
            unsigned blockX, unsigned blockY, unsigned blockZ,
            unsigned sharedBytes, void *stream, void **parameters,
            void **extra);
Code streamCreate(void **stream, unsigned flags);
Code streamDestroy(void *stream);
Code streamSynchronize(void *stream);
Code streamWait(void *stream, void *event, unsigned flags);
Code eventCreate(void **event, unsigned flags);
Code eventDestroy(void *event);
Code eventRecord(void *event, void *stream);
Code eventRecordWithFlags(void *event, void *stream, unsigned flags);
Code eventQuery(void *event);
Code eventElapsed(float *milliseconds, void *start, void *stop);
Code streamIsCapturing(void *stream, int *status);
Code exchangeCaptureMode(int *mode);
Code captureBegin(void *stream, int mode);
Code captureEnd(void *stream, void **graph);
Code graphInstantiate(void **exec, void *graph, unsigned long long flags);
Code graphLaunch(void *exec, void *stream);
Code graphUpload(void *exec, void *stream);
Code graphDestroy(void *graph);
Code graphExecDestroy(void *exec);

} // namespace fake

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

/// Defines a function of the driver. Calls of several threads run in turn.
#define FAKE(name, parameters, body)                                           \
  FAKE_EXPORT int name parameters {                                            \
    std::lock_guard guard(fake::lock);                                         \
    if (int code = fake::enter(#name))                                         \
      return code;                                                             \
    return fake::body;                                                         \
  }

#endif // TONNO_FAKES_FAKEGPU_H

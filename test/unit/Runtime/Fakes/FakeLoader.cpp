//===- OpenCL's fake loader -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FakeLoader.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

using namespace tonno;

namespace {

struct Memory {
  std::vector<std::byte> own;
  std::byte *bytes = nullptr;
};
struct Program {
  std::string text;
};
struct Kernel {
  std::map<uint32_t, std::vector<std::byte>> arguments;
  uint64_t localArgument = 0;
};
/// Platform, device, context, queue and event: nothing but an address.
struct Thing {};

FakeLoader fake;
Thing platform, device;
/// Objects that were made and not released. A real driver knows them: objects
/// that a lost device leaves behind end with the process and are no leaks.
/// Never destroyed, as the leak check runs later.
std::set<void *> &living = *new std::set<void *>;

template <typename T>
int give(const T &value, size_t bytes, void *to, size_t *needed) {
  if (needed)
    *needed = sizeof value;
  if (to && bytes >= sizeof value)
    std::memcpy(to, &value, sizeof value);
  return 0;
}

int giveText(const std::string &text, size_t bytes, void *to, size_t *needed) {
  if (needed)
    *needed = text.size() + 1;
  if (to && bytes > text.size())
    std::memcpy(to, text.c_str(), text.size() + 1);
  return 0;
}

template <typename T> T *made(int *code, T *object, int how = 0) {
  if (code)
    *code = how;
  if (how != 0) {
    delete object;
    return nullptr;
  }
  ++fake.objects;
  living.insert(object);
  return object;
}

template <typename T> int released(void *object) {
  living.erase(object);
  delete static_cast<T *>(object);
  --fake.objects;
  return 0;
}

constexpr int invalidValue = -30;

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE FakeLoader *tonnoFakeLoader() { return &fake; }

FAKE int clGetPlatformIDs(uint32_t count, void **platforms, uint32_t *found) {
  if (!fake.hasPlatform)
    return -1001;
  *found = 1;
  if (count > 0)
    platforms[0] = &platform;
  return 0;
}

FAKE int clGetPlatformInfo(void *, uint32_t name, size_t bytes, void *to,
                           size_t *needed) {
  return giveText(name == 0x0902 ? "tonno's fake" : "OpenCL 1.2 fake", bytes,
                  to, needed);
}

FAKE int clGetDeviceIDs(void *, uint64_t, uint32_t, void **devices,
                        uint32_t *found) {
  *found = 1;
  devices[0] = &device;
  return 0;
}

FAKE int clGetDeviceInfo(void *, uint32_t name, size_t bytes, void *to,
                         size_t *needed) {
  switch (name) {
  case 0x1000:
    return give(uint64_t(fake.isCpu ? 2 : 4), bytes, to, needed);
  case 0x1019:
    return give(fake.baseAlignBits, bytes, to, needed);
  case 0x101E:
    return give(uint64_t(4096), bytes, to, needed);
  case 0x101F:
  case 0x1023:
    return give(uint64_t(1 << 16), bytes, to, needed);
  case 0x102B:
    return giveText("fake device", bytes, to, needed);
  case 0x102D:
    return giveText("1.5", bytes, to, needed);
  default:
    return giveText("OpenCL 1.2 device", bytes, to, needed);
  }
}

FAKE void *clCreateContext(const intptr_t *, uint32_t, void *const *, void *,
                           void *, int *code) {
  return made(code, new Thing);
}
FAKE int clReleaseContext(void *context) { return released<Thing>(context); }
FAKE void *clCreateCommandQueue(void *, void *, uint64_t properties,
                                int *code) {
  return made(code, new Thing, properties == 2 ? 0 : invalidValue);
}
FAKE int clReleaseCommandQueue(void *queue) { return released<Thing>(queue); }
FAKE int clFinish(void *) { return fake.finishCode; }

FAKE void *clCreateBuffer(void *, uint64_t, size_t bytes, void *, int *code) {
  auto *memory = new Memory{std::vector<std::byte>(bytes)};
  memory->bytes = memory->own.data();
  return made(code, memory, fake.allocateCode);
}

FAKE void *clCreateSubBuffer(void *parent, uint64_t, uint32_t,
                             const void *region, int *code) {
  size_t places[2];
  std::memcpy(places, region, sizeof places);
  bool isAligned = places[0] % (fake.baseAlignBits / 8) == 0;
  auto *memory = new Memory{};
  memory->bytes = static_cast<Memory *>(parent)->bytes + places[0];
  return made(code, memory, isAligned ? 0 : -13);
}
FAKE int clReleaseMemObject(void *memory) { return released<Memory>(memory); }

FAKE int clEnqueueWriteBuffer(void *, void *memory, uint32_t, size_t offset,
                              size_t bytes, const void *from, uint32_t,
                              const void *, void *) {
  std::memcpy(static_cast<Memory *>(memory)->bytes + offset, from, bytes);
  return 0;
}
FAKE int clEnqueueReadBuffer(void *, void *memory, uint32_t, size_t offset,
                             size_t bytes, void *to, uint32_t, const void *,
                             void *) {
  std::memcpy(to, static_cast<Memory *>(memory)->bytes + offset, bytes);
  return 0;
}
FAKE int clEnqueueFillBuffer(void *, void *, const void *, size_t, size_t,
                             size_t bytes, uint32_t, const void *, void *) {
  fake.filled += bytes;
  return 0;
}

FAKE void *clCreateProgramWithSource(void *, uint32_t, const char **texts,
                                     const size_t *lengths, int *code) {
  return made(code, new Program{std::string(texts[0], lengths[0])});
}
FAKE void *clCreateProgramWithBinary(void *, uint32_t, void *const *,
                                     const size_t *lengths,
                                     const unsigned char **binaries, int *each,
                                     int *code) {
  *each = fake.binaryCode;
  return made(code,
              new Program{std::string(
                  reinterpret_cast<const char *>(binaries[0]), lengths[0])},
              fake.binaryCode);
}
FAKE int clBuildProgram(void *, uint32_t, void *const *, const char *options,
                        void *, void *) {
  fake.options.emplace_back(options);
  return fake.build ? fake.build(options) : fake.buildCode;
}
FAKE int clGetProgramInfo(void *program, uint32_t name, size_t bytes, void *to,
                          size_t *needed) {
  const std::string text = "built " + static_cast<Program *>(program)->text;
  if (name == 0x1165)
    return give(fake.givesBinaries ? text.size() : size_t{0}, bytes, to,
                needed);
  if (name == 0x1166) {
    std::memcpy(*static_cast<unsigned char **>(to), text.data(), text.size());
    return 0;
  }
  return giveText("scale;other", bytes, to, needed);
}
FAKE int clGetProgramBuildInfo(void *, void *, uint32_t, size_t bytes, void *to,
                               size_t *needed) {
  return giveText(fake.buildLog, bytes, to, needed);
}
FAKE int clReleaseProgram(void *program) { return released<Program>(program); }

FAKE void *clCreateKernel(void *, const char *name, int *code) {
  bool isKnown = std::string(name) == "scale";
  return made(code, new Kernel, isKnown ? 0 : -46);
}
FAKE int clReleaseKernel(void *kernel) { return released<Kernel>(kernel); }
FAKE int clGetKernelInfo(void *, uint32_t, size_t bytes, void *to,
                         size_t *needed) {
  return give(uint32_t{4}, bytes, to, needed);
}
FAKE int clGetKernelArgInfo(void *, uint32_t index, uint32_t name, size_t bytes,
                            void *to, size_t *needed) {
  if (!fake.tellsArguments)
    return -19;
  static constexpr uint32_t spaces[] = {0x119B, 0x119B, 0x119E, 0x119C};
  static constexpr const char *types[] = {"float*", "float*", "float",
                                          "float*"};
  static constexpr const char *names[] = {"x", "y", "a", "scratch"};
  switch (name) {
  case 0x1196:
    return give(spaces[index], bytes, to, needed);
  case 0x1199:
    return give(uint64_t(index == 0 ? 1 : 0), bytes, to, needed);
  case 0x1198:
    return giveText(types[index], bytes, to, needed);
  default:
    return giveText(names[index], bytes, to, needed);
  }
}
FAKE int clGetKernelWorkGroupInfo(void *kernel, void *, uint32_t name,
                                  size_t bytes, void *to, size_t *needed) {
  switch (name) {
  case 0x11B0:
    return give(fake.mostWorkItems, bytes, to, needed);
  case 0x11B1:
    return give(fake.required, bytes, to, needed);
  case 0x11B2:
    return give(fake.localBytes + static_cast<Kernel *>(kernel)->localArgument,
                bytes, to, needed);
  default:
    return give(uint64_t{48}, bytes, to, needed);
  }
}
FAKE int clSetKernelArg(void *kernel, uint32_t index, size_t bytes,
                        const void *value) {
  auto *ours = static_cast<Kernel *>(kernel);
  if (index == 3) {
    ours->localArgument = bytes;
    return value ? -50 : 0;
  }
  const auto *from = static_cast<const std::byte *>(value);
  if (!value || bytes != (index == 2 ? sizeof(float) : sizeof(void *)))
    return -51;
  ours->arguments[index].assign(from, from + bytes);
  return 0;
}

FAKE int clEnqueueNDRangeKernel(void *, void *kernel, uint32_t dimensions,
                                const size_t *, const size_t *global,
                                const size_t *local, uint32_t, const void *,
                                void **event) {
  if (fake.launchCode != 0)
    return fake.launchCode;
  std::array<size_t, 3> sizes = {1, 1, 1}, groups = {};
  if (local)
    groups = {1, 1, 1};
  for (uint32_t d = 0; d < dimensions; ++d) {
    sizes[d] = global[d];
    groups[d] = local ? local[d] : 0;
  }
  fake.dimensions.push_back(dimensions);
  fake.globals.push_back(sizes);
  fake.locals.push_back(groups);
  auto &arguments = static_cast<Kernel *>(kernel)->arguments;
  Memory *memories[2];
  float factor = 0;
  std::memcpy(static_cast<void *>(&memories[0]), arguments.at(0).data(),
              sizeof(void *));
  std::memcpy(static_cast<void *>(&memories[1]), arguments.at(1).data(),
              sizeof(void *));
  std::memcpy(&factor, arguments.at(2).data(), sizeof factor);
  for (size_t i = 0; i < sizes[0] * sizes[1] * sizes[2]; ++i) {
    float value = 0;
    std::memcpy(&value, memories[0]->bytes + i * sizeof value, sizeof value);
    value *= factor;
    std::memcpy(memories[1]->bytes + i * sizeof value, &value, sizeof value);
  }
  *event = made(nullptr, new Thing);
  return 0;
}

FAKE int clGetEventInfo(void *, uint32_t, size_t bytes, void *to,
                        size_t *needed) {
  return give(fake.eventStatus, bytes, to, needed);
}
FAKE int clGetEventProfilingInfo(void *, uint32_t name, size_t bytes, void *to,
                                 size_t *needed) {
  uint64_t start = 5'000'000;
  return give(name == 0x1282 ? start : start + fake.runNs, bytes, to, needed);
}
FAKE int clReleaseEvent(void *event) { return released<Thing>(event); }

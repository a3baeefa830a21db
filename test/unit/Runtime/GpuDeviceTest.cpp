//===- Memory, binaries and launches of a GPU -----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "GPU/GpuDevice.h"
#include "Sampling/BufferSet.h"

#include "FakeDrivers.h"

#include <gmock/gmock.h>
#include <sstream>

using namespace tonno;
using testing::AllOf;
using testing::HasSubstr;

namespace {

class GpuDeviceTest : public FakeDriverTest {
protected:
  /// Returns the failure to load an artifact.
  Failure refusal(Device &device, const Artifact &artifact) {
    auto loaded = device.load(artifact);
    EXPECT_FALSE(loaded.ok());
    return loaded ? Failure{Status::ok, ""} : loaded.error();
  }
};

/// 1024 numbers in, 1024 numbers out.
struct Buffers {
  explicit Buffers(Device &device)
      : memory(*DeviceBlock::allocate(device, 8192 + 4)) {}
  std::vector<DevicePointer> pointers() {
    return {memory.start(), memory.start() + 4096};
  }
  DeviceBlock memory;
};

} // namespace

TONNO_FOR_BOTH_VENDORS(GpuDeviceTest);

TEST_P(GpuDeviceTest, MemoryComesAndGoesBack) {
  auto device = openWell();
  int before = live();
  for (size_t bytes : {size_t(0), size_t(1), size_t(5000)}) {
    auto memory = device->allocate(bytes);
    ASSERT_TRUE(memory.ok());
    std::vector<std::byte> pattern(bytes, std::byte(7)), back(bytes);
    ASSERT_TRUE(device->upload({*memory, 0}, pattern).ok());
    ASSERT_TRUE(device->download(back, {*memory, 0}).ok());
    EXPECT_EQ(back, pattern);
    device->release(*memory);
  }
  EXPECT_EQ(live(), before);
}

TEST_P(GpuDeviceTest, OffsetsReachIntoMemory) {
  auto device = openWell();
  auto block = DeviceBlock::allocate(*device, 64);
  std::vector<std::byte> bytes(4, std::byte(9)), back(64);
  ASSERT_TRUE(device->upload(block->start() + 60, bytes).ok());
  ASSERT_TRUE(device->download(back, block->start()).ok());
  EXPECT_EQ(back[60], std::byte(9));
  EXPECT_FALSE(device->upload(block->start() + 61, bytes).ok());
}

TEST_P(GpuDeviceTest, FullDeviceIsOutOfMemoryAndNotLost) {
  ::setenv("FAKE_DRIVER_MEMORY", "10000", 1);
  auto device = openWell();
  auto memory = device->allocate(10001);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().status, Status::out_of_memory);
  EXPECT_THAT(memory.error().message,
              AllOf(HasSubstr("10001 bytes"), HasSubstr("(2)")));
  EXPECT_FALSE(device->isLost());
  EXPECT_TRUE(device->allocate(10000).ok());
}

TEST_P(GpuDeviceTest, LaunchesAndGivesAllBack) {
  {
    auto device = openWell();
    Buffers buffers(*device);
    auto executable = device->load(artifact());
    ASSERT_TRUE(executable.ok()) << executable.error().message;
    std::vector<float> numbers(1024, 1.5F);
    ASSERT_TRUE(
        device->upload(buffers.pointers()[0], std::as_bytes(std::span(numbers)))
            .ok());
    ASSERT_TRUE(device->launch(**executable, buffers.pointers()).ok());
    ASSERT_TRUE(device
                    ->download(std::as_writable_bytes(std::span(numbers)),
                               buffers.pointers()[1])
                    .ok());
    EXPECT_EQ(numbers, std::vector<float>(1024, 3.0F));
    EXPECT_TRUE(*device->flush());
  }
  EXPECT_EQ(live(), 0);
}

TEST_P(GpuDeviceTest, LaunchesInThePlansOrder) {
  auto device = openWell();
  Artifact twice = artifact();
  twice.binary = fakeBinary("first add 1024\nsecond scale 1024");
  twice.plan.launches = {{"first", {0}, {}}, {"second", {0, 1}, {}}};
  auto executable = device->load(twice);
  ASSERT_TRUE(executable.ok()) << executable.error().message;
  Buffers buffers(*device);
  std::vector<float> numbers(1024, 1.0F);
  auto bytes = std::as_writable_bytes(std::span(numbers));
  ASSERT_TRUE(device->upload(buffers.pointers()[0], bytes).ok());
  ASSERT_TRUE(device->launch(**executable, buffers.pointers()).ok());
  ASSERT_TRUE(device->download(bytes, buffers.pointers()[1]).ok());
  EXPECT_EQ(numbers[1023], 4.0F);
}

TEST_P(GpuDeviceTest, LaunchesGetTheirBuffersInTheirOrder) {
  auto device = openWell();
  Artifact swapped = artifact("nothing");
  swapped.binary = fakeBinary("double_entry nothing 3");
  swapped.plan.launches[0].buffers = {1, 0, 1};
  swapped.plan.launches[0].geometry = {{2, 3, 4}, {5, 6, 7}, 8};
  auto executable = device->load(swapped);
  ASSERT_TRUE(executable.ok()) << executable.error().message;
  Buffers buffers(*device);
  auto [first, second] =
      std::pair(buffers.pointers()[0], buffers.pointers()[1]);
  ASSERT_TRUE(device->launch(**executable, buffers.pointers()).ok());
  std::ostringstream expected;
  auto address = [](DevicePointer pointer) {
    return reinterpret_cast<uintptr_t>(pointer.memory) + pointer.offset;
  };
  expected << "buffers=" << std::hex << "0x" << address(second) << ",0x"
           << address(first) << ",0x" << address(second) << "\n";
  EXPECT_THAT(find<const char *()>("fakeLog")(),
              AllOf(HasSubstr("launch double_entry grid=2,3,4 block=5,6,7 "
                              "shared=8 stream=0x"),
                    HasSubstr(expected.str())));
}

TEST_P(GpuDeviceTest, BinariesOfOtherTargetsAreRefused) {
  auto device = openWell();
  Artifact other = artifact();
  other.target = "host";
  Failure why = refusal(*device, other);
  EXPECT_EQ(why.status, Status::load_error);
  EXPECT_THAT(why.message, HasSubstr("binary for host"));
}

TEST_P(GpuDeviceTest, BinariesForOtherChipsAreRefusedWithBothNames) {
  auto device = openWell();
  Artifact other = artifact();
  other.chip = "gfx1100";
  Failure why = refusal(*device, other);
  EXPECT_EQ(why.status, Status::load_error);
  EXPECT_THAT(why.message,
              AllOf(HasSubstr("gfx1100"), HasSubstr(GetParam().chip)));
  EXPECT_EQ(calls(GetParam().moduleLoad), 0);
}

TEST_P(GpuDeviceTest, MachineCodeIsHandedOnAsItIs) {
  auto device = openWell();
  Artifact code = artifact();
  for (char c : {'F', 'L', 'E', '\x7f'})
    code.binary.insert(code.binary.begin(), static_cast<uint8_t>(c));
  EXPECT_TRUE(device->load(code).ok());
}

TEST_P(GpuDeviceTest, CorruptBinariesDoNotLoad) {
  auto device = openWell();
  Artifact corrupt = artifact();
  corrupt.binary = {0x7F, 'E', 'L', 'F', 1, 2, 3};
  Failure why = refusal(*device, corrupt);
  EXPECT_EQ(why.status, Status::load_error);
  EXPECT_THAT(why.message, HasSubstr("FAKE_ERROR_200 (200)"));
  corrupt.binary.clear();
  EXPECT_EQ(refusal(*device, corrupt).status, Status::load_error);
  EXPECT_TRUE(device->load(artifact()).ok());
}

TEST_P(GpuDeviceTest, TextThatDoesNotCompileComesWithTheLog) {
  auto device = openWell();
  Artifact wrong = artifact();
  wrong.binary = {'.', 'v', 'e', 'r', 's', 'i', 'o', 'n'};
  Failure why = refusal(*device, wrong);
  EXPECT_EQ(why.status, Status::load_error);
  EXPECT_THAT(why.message, AllOf(HasSubstr("(218)"),
                                 HasSubstr("\nline 1: not a fake binary")));
}

TEST_P(GpuDeviceTest, MissingKernelIsNamedAndTheModuleGivenBack) {
  auto device = openWell();
  int before = live();
  Artifact other = artifact();
  other.plan.launches[0].symbol = "triple_entry";
  Failure why = refusal(*device, other);
  EXPECT_EQ(why.status, Status::load_error);
  EXPECT_THAT(why.message, HasSubstr("no symbol 'triple_entry'"));
  EXPECT_EQ(live(), before);
}

TEST_P(GpuDeviceTest, PlansWithoutTheirBuffersAreRefused) {
  auto device = openWell();
  Artifact other = artifact();
  other.plan.launches[0].buffers = {0, 2};
  EXPECT_THAT(refusal(*device, other).message, HasSubstr("no buffer 2"));
}

TEST_P(GpuDeviceTest, GeometryBeyondTheDeviceIsUnlaunchableWithNumbers) {
  struct Row {
    LaunchGeometry geometry;
    std::vector<const char *> words; ///< none: it fits
  };
  std::vector<Row> rows = {
      {{{1, 1, 1}, {1024, 1, 1}, 0}, {}},
      {{{1, 1, 1}, {1, 1, 64}, 0}, {}},
      {{{1, 65535, 65535}, {1, 1, 1}, 0}, {}},
      {{{1, 1, 1}, {32, 1, 1}, 227 << 10}, {}},
      {{{1, 1, 1}, {1025, 1, 1}, 0}, {"1025 threads", "in x", "1024"}},
      {{{1, 1, 1}, {1, 1025, 1}, 0}, {"1025 threads", "in y", "1024"}},
      {{{1, 1, 1}, {1, 1, 65}, 0}, {"65 threads", "in z", "64"}},
      {{{1, 1, 1}, {64, 32, 1}, 0}, {"2048 threads of a block", "1024"}},
      {{{1, 1, 1}, {1024, 1024, 64}, 0}, {"67108864 threads"}},
      {{{1u << 31, 1, 1}, {1, 1, 1}, 0}, {"2147483648 blocks in x"}},
      {{{1, 65536, 1}, {1, 1, 1}, 0}, {"65536 blocks in y", "65535"}},
      {{{1, 1, 65536}, {1, 1, 1}, 0}, {"65536 blocks in z", "65535"}},
      {{{0, 1, 1}, {1, 1, 1}, 0}, {"0 blocks in x"}},
      {{{1, 1, 1}, {1, 0, 1}, 0}, {"0 threads"}},
      {{{1, 1, 1}, {1, 1, 1}, (227 << 10) + 1},
       {"232449 bytes of shared memory", "232448"}},
  };
  auto device = openWell();
  for (const Row &row : rows) {
    Artifact shaped = artifact();
    shaped.plan.launches[0].geometry = row.geometry;
    auto loaded = device->load(shaped);
    EXPECT_EQ(loaded.ok(), row.words.empty());
    if (loaded)
      continue;
    EXPECT_EQ(loaded.error().status, Status::unlaunchable);
    EXPECT_THAT(loaded.error().message, HasSubstr("'double_entry'"));
    for (const char *word : row.words)
      EXPECT_THAT(loaded.error().message, HasSubstr(word));
  }
  EXPECT_EQ(calls(GetParam().launch), 0);
}

TEST_P(GpuDeviceTest, WhatTheKernelItselfNeedsCounts) {
  auto device = openWell();
  Artifact large = artifact();
  large.binary = fakeBinary("double_entry scale 1024 5 127 0");
  EXPECT_THAT(refusal(*device, large).message,
              AllOf(HasSubstr("128 threads"), HasSubstr("registers"),
                    HasSubstr("127")));
  large.binary = fakeBinary("double_entry scale 1024 5 128 200000");
  EXPECT_TRUE(device->load(large).ok());
  large.plan.launches[0].geometry.sharedBytes = 40000;
  EXPECT_THAT(refusal(*device, large).message, HasSubstr("240000 bytes"));
}

TEST_P(GpuDeviceTest, MuchSharedMemoryIsGranted) {
  auto device = openWell();
  Buffers buffers(*device);
  for (uint32_t bytes : {0U, 48U << 10, (48U << 10) + 1, 227U << 10}) {
    Artifact shared = artifact();
    shared.plan.launches[0].geometry.sharedBytes = bytes;
    auto executable = device->load(shared);
    ASSERT_TRUE(executable.ok()) << executable.error().message;
    auto launched = device->launch(**executable, buffers.pointers());
    EXPECT_TRUE(launched.ok()) << launched.error().message;
  }
}

TEST_P(GpuDeviceTest, IndexAndUuidChooseADevice) {
  ::setenv("FAKE_DRIVER_DEVICES", "2", 1);
  EXPECT_THAT(openWell()->description().name, HasSubstr(" 0"));
  EXPECT_THAT(openWell("0")->description().name, HasSubstr(" 0"));
  EXPECT_THAT(openWell("1")->description().name, HasSubstr(" 1"));
  std::string uuid = openWell("1")->description().uuid;
  EXPECT_THAT(openWell(uuid)->description().name, HasSubstr(" 1"));
}

TEST_P(GpuDeviceTest, OtherDevicesAreErrorsThatListWhatThereIs) {
  ::setenv("FAKE_DRIVER_DEVICES", "2", 1);
  for (const char *which : {"2", "-1", "1x", "GPU-0", "99999999999999999999"}) {
    auto device = open(which);
    ASSERT_FALSE(device.ok()) << which;
    EXPECT_THAT(device.error().message,
                AllOf(HasSubstr(std::string("'") + which + "'"),
                      HasSubstr(" 0  GPU-10"), HasSubstr(" 1  GPU-20")));
  }
}

TEST_P(GpuDeviceTest, KindsAndNamesFindIt) {
  std::string kind = GetParam().vendor().kind;
  auto device = createDevice(kind + ":0", options);
  ASSERT_TRUE(device.ok()) << device.error().message;
  EXPECT_EQ((*device)->description().kind, kind);
  EXPECT_FALSE(createDevice(kind + ":7", options).ok());
  EXPECT_FALSE(createDevice("host:999").ok());
  EXPECT_FALSE(createDevice(kind + "x", options).ok());
}

TEST_P(GpuDeviceTest, DescriptionsSurviveJsonOldOnesToo) {
  auto device = openWell();
  Json json = device->description();
  auto back = decode<DeviceDescription>(json);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(Json(*back), json);
  EXPECT_EQ(back->chip, GetParam().chip);
  EXPECT_EQ(back->memoryBytes, uint64_t(1) << 30);
  for (const char *key : {"chip", "driver", "memory_bytes"})
    json.erase(key);
  auto old = decode<DeviceDescription>(json);
  ASSERT_TRUE(old.ok());
  EXPECT_TRUE(old->chip.empty() && old->driver.empty());
  EXPECT_EQ(Json(*old), json);
}

TEST_P(GpuDeviceTest, ListsAllDevicesOrWhyThereAreNone) {
  ::setenv("FAKE_DRIVER_DEVICES", "3", 1);
  size_t found = 0, missing = 0;
  for (const DeviceList &list : listDevices(options)) {
    if (list.kind == GetParam().vendor().kind) {
      EXPECT_EQ(list.devices.size(), 3u);
      EXPECT_EQ(list.problem, "");
      ++found;
    } else if (list.kind == "cuda" || list.kind == "hip") {
      EXPECT_TRUE(list.devices.empty()); // a driver of the other vendor
      EXPECT_THAT(list.problem, HasSubstr("has no '"));
      ++missing;
    }
  }
  EXPECT_EQ(found, 1u);
  EXPECT_EQ(missing, 1u);
  EXPECT_EQ(live(), 0); // none was taken
}

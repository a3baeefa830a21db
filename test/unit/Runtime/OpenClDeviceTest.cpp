//===- Tests for OpenCL's devices -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/OpenClProgram.h"

#include "Fakes/LoadedLoader.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

struct OpenClDeviceTest : testing::Test {
  FakeLoader &fake = loadedLoader();
  DeviceOptions options{fakeLoaderPath};
  int objectsBefore = fake.objects;

  std::unique_ptr<Device> create() {
    auto device = createDevice("opencl", options);
    EXPECT_TRUE(device.ok());
    return std::move(*device);
  }

  /// Returns a kernel of y = 3 x, for 8 elements in workgroups of 4.
  static Artifact scale() {
    Artifact artifact;
    artifact.target = openClTarget;
    artifact.binary = {'b', 'i', 'n'};
    artifact.plan.buffers = {{"x", ElementType::f32, {8}, Access::read, 128},
                             {"y", ElementType::f32, {8}, Access::write, 128}};
    Launch launch = {"scale", {0, 1}};
    launch.geometry = {{2, 1, 1}, {4, 1, 1}};
    std::vector<uint8_t> three(sizeof(float));
    const float value = 3;
    std::memcpy(three.data(), &value, sizeof value);
    launch.plain = {{2, three}, {3, {}, 64}};
    artifact.plan.launches = {launch};
    return artifact;
  }

  Status statusOfLoading(const Artifact &artifact, std::string *why = nullptr) {
    auto device = create();
    auto loaded = device->load(artifact);
    if (loaded)
      return Status::ok;
    if (why)
      *why = loaded.error().message;
    return loaded.error().status;
  }
};

} // namespace

TEST_F(OpenClDeviceTest, DescribesItself) {
  auto device = create();
  const DeviceDescription &about = device->description();
  EXPECT_EQ(about.kind, "opencl");
  EXPECT_EQ(about.name, "fake device");
  EXPECT_EQ(about.uuid, "tonno's fake:0");
  EXPECT_EQ(about.chip, "gpu");
  EXPECT_EQ(about.driver, "1.5");
  EXPECT_EQ(about.cacheBytes, 4096u);
  EXPECT_EQ(about.memoryBytes, uint64_t{1} << 16);
}

TEST_F(OpenClDeviceTest, IsChosenByIndexOrUuid) {
  EXPECT_TRUE(createDevice("opencl:0", options).ok());
  EXPECT_TRUE(createDevice("opencl:tonno's fake:0", options).ok());
  auto unknown = createDevice("opencl:1", options);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message,
            "no opencl device '1'; the devices are:\n"
            "  0  fake device  tonno's fake  tonno's fake:0");
}

TEST_F(OpenClDeviceTest, SaysWhatIsMissing) {
  auto none = createDevice("opencl", {"/nowhere/libOpenCL.so.1"});
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("no loader of OpenCL's drivers"),
            std::string::npos);
  EXPECT_NE(none.error().message.find("--driver"), std::string::npos);
  fake.hasPlatform = false;
  auto empty = createDevice("opencl", options);
  ASSERT_FALSE(empty.ok());
  EXPECT_NE(empty.error().message.find("no platform with a device; install"),
            std::string::npos);
  auto old = bindOpenCl([](const char *name) -> void * {
    static int something = 0;
    return std::string(name) == "clEnqueueFillBuffer" ? nullptr : &something;
  });
  ASSERT_FALSE(old.ok());
  EXPECT_EQ(old.error().message,
            "OpenCL's loader has no 'clEnqueueFillBuffer'; tonno needs that "
            "of OpenCL 1.2 or newer");
}

TEST_F(OpenClDeviceTest, RunsOnPartsOfItsMemory) {
  auto device = create();
  auto memory = device->allocate(1024);
  ASSERT_TRUE(memory.ok());
  std::vector<DevicePointer> buffers = {{*memory, 256}, {*memory, 512}};
  const std::array<float, 8> x = {1, 2, 3, 4, 5, 6, 7, 8};
  ASSERT_TRUE(device->upload(buffers[0], std::as_bytes(std::span(x))).ok());
  auto loaded = device->load(scale());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  ASSERT_TRUE(device->launch(**loaded, buffers).ok());
  std::array<float, 8> y = {};
  ASSERT_TRUE(
      device->download(std::as_writable_bytes(std::span(y)), buffers[1]).ok());
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], 3 * x[i]);
  EXPECT_EQ(fake.globals.back(), (std::array<size_t, 3>{8, 1, 1}));
  EXPECT_EQ(fake.locals.back(), (std::array<size_t, 3>{4, 1, 1}));
  EXPECT_EQ(fake.dimensions.back(), 1u);
  // A sub-buffer offset that the driver refuses is an error.
  std::vector<DevicePointer> crooked = {{*memory, 256}, {*memory, 516}};
  EXPECT_FALSE(device->launch(**loaded, crooked).ok());
  loaded->reset();
  device->release(*memory);
  device.reset();
  EXPECT_EQ(fake.objects, objectsBefore);
}

TEST_F(OpenClDeviceTest, AddsUpTheTimesOfItsLaunches) {
  auto device = create();
  auto memory = device->allocate(1024);
  ASSERT_TRUE(memory.ok());
  auto loaded = device->load(scale());
  ASSERT_TRUE(loaded.ok());
  std::vector<DevicePointer> buffers = {{*memory, 0}, {*memory, 512}};
  std::vector<std::vector<DevicePointer>> batch(3, buffers);
  auto seconds = device->time(**loaded, batch);
  ASSERT_TRUE(seconds.ok());
  EXPECT_DOUBLE_EQ(*seconds, 3 * 100e-6);
}

TEST_F(OpenClDeviceTest, LetsTheDriverChooseWorkgroups) {
  Artifact artifact = scale();
  artifact.plan.launches[0].geometry = {{4, 2, 1}, {0, 0, 0}};
  auto device = create();
  auto memory = device->allocate(1024);
  ASSERT_TRUE(memory.ok());
  auto loaded = device->load(artifact);
  ASSERT_TRUE(loaded.ok());
  std::vector<DevicePointer> buffers = {{*memory, 0}, {*memory, 512}};
  ASSERT_TRUE(device->launch(**loaded, buffers).ok());
  EXPECT_EQ(fake.globals.back(), (std::array<size_t, 3>{4, 2, 1}));
  EXPECT_EQ(fake.locals.back(), (std::array<size_t, 3>{0, 0, 0}));
  EXPECT_EQ(fake.dimensions.back(), 2u);
}

TEST_F(OpenClDeviceTest, RefusesWhatTheDeviceHasNot) {
  std::string why;
  fake.mostWorkItems = 3;
  EXPECT_EQ(statusOfLoading(scale(), &why), Status::unlaunchable);
  EXPECT_EQ(why, "'scale' asks for 4 work-items of a workgroup, but at most 3 "
                 "are possible");
  fake.mostWorkItems = 256;
  fake.required = {8, 1, 1};
  EXPECT_EQ(statusOfLoading(scale(), &why), Status::unlaunchable);
  fake.required = {4, 1, 1};
  EXPECT_EQ(statusOfLoading(scale()), Status::ok);
  fake.localBytes = (1 << 16) - 63; // and 64 by its argument
  EXPECT_EQ(statusOfLoading(scale(), &why), Status::unlaunchable);
  EXPECT_EQ(why, "'scale' asks for 65537 bytes of local memory, but at most "
                 "65536 are possible");
  fake.localBytes -= 1;
  EXPECT_EQ(statusOfLoading(scale()), Status::ok);
}

TEST_F(OpenClDeviceTest, RefusesWhatItCantLoad) {
  Artifact other = scale();
  other.target = "nvptx";
  EXPECT_EQ(statusOfLoading(other), Status::load_error);
  Artifact unnamed = scale();
  unnamed.plan.launches[0].symbol = "nosuch";
  std::string why;
  EXPECT_EQ(statusOfLoading(unnamed, &why), Status::load_error);
  EXPECT_EQ(why, "unknown kernel 'nosuch'; the kernels are: scale other");
  Artifact fewer = scale();
  fewer.plan.launches[0].plain.pop_back();
  EXPECT_EQ(statusOfLoading(fewer, &why), Status::load_error);
  EXPECT_EQ(why, "'scale' takes 3 buffers, the plan gives 2");
  Artifact beyond = scale();
  beyond.plan.launches[0].plain[1].position = 4;
  EXPECT_EQ(statusOfLoading(beyond), Status::load_error);
  fake.binaryCode = -42;
  EXPECT_EQ(statusOfLoading(scale()), Status::load_error);
  fake.binaryCode = 0;
  fake.allocateCode = -4;
  auto memory = create()->allocate(8);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.error().status, Status::out_of_memory);
}

TEST_F(OpenClDeviceTest, IsLostWithAKernelThatCrashes) {
  for (bool byEvent : {false, true}) {
    auto device = create();
    auto memory = device->allocate(1024);
    ASSERT_TRUE(memory.ok());
    auto loaded = device->load(scale());
    ASSERT_TRUE(loaded.ok());
    (byEvent ? fake.eventStatus : fake.finishCode) = byEvent ? -14 : -5;
    std::vector<DevicePointer> buffers = {{*memory, 0}, {*memory, 512}};
    auto launched = device->launch(**loaded, buffers);
    ASSERT_FALSE(launched.ok());
    EXPECT_EQ(launched.error().status, Status::fault);
    EXPECT_TRUE(device->isLost());
    auto next = device->launch(**loaded, buffers);
    ASSERT_FALSE(next.ok());
    EXPECT_EQ(next.error().status, Status::lost);
    fake.finishCode = fake.eventStatus = 0;
  }
}

TEST_F(OpenClDeviceTest, IsNotLostByALaunchThatIsRefused) {
  auto device = create();
  auto memory = device->allocate(1024);
  ASSERT_TRUE(memory.ok());
  auto loaded = device->load(scale());
  ASSERT_TRUE(loaded.ok());
  fake.launchCode = -54;
  std::vector<DevicePointer> buffers = {{*memory, 0}, {*memory, 512}};
  auto launched = device->launch(**loaded, buffers);
  ASSERT_FALSE(launched.ok());
  EXPECT_EQ(launched.error().status, Status::unlaunchable);
  EXPECT_EQ(launched.error().message,
            "cannot launch 'scale': CL_INVALID_WORK_GROUP_SIZE (-54)");
  EXPECT_FALSE(device->isLost());
}

TEST_F(OpenClDeviceTest, FlushesTheCachesOfGpusAlone) {
  auto flushed = create()->flush();
  ASSERT_TRUE(flushed.ok());
  EXPECT_TRUE(*flushed);
  EXPECT_EQ(fake.filled, 6144u);
  fake.isCpu = true;
  flushed = create()->flush();
  ASSERT_TRUE(flushed.ok());
  EXPECT_FALSE(*flushed);
}

TEST_F(OpenClDeviceTest, BuildsItsPrograms) {
  auto driver = OpenClDriver::open(fakeLoaderPath);
  ASSERT_TRUE(driver.ok());
  auto context = OpenClContext::create(*driver, driver->places()[0]);
  ASSERT_TRUE(context.ok());
  auto program = OpenClProgram::build(**context, "source", "-D A=1");
  ASSERT_TRUE(program.ok());
  EXPECT_EQ(fake.options.back(), "-D A=1");
  auto image = program->image("source", "-D A=1");
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(std::string(image->begin(), image->end()), "built source");
  auto kernel = program->kernel("scale");
  ASSERT_TRUE(kernel.ok());
  auto parameters = kernel->parameters();
  ASSERT_TRUE(parameters.ok() && parameters->has_value());
  ASSERT_EQ((*parameters)->size(), 4u);
  EXPECT_TRUE((**parameters)[0].isConst);
  EXPECT_FALSE((**parameters)[1].isConst);
  EXPECT_EQ((**parameters)[1].type, "float");
  EXPECT_EQ((**parameters)[2].space, OpenClParameter::Space::value);
  EXPECT_EQ((**parameters)[3].space, OpenClParameter::Space::local);
  EXPECT_EQ(kernel->usage().stackBytes, 48u);
  fake.tellsArguments = false;
  parameters = kernel->parameters();
  ASSERT_TRUE(parameters.ok());
  EXPECT_FALSE(parameters->has_value());
}

TEST_F(OpenClDeviceTest, TellsWhyAProgramDoesNotBuild) {
  auto driver = OpenClDriver::open(fakeLoaderPath);
  ASSERT_TRUE(driver.ok());
  auto context = OpenClContext::create(*driver, driver->places()[0]);
  ASSERT_TRUE(context.ok());
  fake.buildCode = -11;
  fake.buildLog = "x.cl:1:2: error: no";
  auto program = OpenClProgram::build(**context, "source", "");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.error().status, Status::compile_error);
  EXPECT_EQ(program.error().message,
            "cannot build the program: CL_BUILD_PROGRAM_FAILURE (-11)\n"
            "x.cl:1:2: error: no");
}

TEST_F(OpenClDeviceTest, LoadsSourceOfDriversWithoutBinaries) {
  fake.givesBinaries = false;
  auto driver = OpenClDriver::open(fakeLoaderPath);
  ASSERT_TRUE(driver.ok());
  auto context = OpenClContext::create(*driver, driver->places()[0]);
  ASSERT_TRUE(context.ok());
  const std::string source = "not \xff UTF-8";
  auto program = OpenClProgram::build(**context, source, "-D A=2");
  ASSERT_TRUE(program.ok());
  auto image = program->image(source, "-D A=2");
  ASSERT_TRUE(image.ok());
  Artifact artifact = scale();
  artifact.binary = *image;
  fake.options.clear();
  EXPECT_EQ(statusOfLoading(artifact), Status::ok);
  EXPECT_EQ(fake.options, std::vector<std::string>{"-D A=2"});
  artifact.binary.pop_back();
  EXPECT_EQ(statusOfLoading(artifact), Status::load_error);
}

/// Layouts are redrawn for hours.
TEST_F(OpenClDeviceTest, KeepsNoMorePartsThanItNeeds) {
  auto device = create();
  auto memory = device->allocate(size_t{1} << 20);
  ASSERT_TRUE(memory.ok());
  auto loaded = device->load(scale());
  ASSERT_TRUE(loaded.ok());
  for (size_t i = 0; i < 8000; ++i) {
    std::vector<DevicePointer> buffers = {{*memory, 128 * i},
                                          {*memory, 128 * (i + 1)}};
    ASSERT_TRUE(device->launch(**loaded, buffers).ok());
  }
  EXPECT_LT(fake.objects - objectsBefore, 4200);
}

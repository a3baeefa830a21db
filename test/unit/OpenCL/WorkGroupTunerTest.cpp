//===- Tuning kernels on PoCL ---------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Eventually.h"
#include "QueueFixture.h"

#include <atomic>
#include <numeric>
#include <thread>

using namespace tonno;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

static constexpr uint64_t numItems = 1 << 18;

using WorkGroupTunerTest = QueueTest;

static std::vector<WorkSize> sizesOf(const AutotuneResult &result) {
  std::vector<WorkSize> sizes;
  for (const MeasuredSize &each : result.measured)
    sizes.push_back(each.localSize);
  return sizes;
}

TEST_F(WorkGroupTunerTest, FindsTheFastestOfTheCandidates) {
  options.candidates = {{1}, {32}, {64}, {128}, {256}};
  WorkGroupTuner tuner(kernel(scaleSource, "scale"), {numItems});
  AutotuneResult result = tune(tuner);
  EXPECT_EQ(sizesOf(result), options.candidates);
  for (const MeasuredSize &each : result.measured) {
    EXPECT_THAT(each.samplesUs, SizeIs(3));
    EXPECT_THAT(each.samplesUs, Each(testing::Gt(0)));
    if (!result.isOverheadBound) {
      EXPECT_LE(result.runtimeUs, each.runtimeUs);
    }
  }
  // A group of one work-item costs PoCL far more than the work does.
  EXPECT_NE(result.bestLocalSize, WorkSize{1});
  EXPECT_FALSE(result.isCached);
}

TEST_F(WorkGroupTunerTest, TriesThePowersOfTwoByDefault) {
  WorkGroupTuner tuner(kernel(scaleSource, "scale"), {1'000'000});
  AutotuneResult result = tune(tuner);
  EXPECT_THAT(sizesOf(result),
              ElementsAre(WorkSize{1}, WorkSize{2}, WorkSize{4}, WorkSize{8},
                          WorkSize{16}, WorkSize{32}, WorkSize{64}));
  ASSERT_THAT(result.leftOut, SizeIs(2)); // 128 and 256 don't divide
  EXPECT_THAT(result.leftOut[0].reason, HasSubstr("128 does not divide"));
}

TEST_F(WorkGroupTunerTest, TakesTheCandidatesThatItWasMadeWith) {
  WorkGroupTuner tuner(kernel(scaleSource, "scale"), {numItems}, {{16}, {32}});
  EXPECT_THAT(sizesOf(tune(tuner)), ElementsAre(WorkSize{16}, WorkSize{32}));
  options.candidates = {{64}};
  EXPECT_THAT(sizesOf(tune(tuner)), ElementsAre(WorkSize{64}));
}

TEST_F(WorkGroupTunerTest, TunesTwoAndThreeDimensions) {
  const char *source =
      "__kernel void fill(__global float *x) {"
      "  x[get_global_id(0) + get_global_size(0) * (get_global_id(1) +"
      "    get_global_size(1) * get_global_id(2))] = 1.0f; }";
  options.candidates = {{32, 8}, {16, 16}, {8}};
  AutotuneResult plane =
      tune(WorkGroupTuner(kernel(source, "fill"), {512, 512}));
  EXPECT_THAT(sizesOf(plane),
              ElementsAre(WorkSize{32, 8}, WorkSize{16, 16}, WorkSize{8, 1}));
  options.candidates = {{8, 4, 2}};
  AutotuneResult cube =
      tune(WorkGroupTuner(kernel(source, "fill"), {64, 64, 64}));
  EXPECT_EQ(sizesOf(cube), options.candidates);
}

TEST_F(WorkGroupTunerTest, AnswersASecondTimeFromTheCache) {
  WorkGroupTuner tuner(kernel(scaleSource, "scale"), {4 * numItems});
  AutotuneResult first = tuneWhenIdle(tuner);
  if (!first.isLasting())
    GTEST_SKIP() << first.notes.back();
  WorkGroupTuner another(kernel(scaleSource, "scale"), {4 * numItems});
  AutotuneResult second = tune(another);
  EXPECT_TRUE(second.isCached);
  EXPECT_EQ(Json(second), Json(first));
  EXPECT_FALSE(
      tune(WorkGroupTuner(kernel(scaleSource, "scale"), {2 * numItems}))
          .isCached);
  EXPECT_FALSE(
      tune(WorkGroupTuner(kernel(scaleSource + " ", "scale"), {4 * numItems}))
          .isCached);
  options.isCached = false;
  EXPECT_FALSE(tune(tuner).isCached);
}

TEST_F(WorkGroupTunerTest, SaysThatTheCacheCannotBeUsed) {
  writeText(cache / "file", "in the way");
  options.cacheDirectory = (cache / "file").string();
  WorkGroupTuner tuner(kernel(scaleSource, "scale"), {numItems});
  EXPECT_THAT(tune(tuner).notes,
              Contains(HasSubstr("decisions are not stored")));
}

TEST_F(WorkGroupTunerTest, TakesADamagedRecordForNone) {
  WorkGroupTuner tuner(kernel(scaleSource, "scale"), {4 * numItems});
  if (!tuneWhenIdle(tuner).isLasting())
    GTEST_SKIP() << "the device is busy, or too fast";
  for (const auto &file : cache.files())
    writeText(file, "{");
  AutotuneResult again = tune(tuner);
  EXPECT_FALSE(again.isCached);
  EXPECT_THAT(again.notes, Contains(HasSubstr("is corrupt")));
}

TEST_F(WorkGroupTunerTest, LaunchesWithTheArgumentsThatAreSet) {
  const char *source = "__kernel void add(__global float *x, float a) {"
                       "  x[get_global_id(0)] += a; }";
  cl::Kernel add = kernel(source, "add");
  cl::Buffer x = buffer(std::vector<float>(numItems, 1));
  add.setArg(0, x);
  add.setArg(1, 1.0f);
  options.candidates = {{64}};
  AutotuneResult result = tune(WorkGroupTuner(add, {numItems}));
  // OpenCL does not report which buffers are set, so they can't be restored.
  EXPECT_THAT(result.notes, Contains(HasSubstr("give them as args")));
  EXPECT_GE(contents(x, numItems)[5], 1 + 4);
}

TEST_F(WorkGroupTunerTest, SaysNothingOfBuffersThatAreOnlyRead) {
  cl::Kernel reads =
      kernel("__kernel void reads(__global const float *x) {}", "reads");
  cl::Buffer x = buffer(std::vector<float>(numItems, 1));
  reads.setArg(0, x);
  for (const std::string &note : tune(WorkGroupTuner(reads, {numItems})).notes)
    EXPECT_THAT(note, testing::Not(HasSubstr("give them as args")));
}

TEST_F(WorkGroupTunerTest, RestoresTheBuffersThatItIsGiven) {
  const char *source =
      "__kernel void add(__global float *x, __global const float *y, float a,"
      "    __local float *t) {"
      "  t[get_local_id(0)] = x[get_global_id(0)];"
      "  x[get_global_id(0)] = t[get_local_id(0)] + a + y[0]; }";
  cl::Buffer x = buffer(std::vector<float>(numItems, 1));
  cl::Buffer y = buffer({5});
  options.arguments = {x, y, 3.0f, KernelArgument::local(1024)};
  WorkGroupTuner tuner(kernel(source, "add"), {numItems}, {{32}, {64}});
  AutotuneResult result = tune(tuner);
  EXPECT_THAT(result.failed, IsEmpty());
  EXPECT_THAT(contents(x, numItems), Each(1.0f));
  for (const std::string &note : result.notes)
    EXPECT_THAT(note, testing::Not(HasSubstr("give them as args")));
  options.restoresBuffers = false;
  options.isCached = false;
  tune(tuner);
  EXPECT_GE(contents(x, 1)[0], 1 + 8 * 8);
}

TEST_F(WorkGroupTunerTest, EachLaunchFindsTheSameContents) {
  // A launch that found another one's would leave its mark in the second
  // buffer, which is not restored since the kernel's signature hides it.
  const char *source =
      "__kernel void once(__global float *x, __global const float *seen) {"
      "  int i = get_global_id(0);"
      "  if (x[i] != 1) *(__global float *)seen = 1;"
      "  x[i] = 2; }";
  cl::Buffer seen = buffer({0});
  cl::Buffer x = buffer(std::vector<float>(64, 1));
  options.arguments = {x, seen};
  tune(WorkGroupTuner(kernel(source, "once"), {64}, {{64}}));
  EXPECT_EQ(contents(seen, 1)[0], 0);
}

TEST_F(WorkGroupTunerTest, MakesTheBuffersThatAreNotSet) {
  cl::Kernel scale = kernel(scaleSource, "scale");
  AutotuneResult result = tune(WorkGroupTuner(scale, {numItems}));
  EXPECT_THAT(result.failed, IsEmpty());
  EXPECT_THAT(result.notes,
              Contains(HasSubstr("no arguments were set for 'scale', so it was "
                                 "timed on buffers of 262144 elements each")));
  // The caller's kernel still has none.
  EXPECT_EQ(queue.enqueueNDRangeKernel(scale, cl::NullRange, numItems),
            CL_INVALID_KERNEL_ARGS);
}

TEST_F(WorkGroupTunerTest, AsksTheSourceForArgumentsThatNobodyTells) {
  // PoCL tells them of some programs unasked.
  cl::Program plain(context, std::string(scaleSource));
  ASSERT_EQ(plain.build("-DX=1"), CL_SUCCESS);
  cl::Kernel scale(plain, "scale");
  EXPECT_THAT(tune(WorkGroupTuner(scale, {numItems})).failed, IsEmpty());
}

TEST_F(WorkGroupTunerTest, SaysWhichArgumentItNeeds) {
  const char *source = "__kernel void add(__global float *x, float a) {"
                       "  x[get_global_id(0)] += a; }";
  EXPECT_THAT(refusal(WorkGroupTuner(kernel(source, "add"), {numItems})),
              HasSubstr("argument 1 of 'add', 'a' of type 'float', was not "
                        "set"));
}

TEST_F(WorkGroupTunerTest, RefusesArgumentsThatDoNotFit) {
  options.arguments = {1.0f};
  EXPECT_THAT(
      refusal(WorkGroupTuner(kernel(scaleSource, "scale"), {numItems})),
      HasSubstr("argument 0 of 'scale': clSetKernelArg gave CL_INVALID_"));
}

TEST_F(WorkGroupTunerTest, RefusesMoreLocalMemoryThanThereIs) {
  cl::Kernel moves = kernel("__kernel void moves(__global float *x,"
                            "                    __local float *t) {"
                            "  t[get_local_id(0)] = x[get_global_id(0)];"
                            "  x[get_global_id(0)] = t[get_local_id(0)]; }",
                            "moves");
  size_t most = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  cl::Buffer x = buffer(std::vector<float>(numItems, 1));
  options.arguments = {x, KernelArgument::local(4 * most)};
  EXPECT_THAT(refusal(WorkGroupTuner(moves, {numItems}, {{64}})),
              HasSubstr("'moves' asks for " + std::to_string(4 * most) +
                        " bytes of local memory"));
}

TEST_F(WorkGroupTunerTest, RefusesAQueueWithoutProfiling) {
  cl::CommandQueue plain(context, device);
  auto result =
      WorkGroupTuner(kernel(scaleSource, "scale"), {numItems}).tune(plain);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "the queue has no profiling, which timing needs; create it with "
            "CL_QUEUE_PROFILING_ENABLE");
}

TEST_F(WorkGroupTunerTest, RefusesAQueueOfAnotherContext) {
  cl::Context another(device);
  queue = cl::CommandQueue(another, device, CL_QUEUE_PROFILING_ENABLE);
  cl::Program program(context, std::string(scaleSource));
  ASSERT_EQ(program.build(), CL_SUCCESS);
  EXPECT_EQ(refusal(WorkGroupTuner(cl::Kernel(program, "scale"), {numItems})),
            "'scale' was built in another context than the queue's; create the "
            "queue in kernel.getInfo<CL_KERNEL_CONTEXT>()");
}

TEST_F(WorkGroupTunerTest, RestoresOnAQueueWithoutOrder) {
  queue = cl::CommandQueue(context, device,
                           CL_QUEUE_PROFILING_ENABLE |
                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  cl::Buffer x = buffer(std::vector<float>(numItems, 1));
  options.arguments = {x};
  options.candidates = {{16}, {32}, {64}};
  AutotuneResult result =
      tune(WorkGroupTuner(kernel(scaleSource, "scale"), {numItems}));
  EXPECT_THAT(result.measured, SizeIs(3));
  EXPECT_THAT(contents(x, numItems), Each(1.0f));
}

TEST_F(WorkGroupTunerTest, RestoresPartsOfBuffers) {
  std::vector<float> first(512);
  std::iota(first.begin(), first.end(), 0.0f);
  cl::Buffer whole = buffer(first);
  cl_buffer_region region = {1024, 1024};
  cl::Buffer upper = whole.createSubBuffer(
      CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region);
  options.arguments = {upper, whole};
  tune(WorkGroupTuner(
      kernel("__kernel void both(__global float *x, __global float *y) {"
             "  int i = get_global_id(0); x[i] += 1; y[i] += 1; }",
             "both"),
      {256}, {{32}, {64}}));
  EXPECT_EQ(contents(whole, 512), first);
}

TEST_F(WorkGroupTunerTest, LaunchesWithImagesAndSaysThatTheyAreNotRestored) {
  if (!device.getInfo<CL_DEVICE_IMAGE_SUPPORT>())
    GTEST_SKIP() << "the device has no images";
  cl::Kernel paint = kernel(
      "__kernel void paint(read_only image2d_t from, write_only image2d_t to) {"
      "  int2 at = (int2)(get_global_id(0), get_global_id(1));"
      "  write_imagef(to, at, 2 * read_imagef(from, at)); }",
      "paint");
  cl::ImageFormat format(CL_RGBA, CL_FLOAT);
  std::vector<float> ones(64 * 64 * 4, 1);
  cl::Image2D from(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, 64,
                   64, 0, ones.data());
  cl::Image2D to(context, CL_MEM_WRITE_ONLY, format, 64, 64);
  options.arguments = {from, to};
  AutotuneResult result =
      tune(WorkGroupTuner(paint, {64, 64}, {{8, 8}, {32, 2}}));
  EXPECT_THAT(result.failed, IsEmpty());
  EXPECT_THAT(result.notes,
              Contains(HasSubstr("argument 1 of 'paint' is not a buffer")));
  for (const std::string &note : result.notes)
    EXPECT_THAT(note, testing::Not(HasSubstr("argument 0")));
  std::vector<float> after(ones.size());
  ASSERT_EQ(queue.enqueueReadImage(to, CL_TRUE, {0, 0, 0}, {64, 64, 1}, 0, 0,
                                   after.data()),
            CL_SUCCESS);
  EXPECT_THAT(after, Each(2.0f));
}

TEST_F(WorkGroupTunerTest, KeepsToTheDevicesMaximum) {
  size_t most = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  options.candidates = {{most}, {2 * most}};
  AutotuneResult result =
      tune(WorkGroupTuner(kernel(scaleSource, "scale"), {8 * most}));
  EXPECT_THAT(sizesOf(result), Contains(WorkSize{most}));
  ASSERT_THAT(result.leftOut, SizeIs(1));
  EXPECT_THAT(result.leftOut[0].reason, HasSubstr("the device allows"));
}

TEST_F(WorkGroupTunerTest, KeepsToWhatTheKernelRequires) {
  const char *source =
      "__kernel __attribute__((reqd_work_group_size(48, 1, 1)))"
      "void fixed(__global float *x) { x[get_global_id(0)] = 1; }";
  WorkGroupTuner tuner(kernel(source, "fixed"), {uint64_t(48) * 4096});
  AutotuneResult result = tune(tuner);
  EXPECT_EQ(result.bestLocalSize, WorkSize{48});
  EXPECT_THAT(sizesOf(result), ElementsAre(WorkSize{48}));
  options.candidates = {{32}};
  EXPECT_THAT(refusal(tuner), HasSubstr("32: the kernel requires (48, 1, 1)"));
}

TEST_F(WorkGroupTunerTest, TakesTheFixed64WhereLaunchingDominates) {
  AutotuneResult result =
      tune(WorkGroupTuner(kernel(scaleSource, "scale"), {64}));
  EXPECT_TRUE(result.isOverheadBound);
  EXPECT_EQ(result.bestLocalSize, WorkSize{64});
  EXPECT_THAT(result.notes, Contains(HasSubstr("it is the fixed 64")));
}

TEST_F(WorkGroupTunerTest, NoticesThatTheDeviceIsBusy) {
  cl::Kernel work = kernel("__kernel void work(__global float *x) {"
                           "  float s = x[get_global_id(0)];"
                           "  for (int i = 0; i < 300; ++i) s = s * 1.01f + 1;"
                           "  x[get_global_id(0)] = s; }",
                           "work");
  cl::Buffer x = buffer(std::vector<float>(numItems, 1));
  work.setArg(0, x);
  std::atomic<bool> isOver = false;
  std::thread another([&] {
    cl::CommandQueue other(context, device);
    // With a constant number, each launch of the tuner would wait equally long.
    for (int number = 0; !isOver; number = (number + 3) % 8) {
      for (int i = 0; i < number; ++i)
        other.enqueueNDRangeKernel(work, cl::NullRange, numItems, 64);
      other.finish();
    }
  });
  options.isCached = false;
  options.runs = 5;
  WorkGroupTuner tuner(kernel(scaleSource, "scale"), {4 * numItems},
                       {{64}, {128}, {256}});
  // The other thread's load meets the tuner's launches only by chance.
  EXPECT_TRUE(eventually([&] { return tune(tuner).isBusy; }));
  isOver = true;
  another.join();
}

TEST_F(WorkGroupTunerTest, SaysWhatIsWrongWithTheQuestion) {
  cl::Kernel scale = kernel(scaleSource, "scale");
  EXPECT_EQ(refusal(WorkGroupTuner(scale, {0})),
            "the global size 0 has no work-item");
  EXPECT_THAT(refusal(WorkGroupTuner(scale, {64}, {{8, 8}})),
              HasSubstr("more dimensions"));
  EXPECT_THAT(refusal(WorkGroupTuner(cl::Kernel(), {64})),
              HasSubstr("CL_INVALID_KERNEL"));
}

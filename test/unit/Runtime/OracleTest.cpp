//===- Inputs, plans, NaN and Inf -----------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Oracle/Oracle.h"
#include "tonno/Runtime/Elements.h"

#include "FakeDevice.h"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using testing::HasSubstr;

namespace {

/// A kernel of 200 elements: result = f(element number, argument).
class OracleTest : public testing::Test {
protected:
  using Function = std::function<double(size_t, double)>;

  static LaunchPlan plan(ElementType type) {
    LaunchPlan plan;
    plan.buffers = {{"arg0", type, {200}, Access::read, 64},
                    {"result0", type, {200}, Access::write, 64}};
    plan.launches = {{"entry", {0, 1}, {}}};
    return plan;
  }

  template <typename T> static FakeKernel kernel(const Function &function) {
    return [=](std::span<void *const> buffers) {
      for (size_t i = 0; i < 200; ++i)
        static_cast<T *>(buffers[1])[i] =
            static_cast<T>(function(i, static_cast<const T *>(buffers[0])[i]));
    };
  }

  Result<Oracle> create(const Function &reference, bool exact = false,
                        uint64_t seed = 1) {
    device.kernels["reference"] = kernel<double>(reference);
    return Oracle::create(
        {FakeDevice::artifactOf("reference", plan(ElementType::f64)), 1, exact,
         ElementType::f32, exact},
        plan(ElementType::f32).signature(), seed, device);
  }

  std::string judge(const Function &reference, const Function &candidate) {
    auto oracle = create(reference);
    EXPECT_TRUE(oracle.ok()) << oracle.error().message;
    device.kernels["candidate"] = kernel<float>(candidate);
    auto executable = device.load(
        FakeDevice::artifactOf("candidate", plan(ElementType::f32)));
    auto right = oracle->verify(device, **executable, plan(ElementType::f32));
    return std::string(toString(right ? Status::ok : right.error().status));
  }

  FakeDevice device;
};

} // namespace

static const double notANumber = std::nan("");

/// Returns a function that replaces element 7 by this value.
static auto withSeven(double value) {
  return [=](size_t i, double x) { return i == 7 ? value : x; };
}

TEST_F(OracleTest, NaNMustMatch) {
  EXPECT_EQ(judge(withSeven(notANumber), withSeven(notANumber)), "ok");
  EXPECT_EQ(judge(withSeven(notANumber), withSeven(0)), "wrong");
  EXPECT_EQ(judge(withSeven(0), withSeven(notANumber)), "wrong");
}

TEST_F(OracleTest, InfinitiesMustMatch) {
  EXPECT_EQ(judge(withSeven(INFINITY), withSeven(INFINITY)), "ok");
  EXPECT_EQ(judge(withSeven(-INFINITY), withSeven(-INFINITY)), "ok");
  EXPECT_EQ(judge(withSeven(INFINITY), withSeven(-INFINITY)), "wrong");
  EXPECT_EQ(judge(withSeven(INFINITY), withSeven(3e38)), "wrong");
  EXPECT_EQ(judge(withSeven(INFINITY), withSeven(notANumber)), "wrong");
  EXPECT_EQ(judge(withSeven(1), withSeven(INFINITY)), "wrong");
}

TEST_F(OracleTest, OverflowOfTheOutputIsItsInfinity) {
  EXPECT_EQ(judge(withSeven(1e300), withSeven(INFINITY)), "ok");
  EXPECT_EQ(judge(withSeven(1e300), withSeven(3e38)), "wrong");
}

TEST_F(OracleTest, LargeElementsDoNotExcuseSmallOnes) {
  // The bound's scale is the root mean square, not the largest.
  auto right = [](size_t i, double x) { return i == 7 ? 1e3 : x; };
  auto wrong = [&](size_t i, double x) {
    return right(i, x) + (i == 8 ? 1e-3 : 0);
  };
  EXPECT_EQ(judge(right, right), "ok");
  EXPECT_EQ(judge(right, wrong), "wrong");
}

TEST_F(OracleTest, ReferenceWithOverOnePercentNaNIsAnError) {
  auto nans = [](size_t count) {
    return [=](size_t i, double x) { return i < count ? notANumber : x; };
  };
  EXPECT_TRUE(create(nans(2)).ok());
  auto oracle = create(nans(3));
  ASSERT_FALSE(oracle.ok());
  EXPECT_THAT(oracle.error().message, HasSubstr("NaN in 3 of 200"));
  EXPECT_THAT(oracle.error().message, HasSubstr("result0"));
}

TEST_F(OracleTest, TimingInputsFollowTheSeed) {
  auto copy = [](size_t, double x) { return x; };
  auto inputs = [&](uint64_t seed) {
    return decode(ElementType::f32,
                  create(copy, true, seed)->timingInputs()[0]);
  };
  EXPECT_EQ(inputs(1), inputs(1));
  EXPECT_NE(inputs(1), inputs(2));
  // The real-valued ones: in [-1, 1], of both signs, hardly any integer.
  size_t integers = 0, negative = 0;
  for (double x : inputs(1)) {
    EXPECT_LE(std::fabs(x), 1);
    integers += x == std::round(x);
    negative += x < 0;
  }
  EXPECT_LE(integers, 1u);
  EXPECT_GT(negative, 60u);
  EXPECT_LT(negative, 140u);
}

TEST_F(OracleTest, ExactPassesFeedIntegers) {
  std::vector<double> largest;
  auto watch = [&](size_t i, double x) {
    if (i == 0)
      largest.push_back(0);
    largest.back() = std::max(largest.back(), std::fabs(x));
    // Signs, then the widest integers, each first as magnitudes; then reals.
    if (largest.size() <= 2) {
      EXPECT_EQ(std::fabs(x), 1);
    } else if (largest.size() <= 4) {
      EXPECT_EQ(x, std::round(x));
      EXPECT_NE(x, 0);
    }
    if (largest.size() == 1 || largest.size() == 3) {
      EXPECT_GT(x, 0);
    }
    return x;
  };
  ASSERT_TRUE(create(watch, true).ok());
  ASSERT_EQ(largest.size(), 5u);
  // Three of 24 bits are kept for a factor of up to 5.
  EXPECT_GT(largest[3], 0x1p20);
  EXPECT_LT(largest[3], 0x1p22);
}

TEST_F(OracleTest, ReadWriteBuffersAreRestoredForEveryPass) {
  LaunchPlan plan = OracleTest::plan(ElementType::f32);
  LaunchPlan reference = OracleTest::plan(ElementType::f64);
  for (LaunchPlan *each : {&plan, &reference})
    each->buffers[1].access = Access::read_write;
  auto accumulate = [](auto element) {
    using T = decltype(element);
    return [](std::span<void *const> buffers) {
      for (size_t i = 0; i < 200; ++i)
        static_cast<T *>(buffers[1])[i] +=
            static_cast<const T *>(buffers[0])[i];
    };
  };
  device.kernels["reference"] = accumulate(double());
  device.kernels["candidate"] = accumulate(float());
  device.kernels["overwrite"] =
      kernel<float>([](size_t, double x) { return x; });
  auto oracle = Oracle::create({FakeDevice::artifactOf("reference", reference),
                                2, true, ElementType::f32},
                               plan.signature(), 1, device);
  ASSERT_TRUE(oracle.ok()) << oracle.error().message;
  auto right = device.load(FakeDevice::artifactOf("candidate", plan));
  EXPECT_TRUE(oracle->verify(device, **right, plan).ok());
  EXPECT_TRUE(oracle->verify(device, **right, plan).ok());
  auto wrong = device.load(FakeDevice::artifactOf("overwrite", plan));
  EXPECT_FALSE(oracle->verify(device, **wrong, plan).ok());
}

TEST_F(OracleTest, IntegersAreComparedExactly) {
  LaunchPlan plan = OracleTest::plan(ElementType::i32);
  device.kernels["reference"] =
      kernel<int32_t>([](size_t, double x) { return 3 * x; });
  device.kernels["off"] =
      kernel<int32_t>([](size_t i, double x) { return 3 * x + (i == 199); });
  auto oracle = Oracle::create(
      {FakeDevice::artifactOf("reference", plan), 1, false, ElementType::i32},
      plan.signature(), 1, device);
  ASSERT_TRUE(oracle.ok()) << oracle.error().message;
  auto right = device.load(FakeDevice::artifactOf("reference", plan));
  EXPECT_TRUE(oracle->verify(device, **right, plan).ok());
  auto wrong = device.load(FakeDevice::artifactOf("off", plan));
  EXPECT_FALSE(oracle->verify(device, **wrong, plan).ok());
}

TEST_F(OracleTest, DeviceFailuresPassThrough) {
  auto oracle = create([](size_t, double x) { return x; });
  ASSERT_TRUE(oracle.ok());
  auto executable =
      device.load(FakeDevice::artifactOf("reference", plan(ElementType::f32)));
  device.failNextLaunch = true;
  auto failed = oracle->verify(device, **executable, plan(ElementType::f32));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().status, Status::fault);
  device.memoryBytes = 1;
  failed = oracle->verify(device, **executable, plan(ElementType::f32));
  EXPECT_EQ(failed.error().status, Status::out_of_memory);
}

TEST_F(OracleTest, ReferenceThatDoesNotLoadOrRunIsAnError) {
  LaunchPlan plan = OracleTest::plan(ElementType::f64);
  Problem problem{FakeDevice::artifactOf("gone", plan), 1, false,
                  ElementType::f64};
  auto oracle = Oracle::create(problem, plan.signature(), 1, device);
  ASSERT_FALSE(oracle.ok());
  EXPECT_THAT(oracle.error().message, HasSubstr("no kernel 'gone'"));
  device.failNextLaunch = true;
  auto failing = create([](size_t, double x) { return x; });
  ASSERT_FALSE(failing.ok());
  EXPECT_THAT(failing.error().message, HasSubstr("the fake device failed"));
}

TEST_F(OracleTest, PlansMustAgree) {
  LaunchPlan plan = OracleTest::plan(ElementType::f32);
  auto refusal = [&](LaunchPlan reference) {
    auto oracle = Oracle::create(
        {FakeDevice::artifactOf("reference", std::move(reference)), 1, false,
         ElementType::f32},
        plan.signature(), 1, device);
    return oracle ? "accepted" : oracle.error().message;
  };
  LaunchPlan reference = OracleTest::plan(ElementType::f64);
  LaunchPlan shorter = reference;
  shorter.buffers.pop_back();
  EXPECT_THAT(refusal(shorter), HasSubstr("1 buffers, the kernel 2"));
  LaunchPlan reshaped = reference;
  reshaped.buffers[0].shape = {20, 10};
  EXPECT_THAT(refusal(reshaped), HasSubstr("disagrees about buffer arg0"));
  LaunchPlan readWrite = reference;
  readWrite.buffers[1].access = Access::read_write;
  EXPECT_THAT(refusal(readWrite), HasSubstr("disagrees about buffer result0"));
  plan.buffers[1].elementType = ElementType::i32;
  EXPECT_THAT(refusal(reference),
              HasSubstr("result0 has element type i32, in the reference f64"));
}

namespace {

/// Returns a kernel of sums of products that is no product of two buffers.
template <typename T> FakeKernel cubes(int64_t terms) {
  return [=](std::span<void *const> buffers) {
    auto *x = static_cast<const T *>(buffers[0]);
    auto *result = static_cast<T *>(buffers[1]);
    for (int64_t i = 0; i < 200; ++i) {
      T sum = 0;
      for (int64_t t = 0; t < terms; ++t)
        sum += x[(i + t) % 200] * x[(i + t) % 200] * x[i];
      result[i] = sum;
    }
  };
}

} // namespace

TEST_F(OracleTest, ProductsOfABufferWithItselfAreNotOverflowed) {
  // Cubes of integers leave f32's 24 bits long before those of two factors do.
  for (int64_t terms : {1, 50, 200})
    for (uint64_t seed : {1, 2, 3}) {
      device.kernels["reference"] = cubes<double>(terms);
      device.kernels["candidate"] = cubes<float>(terms);
      LaunchPlan plan = OracleTest::plan(ElementType::f32);
      Problem problem{FakeDevice::artifactOf(
                          "reference", OracleTest::plan(ElementType::f64)),
                      static_cast<uint64_t>(terms), true, ElementType::f32,
                      true};
      auto oracle = Oracle::create(problem, plan.signature(), seed, device);
      ASSERT_TRUE(oracle.ok()) << oracle.error().message;
      auto right = device.load(FakeDevice::artifactOf("candidate", plan));
      auto verified = oracle->verify(device, **right, plan);
      EXPECT_TRUE(verified.ok()) << verified.error().message;
    }
}

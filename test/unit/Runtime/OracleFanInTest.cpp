//===- Tests for the estimated number of terms ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Oracle/ReferenceKernel.h"

#include "Judge.h"

#include <numeric>
#include <optional>

using namespace tonno;

namespace {

using Shape = std::vector<int64_t>;

BufferSpec real(const char *name, const Shape &shape, Access access) {
  return {name, ElementType::f32, shape, access, 64};
}

/// Returns a kernel of C = A B, with A [m][k] and B [k][n].
template <typename T> FakeKernel matmul(int m, int n, int k) {
  return [=](std::span<void *const> buffers) {
    auto *a = static_cast<const T *>(buffers[0]);
    auto *b = static_cast<const T *>(buffers[1]);
    auto *c = static_cast<T *>(buffers[2]);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        T sum = 0;
        for (int l = 0; l < k; ++l)
          sum += a[i * k + l] * b[l * n + j];
        c[i * n + j] = sum;
      }
  };
}

/// Returns a kernel of y = factor x.
template <typename T> FakeKernel scale(size_t size, double factor) {
  return [=](std::span<void *const> buffers) {
    for (size_t i = 0; i < size; ++i)
      static_cast<T *>(buffers[1])[i] =
          static_cast<const T *>(buffers[0])[i] * T(factor);
  };
}

/// Stores the sum of x in x[0].
void sumInPlace(std::span<void *const> buffers) {
  auto *x = static_cast<double *>(buffers[0]);
  x[0] = std::accumulate(x, x + 2048, 0.0);
}

double fanInOf(const std::vector<BufferSpec> &buffers, const FakeKernel &kernel,
               std::optional<double> constant = {}) {
  Judge judge(buffers);
  judge.device.kernels["reference"] = kernel;
  Signature signature = judge.plan.signature();
  auto reference = ReferenceKernel::load(
      judge.device, FakeDevice::artifactOf("reference", judge.referencePlan),
      signature);
  EXPECT_TRUE(reference.ok());
  std::mt19937_64 generator(1);
  Values declared(signature.size());
  for (size_t i = 0; i < signature.size(); ++i)
    if (constant && isInput(signature[i]))
      declared[i].assign(signature[i].elements(), *constant);
  Values inputs = drawReals(signature, declared, generator);
  auto results = reference->run(inputs);
  EXPECT_TRUE(results.ok());
  auto fanIn = reference->estimateFanIn(inputs, results->values, generator);
  EXPECT_TRUE(fanIn.ok());
  return fanIn ? *fanIn : 0;
}

std::string scaledBy(double factor, const Shape &shape) {
  Judge judge(
      {real("x", shape, Access::read), real("y", shape, Access::write)});
  judge.reductionLength = 0;
  judge.isExact = judge.isSumOfProducts = false;
  size_t size = judge.plan.buffers[0].elements();
  return judge.judge(scale<double>(size, 3.14159265),
                     scale<float>(size, factor));
}

} // namespace

TEST(OracleFanIn, IsThatOfAProductsTerms) {
  for (auto [m, n, k] : {std::tuple(16, 16, 1024), std::tuple(64, 16, 256),
                         std::tuple(100, 7, 300)}) {
    double fanIn = fanInOf({real("a", {m, k}, Access::read),
                            real("b", {k, n}, Access::read),
                            real("c", {m, n}, Access::write)},
                           matmul<double>(m, n, k));
    EXPECT_GE(fanIn, 0.9 * k);
    EXPECT_LE(fanIn, 8.0 * k); // where few rows are hit more than once
  }
}

TEST(OracleFanIn, IsLeastWhereNothingIsSummedUp) {
  for (const Shape &shape : {Shape{16384}, Shape{16, 32, 32}})
    EXPECT_EQ(fanInOf({real("x", shape, Access::read),
                       real("y", shape, Access::write)},
                      scale<double>(16384, 3)),
              64);
}

/// Only one of thousands of elements has terms.
TEST(OracleFanIn, IsThatOfTheLongestSum) {
  EXPECT_GE(fanInOf({real("x", {2048}, Access::read_write)}, sumInPlace), 2048);
}

TEST(OracleFanIn, IsKnownOfInputsThatAreAllEqual) {
  std::vector<BufferSpec> buffers = {real("x", {2048}, Access::read_write)};
  EXPECT_GE(fanInOf(buffers, sumInPlace, 0.1), 2048);
  EXPECT_EQ(fanInOf(buffers, sumInPlace, 0), 64);
  EXPECT_EQ(fanInOf({real("x", {16384}, Access::read),
                     real("y", {16384}, Access::write)},
                    scale<double>(16384, 3), 0.1),
            64);
}

TEST(OracleFanIn, IsTheLargestBuffersElementsWhereNobodyKnows) {
  for (int64_t size : {512, 16384})
    EXPECT_EQ(fanInOf({{"x", ElementType::i32, {1, size}, Access::read, 64},
                       real("y", {size}, Access::write)},
                      [](std::span<void *const>) {}),
              size == 512 ? 512 : 4096);
}

/// However the extents are written.
TEST(OracleFanIn, BoundsWhatHasNoSums) {
  for (const Shape &shape :
       {Shape{16384}, Shape{16, 1024}, Shape{16, 32, 32}}) {
    EXPECT_EQ(scaledBy(3.14159265, shape), "ok");
    EXPECT_EQ(scaledBy(3.14159265 * (1 + 2e-7), shape), "ok");
    EXPECT_EQ(scaledBy(3.1415, shape), "wrong");
  }
}

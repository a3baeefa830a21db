//===- Wrong matrix products are caught, right ones pass ------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Oracle/Oracle.h"

#include "Matmuls.h"

#include <gmock/gmock.h>

using namespace tonno;

namespace {

/// Matrix product, with and without the exact passes.
struct MatmulCase {
  int64_t k;
  bool exact;
};

class OracleMatmul : public testing::TestWithParam<MatmulCase> {
protected:
  /// Returns the name of the Status of the variant with this seed.
  std::string judge(const MatmulVariant &variant, uint64_t seed) {
    return judge(matmul(shape, variant), seed);
  }

  std::string judge(const FakeKernel &candidate, uint64_t seed) {
    FakeDevice device;
    device.kernels["reference"] = referenceMatmul(shape);
    device.kernels["candidate"] = candidate;
    LaunchPlan plan = shape.plan(ElementType::f32);
    auto oracle = Oracle::create(shape.problem(GetParam().exact),
                                 plan.signature(), seed, device);
    EXPECT_TRUE(oracle.ok()) << oracle.error().message;
    auto executable = device.load(FakeDevice::artifactOf("candidate", plan));
    auto right = oracle->verify(device, **executable, plan);
    message = right ? "" : right.error().message;
    return std::string(toString(right ? Status::ok : right.error().status));
  }

  /// Neither square nor a power of two: an index that is off shows.
  MatmulShape shape = {6, 7, GetParam().k};
  std::string message;
};

class OracleExactMatmul : public OracleMatmul {};

} // namespace

static constexpr uint64_t seeds[] = {0, 1, 2, 3, 12345};

TEST_P(OracleMatmul, RightOnesPass) {
  for (const MatmulVariant &variant : rightMatmuls())
    for (uint64_t seed : seeds)
      EXPECT_EQ(judge(variant, seed), "ok")
          << variant.name << " with seed " << seed << ": " << message;
}

/// Mutants that lose or gain whole terms, or put results elsewhere.
static std::vector<MatmulVariant> structuralMutants() {
  auto withTerms = [](const std::string &name, auto keep) {
    return MatmulVariant{.name = name,
                         .dot = [keep](const Terms &a, const Terms &b) {
                           float sum = 0;
                           for (size_t t = 0; t < a.size(); ++t)
                             sum += keep(t, a.size()) * (a[t] * b[t]);
                           return sum;
                         }};
  };
  std::vector<MatmulVariant> all;
  all.push_back(withTerms("last term dropped", [](size_t t, size_t k) {
    return t + 1 == k ? 0.0f : 1.0f;
  }));
  all.push_back(withTerms("first term twice", [](size_t t, size_t) {
    return t == 0 ? 2.0f : 1.0f;
  }));
  all.push_back(withTerms("last k-tile dropped", [](size_t t, size_t k) {
    return t + 8 >= k ? 0.0f : 1.0f;
  }));
  all.push_back(
      {.name = "k shifted", .dot = [](const Terms &a, const Terms &b) {
         float sum = 0;
         for (size_t t = 0; t < a.size(); ++t)
           sum += a[t] * b[(t + 1) % b.size()];
         return sum;
       }});
  auto finishing = [&](const std::string &name, auto finish) {
    all.push_back({.name = name, .finish = finish});
  };
  float nan = std::nanf("");
  finishing("row not written", [=](float *c, const MatmulShape &s) {
    std::fill_n(c + 2 * s.n, s.n, nan);
  });
  finishing("last element not written",
            [=](float *c, const MatmulShape &s) { c[s.m * s.n - 1] = nan; });
  finishing("last element zeroed",
            [](float *c, const MatmulShape &s) { c[s.m * s.n - 1] = 0; });
  finishing("two rows swapped", [](float *c, const MatmulShape &s) {
    std::swap_ranges(c, c + s.n, c + s.n);
  });
  finishing("shifted by one", [](float *c, const MatmulShape &s) {
    std::rotate(c, c + 1, c + s.m * s.n);
  });
  finishing("negated", [](float *c, const MatmulShape &s) {
    for (int64_t i = 0; i < s.m * s.n; ++i)
      c[i] = -c[i];
  });
  finishing("off by one", [](float *c, const MatmulShape &) { c[5] += 1; });
  return all;
}

TEST_P(OracleMatmul, StructuralMutantsAreWrong) {
  for (const MatmulVariant &mutant : structuralMutants())
    for (uint64_t seed : seeds) {
      // A zeroed element that is zero by right, as a sum of +-1 may be, is seen
      // by the other passes.
      EXPECT_EQ(judge(mutant, seed), "wrong")
          << mutant.name << " with seed " << seed;
    }
}

// Only the exact passes detect this.
TEST_P(OracleExactMatmul, OneDroppedTermOfOneElementIsWrong) {
  for (uint64_t seed : seeds) {
    size_t element = 0;
    MatmulVariant mutant{.name = "",
                         .dot = [&](const Terms &a, const Terms &b) {
                           float sum = plainDot(a, b);
                           bool drop = element++ % 42 == 30;
                           size_t t = a.size() / 3;
                           return drop ? sum - a[t] * b[t] : sum;
                         }};
    EXPECT_EQ(judge(mutant, seed), "wrong") << seed;
    EXPECT_THAT(message, testing::HasSubstr("result0[4][2] is"));
    EXPECT_THAT(message, testing::HasSubstr("1 of 42 elements"));
  }
}

/// Mutants that compute with less precision than f32.
static std::vector<MatmulVariant> impreciseMutants() {
  std::vector<MatmulVariant> all;
  for (int bits : {8, 11}) {
    std::string type = bits == 8 ? "bf16" : "f16";
    all.push_back({.name = "accumulated in " + type,
                   .dot = [bits](const Terms &a, const Terms &b) {
                     float sum = 0;
                     for (size_t t = 0; t < a.size(); ++t)
                       sum = roundTo(sum + a[t] * b[t], bits);
                     return sum;
                   }});
    all.push_back({.name = "spilled once in " + type,
                   .dot = [bits](const Terms &a, const Terms &b) {
                     float sum = 0;
                     for (size_t t = 0; t < a.size(); ++t) {
                       sum += a[t] * b[t];
                       if (t == a.size() / 2)
                         sum = roundTo(sum, bits);
                     }
                     return sum;
                   }});
    all.push_back({.name = "output in " + type,
                   .dot = [bits](const Terms &a, const Terms &b) {
                     return roundTo(plainDot(a, b), bits);
                   }});
    all.push_back({.name = "inputs in " + type,
                   .read = [bits](float x) { return roundTo(x, bits); }});
  }
  return all;
}

TEST_P(OracleMatmul, LowerPrecisionIsWrong) {
  for (const MatmulVariant &mutant : impreciseMutants())
    for (uint64_t seed : seeds)
      EXPECT_EQ(judge(mutant, seed), "wrong")
          << mutant.name << " with seed " << seed;
}

TEST_P(OracleMatmul, SwappedOperandsAreWrong) {
  shape.k = std::min<int64_t>(GetParam().k, 100);
  shape.m = shape.n = shape.k;
  FakeKernel right = matmul(shape, {.name = "plain"});
  auto swapped = [&](std::span<void *const> buffers) {
    std::vector<void *> order = {buffers[1], buffers[0], buffers[2]};
    right(order);
  };
  EXPECT_EQ(judge(right, 1), "ok") << message;
  EXPECT_EQ(judge(FakeKernel(swapped), 1), "wrong");
}

TEST_P(OracleMatmul, ReadingOneElementTooFarIsWrong) {
  // The last element's sum has one term more, from behind both inputs.
  for (int64_t odd : {0, 1}) {
    shape.k = GetParam().k + odd;
    FakeKernel right = matmul(shape, {.name = "plain"});
    auto tooFar = [&](std::span<void *const> buffers) {
      right(buffers);
      auto *a = static_cast<const float *>(buffers[0]);
      auto *b = static_cast<const float *>(buffers[1]);
      auto *c = static_cast<float *>(buffers[2]);
      c[shape.m * shape.n - 1] +=
          a[shape.m * shape.k] * b[shape.k * shape.n - 1];
    };
    for (uint64_t seed : seeds)
      ASSERT_EQ(judge(FakeKernel(tooFar), seed), "wrong") << shape.k;
  }
}

TEST_P(OracleMatmul, WritingOneElementTooFarIsOutOfBounds) {
  FakeKernel right = matmul(shape, {.name = "plain"});
  for (int64_t where : {int64_t(-1), shape.m * shape.n}) {
    auto tooFar = [&](std::span<void *const> buffers) {
      right(buffers);
      static_cast<float *>(buffers[2])[where] = 0;
    };
    EXPECT_EQ(judge(FakeKernel(tooFar), 1), "out_of_bounds");
    EXPECT_THAT(message, testing::HasSubstr("result0"));
  }
}

TEST_P(OracleMatmul, WritingIntoAnInputIsOutOfBounds) {
  FakeKernel right = matmul(shape, {.name = "plain"});
  auto scribble = [&](std::span<void *const> buffers) {
    right(buffers);
    static_cast<float *>(buffers[1])[3] += 1;
  };
  EXPECT_EQ(judge(FakeKernel(scribble), 1), "out_of_bounds");
  EXPECT_THAT(message, testing::HasSubstr("input arg1"));
}

static std::string nameOf(const testing::TestParamInfo<MatmulCase> &info) {
  return "K" + std::to_string(info.param.k) +
         (info.param.exact ? "Exact" : "Real");
}
static constexpr MatmulCase exactCases[] = {
    {16, true}, {256, true}, {4096, true}};
static constexpr MatmulCase realCases[] = {
    {16, false}, {256, false}, {4096, false}};

INSTANTIATE_TEST_SUITE_P(Exact, OracleMatmul, testing::ValuesIn(exactCases),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Real, OracleMatmul, testing::ValuesIn(realCases),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(Exact, OracleExactMatmul,
                         testing::ValuesIn(exactCases), nameOf);

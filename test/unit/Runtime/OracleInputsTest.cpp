//===- Declared inputs, small types ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"

#include "Judge.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>

using namespace tonno;
using testing::HasSubstr;

static BufferSpec buffer(const std::string &name, Access access,
                         std::vector<int64_t> shape, ElementType type,
                         const std::string &input = "") {
  BufferSpec spec = {name, type, std::move(shape), access, 64};
  if (!input.empty())
    spec.input = *InputSpec::parse(input);
  return spec;
}

static constexpr int64_t rows = 60;
static constexpr int64_t columns = 4;

/// Returns a kernel of result[i] = sum of table[indices[i] + off][...] times
/// weights.
template <typename T> static FakeKernel gatherRows(int64_t off) {
  return [=](std::span<void *const> buffers) {
    auto *indices = static_cast<const int32_t *>(buffers[0]);
    auto *table = static_cast<const T *>(buffers[1]);
    auto *weights = static_cast<const T *>(buffers[2]);
    for (int64_t i = 0; i < rows; ++i) {
      T sum = 0;
      ASSERT_GE(indices[i], 0);
      ASSERT_LT(indices[i], rows);
      int64_t row = std::min(indices[i] + off, rows - 1);
      for (int64_t j = 0; j < columns; ++j)
        sum += table[row * columns + j] * weights[j];
      static_cast<T *>(buffers[3])[i] = sum;
    }
  };
}

static Judge gatherJudge(const std::string &indices) {
  Judge judge({buffer("arg0", Access::read, {rows}, ElementType::i32, indices),
               buffer("arg1", Access::read, {rows, columns}, ElementType::f32),
               buffer("arg2", Access::read, {columns}, ElementType::f32),
               buffer("result0", Access::write, {rows}, ElementType::f32)});
  judge.reductionLength = columns;
  return judge;
}

TEST(OracleInputs, IndicesStayInBoundsInEveryPass) {
  for (const char *indices : {"integers(0, 59)", "permutation",
                              "sorted(integers(3, 7))", "uniform(0, 60)"})
    for (bool isExact : {true, false}) {
      Judge judge = gatherJudge(indices);
      judge.isExact = judge.isSumOfProducts = isExact;
      EXPECT_EQ(judge.judge(gatherRows<double>(0), gatherRows<float>(0)), "ok")
          << judge.message;
    }
}

TEST(OracleInputs, GatheringTheRowBesideIsWrong) {
  for (const char *indices : {"integers(0, 59)", "permutation"})
    for (bool isExact : {true, false}) {
      Judge judge = gatherJudge(indices);
      judge.isExact = judge.isSumOfProducts = isExact;
      EXPECT_EQ(judge.judge(gatherRows<double>(0), gatherRows<float>(1)),
                "wrong");
    }
}

namespace {

/// The inputs on which the reference ran, one vector a run.
struct Watched {
  std::vector<std::vector<double>> runs;
  size_t passes = 0;

  /// Returns a kernel with 16 equal results, the sum of the products of arg0
  /// and arg1.
  FakeKernel kernel() {
    return [this](std::span<void *const> buffers) {
      auto *a = static_cast<const double *>(buffers[0]);
      auto *b = static_cast<const double *>(buffers[1]);
      runs.emplace_back(a, a + 16);
      // Counts the passes whose inputs are not magnitudes only.
      passes += std::any_of(b, b + 16, [](double x) { return x < 0; });
      double sum = 0;
      for (int64_t i = 0; i < 16; ++i)
        sum += a[i] * b[i];
      std::fill_n(static_cast<double *>(buffers[2]), 16, sum);
    };
  }
};

} // namespace

/// Returns a judge of 16 results: with fewer, the reference would run again for
/// their sensitivity.
static Judge dotJudge(const std::string &input,
                      ElementType type = ElementType::f32) {
  Judge judge({buffer("arg0", Access::read, {16}, type, input),
               buffer("arg1", Access::read, {16}, ElementType::f32),
               buffer("result0", Access::write, {16}, ElementType::f32)});
  judge.reductionLength = 16;
  return judge;
}

TEST(OracleInputs, DeclaredIntegersAreUsedInEveryPass) {
  Judge judge = dotJudge("integers(3, 5)");
  Watched watched;
  ASSERT_TRUE(judge.open(watched.kernel()).ok());
  // Small and wide, each as magnitudes first, then the real-valued pass.
  ASSERT_EQ(watched.runs.size(), 5u);
  for (const std::vector<double> &run : watched.runs)
    EXPECT_EQ(run, watched.runs.front());
}

TEST(OracleInputs, DeclaredRealsAreUsedInTheRealPassAndForTiming) {
  Judge judge = dotJudge("uniform(7, 8)");
  Watched watched;
  auto oracle = judge.open(watched.kernel());
  ASSERT_TRUE(oracle.ok());
  ASSERT_EQ(watched.runs.size(), 5u);
  for (size_t i = 0; i < 5; ++i)
    for (double x : watched.runs[i]) {
      EXPECT_EQ(x == std::round(x), i < 4);
      EXPECT_EQ(x > 7 && x < 8, i == 4);
    }
  EXPECT_EQ(decode(ElementType::f32, oracle->timingInputs()[0]),
            watched.runs.back());
}

TEST(OracleInputs, PassesWhoseSumsMayNotFitAreLeftOut) {
  auto passes = [](const std::string &input) {
    Watched watched;
    EXPECT_TRUE(dotJudge(input).open(watched.kernel()).ok());
    return watched.passes;
  };
  EXPECT_EQ(passes("constant(1000)"), 3u);
  // The small pass still has room in 2^24, a wider one has none.
  EXPECT_EQ(passes("constant(1048576)"), 2u);
  EXPECT_EQ(passes("constant(1048577)"), 1u);
}

TEST(OracleInputs, IndicesWhoseMagnitudesLeaveTheirRangeStopTheExactPasses) {
  for (auto [input, runs] :
       {std::pair("constant(-4)", 1u), std::pair("constant(4)", 5u)}) {
    Judge judge = dotJudge(input, ElementType::i32);
    size_t ran = 0;
    auto reference = [&](std::span<void *const> buffers) {
      ++ran;
      EXPECT_EQ(static_cast<const int32_t *>(buffers[0])[0],
                std::string_view(input) == "constant(4)" ? 4 : -4);
      std::fill_n(static_cast<double *>(buffers[2]), 16, 0);
    };
    ASSERT_TRUE(judge.open(reference).ok());
    EXPECT_EQ(ran, runs);
  }
}

TEST(OracleInputs, WithoutABoundOnlySmallDataIsCalledExact) {
  auto passes = [](const std::string &input, ElementType type) {
    Judge judge = dotJudge(input, type);
    judge.isSumOfProducts = false;
    size_t ran = 0;
    EXPECT_TRUE(judge
                    .open([&](std::span<void *const> buffers) {
                      ++ran;
                      std::fill_n(static_cast<double *>(buffers[2]), 16, 0);
                    })
                    .ok());
    return ran;
  };
  EXPECT_EQ(passes("", ElementType::f32), 2u);
  EXPECT_EQ(passes("integers(0, 1)", ElementType::f32), 2u);
  EXPECT_EQ(passes("integers(2, 3)", ElementType::f32), 1u);
  EXPECT_EQ(passes("integers(2, 4000)", ElementType::i32), 2u);
  EXPECT_EQ(passes("constant(5000)", ElementType::i32), 1u);
}

TEST(OracleInputs, DataThatIsRefusedIsAnError) {
  Watched watched;
  auto oracle =
      dotJudge("integers(0, 300)", ElementType::i8).open(watched.kernel());
  ASSERT_FALSE(oracle.ok());
  EXPECT_THAT(oracle.error().message, HasSubstr("arg0"));
}

/// Returns a kernel that sums K products in order.
template <typename T> static FakeKernel dot(int64_t k) {
  return [=](std::span<void *const> buffers) {
    auto *a = static_cast<const T *>(buffers[0]);
    auto *b = static_cast<const T *>(buffers[1]);
    T sum = 0;
    for (int64_t i = 0; i < k; ++i)
      sum += a[i] * b[i];
    static_cast<T *>(buffers[2])[0] = sum;
  };
}

TEST(OracleInputs, EqualRoundingsOfConstantDataAddUp) {
  for (int64_t k : {4096, 65536})
    for (const char *input :
         {"constant(0.1)", "constant(0.7)", "constant(1e-5)",
          "normal(200.03, 1e-3)", "uniform(0, 1)", "uniform(5, 6)",
          "normal(3, 0.1)"}) {
      Judge judge({buffer("arg0", Access::read, {k}, ElementType::f32, input),
                   buffer("arg1", Access::read, {k}, ElementType::f32, input),
                   buffer("result0", Access::write, {1}, ElementType::f32)});
      judge.reductionLength = static_cast<uint64_t>(k);
      EXPECT_EQ(judge.judge(dot<double>(k), dot<float>(k)), "ok")
          << input << " " << judge.message;
      // A lost term is found nevertheless, where it is over K u of the sum.
      EXPECT_EQ(judge.judge(dot<double>(k), dot<float>(k - k / 64)), "wrong")
          << input;
    }
}

/// Returns a product of vectors whose running sum is cut off toward zero, as in
/// matrix instructions of NVIDIA's GPUs.
static FakeKernel truncatingDot(int64_t k) {
  return [=](std::span<void *const> buffers) {
    auto *a = static_cast<const float *>(buffers[0]);
    auto *b = static_cast<const float *>(buffers[1]);
    float sum = 0;
    for (int64_t i = 0; i < k; ++i) {
      double exact = sum + static_cast<double>(a[i]) * b[i];
      sum = static_cast<float>(exact);
      if (std::fabs(sum) > std::fabs(exact))
        sum = std::nextafter(sum, 0.0f);
    }
    static_cast<float *>(buffers[2])[0] = sum;
  };
}

/// Products of vectors of varied positive numbers, by a target that may cut
/// sums off.
class OracleTruncatedSums : public testing::Test {
protected:
  static Judge makeJudge() {
    const char *input = "uniform(0, 1)";
    Judge judge({buffer("arg0", Access::read, {k}, ElementType::f32, input),
                 buffer("arg1", Access::read, {k}, ElementType::f32, input),
                 buffer("result0", Access::write, {1}, ElementType::f32)});
    judge.reductionLength = k;
    judge.mayTruncateSums = true;
    return judge;
  }
  static constexpr int64_t k = 4096;
};

TEST_F(OracleTruncatedSums, AreRightWhereTheTargetFormsThem) {
  Judge judge = makeJudge();
  EXPECT_EQ(judge.judge(dot<double>(k), truncatingDot(k)), "ok")
      << judge.message;
  judge.mayTruncateSums = false;
  EXPECT_EQ(judge.judge(dot<double>(k), truncatingDot(k)), "wrong");
}

TEST_F(OracleTruncatedSums, LoseNoTerms) {
  Judge judge = makeJudge();
  EXPECT_EQ(judge.judge(dot<double>(k), truncatingDot(k - k / 64)), "wrong");
}

/// Returns a kernel of 20 sums of 500 products each, which `finish` converts to
/// i8.
template <typename Finish> static FakeKernel sumsOfBytes(Finish finish) {
  return [=](std::span<void *const> buffers) {
    auto *a = static_cast<const int8_t *>(buffers[0]);
    auto *b = static_cast<const int8_t *>(buffers[1]);
    for (int64_t row = 0; row < 20; ++row) {
      int32_t sum = 0;
      for (int64_t i = 0; i < 500; ++i)
        sum += a[row * 500 + i] * b[i];
      static_cast<int8_t *>(buffers[2])[row] = finish(sum);
    }
  };
}

TEST(OracleInputs, SumsOfSmallIntegersWrapAlike) {
  FakeKernel wraps =
      sumsOfBytes([](int32_t sum) { return static_cast<int8_t>(sum); });
  FakeKernel saturates = sumsOfBytes([](int32_t sum) {
    return static_cast<int8_t>(std::clamp(sum, -128, 127));
  });
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Judge judge({buffer("arg0", Access::read, {20, 500}, ElementType::i8),
                 buffer("arg1", Access::read, {500}, ElementType::i8),
                 buffer("result0", Access::write, {20}, ElementType::i8)});
    judge.reductionLength = 500;
    judge.accumulator = ElementType::i8;
    judge.seed = seed;
    EXPECT_EQ(judge.judge(wraps, wraps), "ok") << judge.message;
    EXPECT_EQ(judge.judge(wraps, saturates), "wrong") << seed;
  }
}

TEST(OracleInputs, IntegersOf64BitsAreComparedToTheLastBit) {
  auto scale = [](int64_t off) {
    return [=](std::span<void *const> buffers) {
      static_cast<int64_t *>(buffers[1])[0] =
          static_cast<const int64_t *>(buffers[0])[0] * (int64_t(1) << 60) +
          off;
    };
  };
  Judge judge({buffer("arg0", Access::read, {1}, ElementType::i64),
               buffer("result0", Access::write, {1}, ElementType::i64)});
  judge.accumulator = ElementType::i64;
  judge.isExact = false;
  EXPECT_EQ(judge.judge(scale(0), scale(0)), "ok");
  EXPECT_EQ(judge.judge(scale(0), scale(1)), "wrong");
  // The message prints both exactly, though they are equal as doubles.
  EXPECT_THAT(judge.message, testing::MatchesRegex(
                                 "result0\\[0\\] is -?[0-9]*[13579], should be "
                                 "-?[0-9]*[02468]; .*"));
}

TEST(OracleInputs, BooleansAreComparedAsBytes) {
  auto both = [](uint8_t truth) {
    return [=](std::span<void *const> buffers) {
      for (int i = 0; i < 100; ++i)
        static_cast<uint8_t *>(buffers[2])[i] =
            static_cast<uint8_t *>(buffers[0])[i] &
                    static_cast<uint8_t *>(buffers[1])[i]
                ? truth
                : 0;
    };
  };
  std::vector<BufferSpec> buffers;
  for (const char *name : {"arg0", "arg1"})
    buffers.push_back(buffer(name, Access::read, {100}, ElementType::i1));
  buffers.push_back(buffer("result0", Access::write, {100}, ElementType::i1));
  Judge judge(buffers);
  judge.accumulator = ElementType::i1;
  EXPECT_EQ(judge.judge(both(1), both(1)), "ok") << judge.message;
  EXPECT_EQ(judge.judge(both(1), both(255)), "wrong");
  EXPECT_EQ(judge.judge(both(1), both(0)), "wrong");
  // Inputs are 0 or 1.
  EXPECT_EQ(judge.judge(both(1),
                        [&](std::span<void *const> all) {
                          for (int i = 0; i < 100; ++i)
                            EXPECT_LE(static_cast<uint8_t *>(all[0])[i], 1);
                          both(1)(all);
                        }),
            "ok");
}

TEST(OracleInputs, ReferenceMustComputeInTheSameIntegers) {
  Judge judge({buffer("arg0", Access::read, {1}, ElementType::i8),
               buffer("result0", Access::write, {1}, ElementType::i8)});
  judge.referencePlan.buffers[1].elementType = ElementType::i32;
  auto oracle = judge.open([](std::span<void *const>) {});
  ASSERT_FALSE(oracle.ok());
  EXPECT_THAT(oracle.error().message,
              HasSubstr("result0 has element type i8, in the reference i32"));
}

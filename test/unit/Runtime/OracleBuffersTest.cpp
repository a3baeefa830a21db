//===- In place, strided, with workspace ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Runtime/Elements.h"

#include "Judge.h"

#include <gmock/gmock.h>

using namespace tonno;
using testing::HasSubstr;

static BufferSpec buffer(const std::string &name, Access access,
                         std::vector<int64_t> shape,
                         std::vector<int64_t> strides = {},
                         ElementType type = ElementType::f32) {
  BufferSpec spec = {name, type, std::move(shape), access, 64};
  spec.strides = std::move(strides);
  return spec;
}

/// Returns a kernel that calls f(x, y) for each of n numbers in place; f gets
/// the current values.
template <typename T, typename F> static FakeKernel inPlace(F f) {
  return [=](std::span<void *const> buffers) {
    auto *x = static_cast<const T *>(buffers[0]);
    auto *y = static_cast<T *>(buffers[1]);
    for (int64_t i = 0; i < 200; ++i)
      y[i] = f(i, x, y);
  };
}

static Judge inPlaceJudge(bool isExact) {
  Judge judge({buffer("arg0", Access::read, {200}),
               buffer("arg1", Access::read_write, {200})});
  judge.reductionLength = 3;
  judge.isExact = judge.isSumOfProducts = isExact;
  return judge;
}

TEST(OracleInPlace, AccumulatingIntoABufferPasses) {
  auto add = [](int64_t i, auto *x, auto *y) { return y[i] + x[i]; };
  for (bool isExact : {true, false}) {
    Judge judge = inPlaceJudge(isExact);
    EXPECT_EQ(judge.judge(inPlace<double>(add), inPlace<float>(add)), "ok")
        << judge.message;
    // Whatever the first launch left, the second finds the first's contents.
    auto oracle = judge.open(inPlace<double>(add));
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(judge.judge(*oracle, inPlace<float>(add)), "ok");
  }
}

TEST(OracleInPlace, MutantsAreWrong) {
  auto add = [](int64_t i, auto *x, auto *y) { return y[i] + x[i]; };
  struct Mutant {
    const char *name;
    FakeKernel kernel;
  };
  const Mutant mutants[] = {
      {"ignores what was there",
       inPlace<float>([](int64_t i, auto *x, auto *) { return x[i]; })},
      {"reads its output twice",
       inPlace<float>(
           [](int64_t i, auto *x, auto *y) { return y[i] + x[i] + y[i]; })},
      {"runs twice",
       [once = inPlace<float>(add)](std::span<void *const> buffers) {
         once(buffers);
         once(buffers);
       }},
      {"does nothing", [](std::span<void *const>) {}},
      {"begins with zero",
       inPlace<float>([](int64_t i, auto *x, auto *) { return 0 + x[i]; })},
  };
  for (bool isExact : {true, false})
    for (const Mutant &mutant : mutants) {
      Judge judge = inPlaceJudge(isExact);
      EXPECT_EQ(judge.judge(inPlace<double>(add), mutant.kernel), "wrong")
          << mutant.name;
      EXPECT_THAT(judge.message, HasSubstr("arg1"));
    }
}

TEST(OracleInPlace, ReadingWhatIsWrittenAlreadyIsWrong) {
  // Each gets its left neighbour as it was, which a loop upward has
  // overwritten.
  auto neighbour = [](int64_t i, auto *x, auto *y) {
    return x[i] + y[i] + (i > 0 ? y[i - 1] : 0);
  };
  auto reference = [](std::span<void *const> buffers) {
    auto *x = static_cast<const double *>(buffers[0]);
    auto *y = static_cast<double *>(buffers[1]);
    for (int64_t i = 200; i-- > 0;)
      y[i] = x[i] + y[i] + (i > 0 ? y[i - 1] : 0);
  };
  for (bool isExact : {true, false}) {
    Judge judge = inPlaceJudge(isExact);
    EXPECT_EQ(judge.judge(reference, inPlace<float>(neighbour)), "wrong");
  }
}

TEST(OracleInPlace, WritingIntoTheInputBesideIsOutOfBounds) {
  auto add = [](int64_t i, auto *x, auto *y) { return y[i] + x[i]; };
  Judge judge = inPlaceJudge(true);
  auto scribble = [right = inPlace<float>(add)](auto buffers) {
    right(buffers);
    static_cast<float *>(buffers[0])[3] += 1;
  };
  EXPECT_EQ(judge.judge(inPlace<double>(add), scribble), "out_of_bounds");
  EXPECT_THAT(judge.message, HasSubstr("input arg0"));
}

namespace {

/// 3 rows and 5 columns, by the elements between the starts of two.
struct Steps {
  int64_t row, column;
};

} // namespace

/// Returns a kernel of result = 2 arg, with elements at the given steps.
template <typename T> static FakeKernel doubling(Steps from, Steps to) {
  return [=](std::span<void *const> buffers) {
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < 5; ++j)
        static_cast<T *>(buffers[1])[i * to.row + j * to.column] =
            2 *
            static_cast<const T *>(buffers[0])[i * from.row + j * from.column];
  };
}

static Judge stridedJudge(Steps from, Steps to) {
  return Judge({buffer("arg0", Access::read, {3, 5}, {from.row, from.column}),
                buffer("result0", Access::write, {3, 5}, {to.row, to.column})});
}

static constexpr Steps dense = {5, 1};
static constexpr Steps padded = {8, 1};
static constexpr Steps transposed = {1, 4};
static constexpr Steps sparse = {2, 7};

TEST(OracleStrides, EveryLayoutOfCandidateAndReferencePasses) {
  for (Steps from : {dense, padded, transposed, sparse})
    for (Steps to : {dense, padded, transposed, sparse}) {
      Judge judge = stridedJudge(from, to);
      EXPECT_EQ(
          judge.judge(doubling<double>(from, to), doubling<float>(from, to)),
          "ok")
          << judge.message;
      // The reference's layout is its own.
      for (BufferSpec &each : judge.referencePlan.buffers)
        each.strides.clear();
      EXPECT_EQ(judge.judge(doubling<double>(dense, dense),
                            doubling<float>(from, to)),
                "ok")
          << judge.message;
      judge.referencePlan.buffers[1].strides = {9, 1};
      EXPECT_EQ(judge.judge(doubling<double>(dense, {9, 1}),
                            doubling<float>(from, to)),
                "ok")
          << judge.message;
    }
}

TEST(OracleStrides, TakingAnotherLayoutIsFound) {
  Judge judge = stridedJudge(padded, padded);
  FakeKernel reference = doubling<double>(padded, padded);
  EXPECT_EQ(judge.judge(reference, doubling<float>(dense, padded)), "wrong");
  EXPECT_EQ(judge.judge(reference, doubling<float>(padded, dense)),
            "out_of_bounds");
  EXPECT_EQ(judge.judge(reference, doubling<float>({8, 1}, {7, 1})),
            "out_of_bounds");
}

TEST(OracleStrides, WritingIntoGapsIsOutOfBounds) {
  // A vector of eight without a mask does this.
  auto wholeRows = [](std::span<void *const> buffers) {
    for (int64_t i = 0; i < 3; ++i)
      for (int64_t j = 0; j < (i < 2 ? 8 : 5); ++j)
        static_cast<float *>(buffers[1])[8 * i + j] =
            2 * static_cast<const float *>(buffers[0])[8 * i + j];
  };
  Judge judge = stridedJudge(padded, padded);
  EXPECT_EQ(judge.judge(doubling<double>(padded, padded), wholeRows),
            "out_of_bounds");
  EXPECT_THAT(judge.message, HasSubstr("result0 between its rows"));
  auto intoInput = [](std::span<void *const> buffers) {
    doubling<float>(padded, padded)(buffers);
    static_cast<float *>(buffers[0])[6] = 0;
  };
  EXPECT_EQ(judge.judge(doubling<double>(padded, padded), intoInput),
            "out_of_bounds");
  EXPECT_THAT(judge.message, HasSubstr("arg0 between its rows"));
}

TEST(OracleStrides, LayoutsWhoseElementsShareMemoryAreErrors) {
  for (Steps shared : {Steps{0, 1}, Steps{4, 1}, Steps{1, 1}}) {
    Judge judge = stridedJudge(shared, dense);
    auto oracle = judge.open(doubling<double>(shared, dense));
    ASSERT_FALSE(oracle.ok());
    EXPECT_THAT(oracle.error().message, HasSubstr("buffer arg0"));
    EXPECT_THAT(oracle.error().message, HasSubstr("share memory"));
  }
  Judge judge = stridedJudge(dense, dense);
  judge.referencePlan.buffers[1].strides = {0, 1};
  EXPECT_FALSE(judge.open(doubling<double>(dense, dense)).ok());
}

/// Returns a kernel of result = 2 arg, through a workspace.
template <typename T> static FakeKernel byWorkspace() {
  return [](std::span<void *const> buffers) {
    auto *scratch = static_cast<T *>(buffers[2]);
    for (int64_t i = 0; i < 15; ++i)
      scratch[i] = 2 * static_cast<const T *>(buffers[0])[i];
    std::copy_n(scratch, 15, static_cast<T *>(buffers[1]));
  };
}

static Judge workspaceJudge() {
  Judge judge({buffer("arg0", Access::read, {3, 5}),
               buffer("result0", Access::write, {3, 5})});
  judge.plan.buffers.push_back(buffer("workspace0", Access::workspace, {15}));
  return judge;
}

TEST(OracleWorkspace, CandidateAndReferenceHaveTheirOwn) {
  Judge judge = workspaceJudge();
  EXPECT_EQ(judge.judge(doubling<double>(dense, dense), byWorkspace<float>()),
            "ok")
      << judge.message;
  judge.referencePlan.buffers.push_back(
      buffer("workspace0", Access::workspace, {15}, {}, ElementType::f64));
  EXPECT_EQ(judge.judge(byWorkspace<double>(), byWorkspace<float>()), "ok")
      << judge.message;
  judge.plan.buffers.pop_back();
  EXPECT_EQ(judge.judge(byWorkspace<double>(), doubling<float>(dense, dense)),
            "ok")
      << judge.message;
}

TEST(OracleWorkspace, MayBeLarge) {
  Judge judge = workspaceJudge();
  judge.plan.buffers[2].shape = {int64_t(64) << 18}; // 64 MiB
  auto toItsEnd = [](std::span<void *const> buffers) {
    byWorkspace<float>()(buffers);
    static_cast<float *>(buffers[2])[(int64_t(64) << 18) - 1] = 1;
  };
  EXPECT_EQ(judge.judge(doubling<double>(dense, dense), toItsEnd), "ok")
      << judge.message;
}

TEST(OracleWorkspace, HoldsNothingThatOneMayRelyOn) {
  Judge judge = workspaceJudge();
  auto addsUp = [](std::span<void *const> buffers) {
    auto *scratch = static_cast<float *>(buffers[2]);
    for (int64_t i = 0; i < 15; ++i)
      static_cast<float *>(buffers[1])[i] = scratch[i] +=
          2 * static_cast<const float *>(buffers[0])[i];
  };
  EXPECT_EQ(judge.judge(doubling<double>(dense, dense), addsUp), "wrong");
}

TEST(OracleWorkspace, WritingBesideItIsOutOfBounds) {
  Judge judge = workspaceJudge();
  for (int64_t where : {-1, 15}) {
    auto beside = [=](std::span<void *const> buffers) {
      byWorkspace<float>()(buffers);
      static_cast<float *>(buffers[2])[where] = 0;
    };
    EXPECT_EQ(judge.judge(doubling<double>(dense, dense), beside),
              "out_of_bounds");
    EXPECT_THAT(judge.message, HasSubstr("workspace0"));
  }
}

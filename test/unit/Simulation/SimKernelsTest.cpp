//===- Whole kernels simulated, and mutants -------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SimulatedProblems.h"

#include <chrono>
#include <gmock/gmock.h>

using namespace tonno;

namespace {

std::string replaceAll(std::string text, const std::string &from,
                       const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

class SimKernelsTest
    : public SimulationTest,
      public testing::WithParamInterface<const SimulatedVendor *> {
protected:
  std::string write(const SimulatedProblem &problem) const {
    std::string text = problem.text;
    for (const auto &[word, meaning] : GetParam()->words)
      text = replaceAll(text, word, meaning);
    return GetParam()->header +
           replaceAll(text, "$LANES", std::to_string(GetParam()->subgroupSize));
  }

  std::unique_ptr<Executable> load(const SimulatedProblem &problem,
                                   const std::string &text) {
    return SimulationTest::load(text, "k", problem.geometry,
                                static_cast<uint32_t>(problem.inputs + 1),
                                {GetParam()->subgroupSize});
  }

  /// Makes inputs of small integers, so that sums are exact in any order.
  static std::vector<std::vector<float>>
  makeInputs(const SimulatedProblem &problem) {
    std::vector<std::vector<float>> inputs(problem.inputs);
    uint32_t state = 12345;
    for (std::vector<float> &input : inputs)
      for (size_t i = 0; i < problem.inputSize; ++i)
        input.push_back(
            static_cast<float>((state = state * 1664525 + 1013904223) >> 28));
    return inputs;
  }

  /// Returns the number of launches, each in another order, that failed or gave
  /// an unexpected result.
  int countWrong(const SimulatedProblem &problem, const std::string &text,
                 int launches) {
    auto executable = load(problem, text);
    if (!executable)
      return 0;
    auto inputs = makeInputs(problem);
    std::vector<float> expected =
        problem.compute(inputs, GetParam()->subgroupSize);
    int wrong = 0;
    for (int launch = 0; launch < launches; ++launch) {
      std::vector<float> output(problem.outputSize + 64, -1);
      std::vector<DevicePointer> buffers;
      for (auto &input : inputs)
        buffers.push_back({input.data()});
      buffers.push_back({output.data()});
      bool ran = device->launch(*executable, buffers).ok();
      expected.resize(output.size(), -1); // what lies behind stays as it was
      wrong += !ran || output != expected;
    }
    return wrong;
  }

  void expectCaught(const SimulatedProblem &problem, const std::string &from,
                    const std::string &to) {
    std::string text = write(problem), mutant = replaceAll(text, from, to);
    ASSERT_NE(text, mutant) << from;
    EXPECT_GT(countWrong(problem, mutant, 4), 0)
        << problem.name << ": '" << from << "' became '" << to << "'";
  }
};

std::string
nameOf(const testing::TestParamInfo<const SimulatedVendor *> &info) {
  return info.param->name;
}

} // namespace

INSTANTIATE_TEST_SUITE_P(Vendors, SimKernelsTest,
                         testing::Values(&nvidia, &amd), nameOf);

TEST_P(SimKernelsTest, GiveTheRightResultsInEveryOrder) {
  for (const SimulatedProblem *problem :
       {&additionProblem, &treeProblem, &shuffleProblem, &transpositionProblem})
    EXPECT_EQ(countWrong(*problem, write(*problem), 16), 0) << problem->name;
}

TEST_P(SimKernelsTest, AProductIsRightAndItsTimeIsKept) {
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(countWrong(productProblem, write(productProblem), 2), 0);
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(elapsed.count()));
}

TEST_P(SimKernelsTest, ADroppedBarrierIsCaughtEachTime) {
  std::string barrier = GetParam()->words.at("$BARRIER");
  for (const SimulatedProblem *problem : {&treeProblem, &transpositionProblem})
    EXPECT_EQ(countWrong(*problem, replaceAll(write(*problem), barrier, ""), 8),
              8)
        << problem->name;
  for (const char *which : {" ; loaded", " ; used"}) {
    std::string mutant = replaceAll(write(productProblem), barrier + which, "");
    EXPECT_EQ(countWrong(productProblem, mutant, 8), 8) << which;
  }
}

TEST_P(SimKernelsTest, ADivergentBarrierIsCaughtEachTime) {
  std::string barrier = GetParam()->words.at("$BARRIER");
  std::string text = replaceAll(write(treeProblem), barrier, "");
  text = replaceAll(text, "%j = add", barrier + "\n%j = add");
  EXPECT_EQ(countWrong(treeProblem, text, 8), 8);
}

TEST_P(SimKernelsTest, MutantsOfIndicesAreCaught) {
  expectCaught(additionProblem, "%i = add i32 %start, %tx",
               "%i0 = add i32 %start, %tx\n%i = add i32 %i0, 1");
  expectCaught(additionProblem, "ult i32 %i, 300", "ult i32 %i, 301");
  expectCaught(additionProblem, "ult i32 %i, 300", "ult i32 %i, 299");
  expectCaught(additionProblem, "mul i32 %bx, 64", "mul i32 %bx, 65");
  expectCaught(treeProblem, "phi i32 [64,", "phi i32 [32,");
  expectCaught(treeProblem, "phi i32 [64,", "phi i32 [63,");
  expectCaught(treeProblem, "icmp ult i32 %tx, %s", "icmp ule i32 %tx, %s");
  expectCaught(treeProblem, "mul i32 %bx, 128", "mul i32 %bx, 127");
  expectCaught(transpositionProblem, "%u = add i32 %urow, %ty",
               "%u = add i32 %trow, %tx");
  expectCaught(transpositionProblem, "%urow = mul i32 %tx, 17",
               "%urow = mul i32 %tx, 16");
  expectCaught(transpositionProblem, "%xo = add i32 %y0, %tx",
               "%xo = add i32 %x0, %tx");
  expectCaught(transpositionProblem, "mul i32 %yo, 48", "mul i32 %yo, 32");
  expectCaught(productProblem, "i32 %ty, i32 %k\n", "i32 %k, i32 %ty\n");
  expectCaught(productProblem, "icmp ult i32 %kn, 16", "icmp ult i32 %kn, 15");
  expectCaught(productProblem, "%bk = add i32 %k0, %ty",
               "%bk = add i32 %k0, %tx");
}

TEST_P(SimKernelsTest, MutantsOfShufflesAreCaught) {
  expectCaught(shuffleProblem, "%d = phi i32 [1, %0]", "%d = phi i32 [2, %0]");
  expectCaught(shuffleProblem, "%twice = shl i32 %d, 1",
               "%twice = shl i32 %d, 2");
  expectCaught(shuffleProblem, "icmp ult i32 %twice", "icmp ule i32 %twice");
  expectCaught(shuffleProblem, "fadd float %v, %w", "fadd float %w, %w");
}

TEST_P(SimKernelsTest, AccessesOutsideOfABufferAreCaught) {
  auto launch = [&](const std::string &from, const std::string &to,
                    int64_t bytes) {
    std::string text = replaceAll(write(additionProblem), from, to);
    auto executable =
        SimulationTest::load(text, "k", additionProblem.geometry, 3,
                             {GetParam()->subgroupSize}, bytes);
    std::vector<float> memory(1024);
    std::vector<DevicePointer> buffers(3, {memory.data() + 64});
    auto ran = device->launch(*executable, buffers);
    EXPECT_TRUE(ran.ok() || ran.error().status == Status::out_of_bounds);
    return ran.ok() ? "" : ran.error().message;
  };
  std::string store = "getelementptr float, ptr addrspace(1) %out, i32 %i";
  EXPECT_EQ(launch(store, store, 1200), "");
  EXPECT_THAT(launch(store, store, 1199),
              testing::HasSubstr("4 bytes at byte 1196 of argument 0 were "
                                 "read; the argument has 1199"));
  // An access before the buffer.
  EXPECT_THAT(
      launch(store, "getelementptr float, ptr addrspace(1) %out, i32 -1", 1200),
      testing::HasSubstr("4 bytes at byte -4 of argument 2 were "
                         "written"));
}

TEST_P(SimKernelsTest, SharedMemoryTooShortIsCaught) {
  SimulatedProblem cut = treeProblem;
  cut.geometry.sharedBytes = 508;
  EXPECT_EQ(countWrong(cut, write(cut), 4), 4);
  expectCaught(transpositionProblem, "272 x float", "270 x float");
}

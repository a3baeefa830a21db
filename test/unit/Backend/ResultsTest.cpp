//===- Kernels with several results ---------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "LoadedKernel.h"

#include "tonno/Backend/Compile.h"

using namespace tonno;

namespace {

/// Computation on x: `body`, then "return %p, %q" or the reverse.
struct TwoResults {
  const char *name;
  const char *body;
  double (*p)(double);
  double (*q)(double);
};

class ResultsTest
    : public KernelTest,
      public ::testing::WithParamInterface<std::tuple<TwoResults, bool>> {};

constexpr char head[] = R"(
func.func @f(%x: tensor<8xf64>) -> (tensor<8xf64>, tensor<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<8xf64>
)";

const TwoResults kernels[] = {
    // Sums that begin with the same fill.
    {"OfOneFill", R"(
  %s = tensor.expand_shape %x [[0, 1]] output_shape [8, 1]
    : tensor<8xf64> into tensor<8x1xf64>
  %f = linalg.fill ins(%one : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
  %p = linalg.reduce {arith.addf} ins(%s : tensor<8x1xf64>)
    outs(%f : tensor<8xf64>) dimensions = [1]
  %q = linalg.reduce {arith.mulf} ins(%s : tensor<8x1xf64>)
    outs(%f : tensor<8xf64>) dimensions = [1])",
     [](double x) { return 1 + x; }, [](double x) { return x; }},
    {"OneOverTheOther", R"(
  %p = linalg.square ins(%x : tensor<8xf64>) outs(%e : tensor<8xf64>)
    -> tensor<8xf64>
  %q = linalg.add ins(%x, %p : tensor<8xf64>, tensor<8xf64>)
    outs(%p : tensor<8xf64>) -> tensor<8xf64>)",
     [](double x) { return x * x; }, [](double x) { return x + x * x; }},
    {"BothOverAThird", R"(
  %a = linalg.square ins(%x : tensor<8xf64>) outs(%e : tensor<8xf64>)
    -> tensor<8xf64>
  %p = linalg.add ins(%x, %x : tensor<8xf64>, tensor<8xf64>)
    outs(%a : tensor<8xf64>) -> tensor<8xf64>
  %q = linalg.mul ins(%x, %a : tensor<8xf64>, tensor<8xf64>)
    outs(%a : tensor<8xf64>) -> tensor<8xf64>)",
     [](double x) { return x + x; }, [](double x) { return x * x * x; }},
    {"OfTwoLoops", R"(
  %a = linalg.square ins(%x : tensor<8xf64>) outs(%e : tensor<8xf64>)
    -> tensor<8xf64>
  %p = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %a) -> tensor<8xf64> {
    %n = linalg.add ins(%v, %x : tensor<8xf64>, tensor<8xf64>)
      outs(%v : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %n : tensor<8xf64>
  }
  %q = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %a) -> tensor<8xf64> {
    %n = linalg.mul ins(%v, %x : tensor<8xf64>, tensor<8xf64>)
      outs(%v : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %n : tensor<8xf64>
  })",
     [](double x) { return x * x + x + x + x; },
     [](double x) { return x * x * x * x * x; }},
    // The branches yield the other result, or the buffer that it is computed
    // in.
    {"OfBranches", R"(
  %a = linalg.square ins(%x : tensor<8xf64>) outs(%e : tensor<8xf64>)
    -> tensor<8xf64>
  %k = arith.constant 2 : index
  %y = tensor.extract %x[%k] : tensor<8xf64>
  %c = arith.cmpf olt, %y, %one : f64
  %p = scf.if %c -> tensor<8xf64> {
    scf.yield %a : tensor<8xf64>
  } else {
    scf.yield %x : tensor<8xf64>
  }
  %q = linalg.mul ins(%x, %a : tensor<8xf64>, tensor<8xf64>)
    outs(%a : tensor<8xf64>) -> tensor<8xf64>)",
     [](double x) { return x; }, [](double x) { return x * x * x; }},
    // The common init of both loops of an scf.while is selected, too.
    {"OfLoopsUntil", R"(
  %w:2 = scf.while (%v = %x, %k = %c0)
      : (tensor<8xf64>, index) -> (tensor<8xf64>, index) {
    %l = arith.cmpi slt, %k, %c3 : index
    scf.condition(%l) %v, %k : tensor<8xf64>, index
  } do {
  ^bb0(%v: tensor<8xf64>, %k: index):
    %m = arith.addi %k, %c1 : index
    %n = linalg.add ins(%x, %v : tensor<8xf64>, tensor<8xf64>)
      outs(%v : tensor<8xf64>) -> tensor<8xf64>
    scf.yield %n, %m : tensor<8xf64>, index
  }
  %y = tensor.extract %x[%c0] : tensor<8xf64>
  %c = arith.cmpf olt, %y, %one : f64
  %s = arith.select %c, %w#0, %x : tensor<8xf64>
  %a = linalg.square ins(%x : tensor<8xf64>) outs(%e : tensor<8xf64>)
    -> tensor<8xf64>
  %p, %last = scf.while (%v = %w#0, %k = %c0)
      : (tensor<8xf64>, index) -> (tensor<8xf64>, index) {
    %l = arith.cmpi slt, %k, %c1 : index
    scf.condition(%l) %v, %k : tensor<8xf64>, index
  } do {
  ^bb0(%v: tensor<8xf64>, %k: index):
    %m = arith.addi %k, %c1 : index
    scf.yield %a, %m : tensor<8xf64>, index
  }
  %q = linalg.mul ins(%s, %x : tensor<8xf64>, tensor<8xf64>)
    outs(%s : tensor<8xf64>) -> tensor<8xf64>)",
     [](double x) { return x * x; }, [](double x) { return 4 * x * x; }},
    // The branch may yield the argument, which is read later.
    {"OfTheArgument", R"(
  %k = arith.constant 2 : index
  %y = tensor.extract %x[%k] : tensor<8xf64>
  %c = arith.cmpf olt, %y, %one : f64
  %a = linalg.square ins(%x : tensor<8xf64>) outs(%x : tensor<8xf64>)
    -> tensor<8xf64>
  %p = scf.if %c -> tensor<8xf64> {
    scf.yield %a : tensor<8xf64>
  } else {
    scf.yield %x : tensor<8xf64>
  }
  %q = linalg.add ins(%x, %a : tensor<8xf64>, tensor<8xf64>)
    outs(%x : tensor<8xf64>) -> tensor<8xf64>)",
     [](double x) { return x; }, [](double x) { return x + x * x; }},
    {"OfAView", R"(
  %t = tensor.empty() : tensor<4x2xf64>
  %y = tensor.expand_shape %x [[0, 1]] output_shape [4, 2]
    : tensor<8xf64> into tensor<4x2xf64>
  %a = linalg.square ins(%y : tensor<4x2xf64>) outs(%t : tensor<4x2xf64>)
    -> tensor<4x2xf64>
  %p = tensor.collapse_shape %a [[0, 1]] : tensor<4x2xf64> into tensor<8xf64>
  %b = linalg.mul ins(%a, %y : tensor<4x2xf64>, tensor<4x2xf64>)
    outs(%a : tensor<4x2xf64>) -> tensor<4x2xf64>
  %q = tensor.collapse_shape %b [[0, 1]] : tensor<4x2xf64> into tensor<8xf64>)",
     [](double x) { return x * x; }, [](double x) { return x * x * x; }},
    {"OfOneSelectedTwice", R"(
  %b = linalg.square ins(%x : tensor<8xf64>) outs(%e : tensor<8xf64>)
    -> tensor<8xf64>
  %p, %q = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x, %w = %b)
      -> (tensor<8xf64>, tensor<8xf64>) {
    %l = arith.cmpi sge, %i, %c1 : index
    %s = arith.select %l, %v, %b : tensor<8xf64>
    scf.yield %s, %s : tensor<8xf64>, tensor<8xf64>
  })",
     [](double x) { return x * x; }, [](double x) { return x * x; }},
    {"OfAnInnerLoopTwice", R"(
  %b = linalg.square ins(%x : tensor<8xf64>) outs(%e : tensor<8xf64>)
    -> tensor<8xf64>
  %p, %q = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x, %w = %b)
      -> (tensor<8xf64>, tensor<8xf64>) {
    %n:2 = scf.while (%u = %v, %k = %c0)
        : (tensor<8xf64>, index) -> (tensor<8xf64>, index) {
      %l = arith.cmpi slt, %k, %c1 : index
      scf.condition(%l) %u, %k : tensor<8xf64>, index
    } do {
    ^bb0(%u: tensor<8xf64>, %k: index):
      %m = arith.addi %k, %c1 : index
      %s = linalg.add ins(%u, %x : tensor<8xf64>, tensor<8xf64>)
        outs(%u : tensor<8xf64>) -> tensor<8xf64>
      scf.yield %s, %m : tensor<8xf64>, index
    }
    scf.yield %n#0, %n#0 : tensor<8xf64>, tensor<8xf64>
  })",
     [](double x) { return x + x + x + x; },
     [](double x) { return x + x + x + x; }},
    {"OfAnAffineLoop", R"(
  %p = linalg.square ins(%x : tensor<8xf64>) outs(%e : tensor<8xf64>)
    -> tensor<8xf64>
  %q = affine.for %i = 0 to 8 iter_args(%v = %p) -> tensor<8xf64> {
    %a = tensor.extract %v[%i] : tensor<8xf64>
    %n = arith.addf %a, %one : f64
    %w = tensor.insert %n into %v[%i] : tensor<8xf64>
    affine.yield %w : tensor<8xf64>
  })",
     [](double x) { return x * x; }, [](double x) { return x * x + 1; }},
};

TEST_P(ResultsTest, AreEachRight) {
  const auto &[kernel, isReversed] = GetParam();
  auto module = parse(std::string(head) + kernel.body + "\n  return " +
                      (isReversed ? "%q, %p" : "%p, %q") +
                      " : tensor<8xf64>, tensor<8xf64>\n}");
  auto reference = compileReference(*module, "f");
  ASSERT_TRUE(succeeded(reference)) << message;
  auto backend = createBackend({"host", "native"});
  auto candidate = compileCandidate(**backend, *module, "f");
  ASSERT_TRUE(succeeded(candidate)) << message;
  for (const Artifact *compiled : {&reference->reference, &*candidate}) {
    alignas(64) double x[8], p[8], q[8], workspace[128];
    for (int i = 0; i < 8; ++i)
      x[i] = i - 0.75;
    std::vector<void *> buffers{x, isReversed ? q : p, isReversed ? p : q};
    ASSERT_LE(compiled->plan.buffers.size(), 4u);
    buffers.resize(compiled->plan.buffers.size(), workspace);
    LoadedKernel run(*compiled);
    run(buffers);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(p[i], kernel.p(x[i])) << i;
      EXPECT_EQ(q[i], kernel.q(x[i])) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ResultsTest,
    ::testing::Combine(::testing::ValuesIn(kernels), ::testing::Bool()),
    [](const auto &instance) {
      return std::string(std::get<0>(instance.param).name) +
             (std::get<1>(instance.param) ? "Reversed" : "");
    });

} // namespace

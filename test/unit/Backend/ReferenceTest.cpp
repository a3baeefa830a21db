//===- References in f64 --------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "LoadedKernel.h"

#include "tonno/Backend/Compile.h"

#include <algorithm>
#include <cmath>

using namespace tonno;

namespace {

using ReferenceTest = KernelTest;

TEST_F(ReferenceTest, NudgesRoundedElementwiseCode) {
  auto exact = compileReference(*parse(productText), "product");
  ASSERT_TRUE(succeeded(exact)) << message;
  EXPECT_FALSE(exact->nudged.has_value());

  auto module = parse(R"(
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.map ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>)
    (%x: f32, %o: f32) {
      %t = math.tanh %x : f32
      %s = arith.addf %t, %one : f32
      linalg.yield %s : f32
    }
  return %r : tensor<4xf32>
})");
  auto problem = compileReference(*module, "f");
  ASSERT_TRUE(succeeded(problem)) << message;
  ASSERT_TRUE(problem->nudged.has_value());
  alignas(64) double in[4] = {-4, -2, 0, 2}, plain[4], nudged[4];
  LoadedKernel(problem->reference)({in, plain});
  LoadedKernel (*problem->nudged)({in, nudged});
  for (int i = 0; i < 4; ++i) {
    // The change is in proportion to the roundings of tanh and of the sum, not
    // to the result after cancellation.
    double share = std::fabs(nudged[i] - plain[i]) / roundingNudge;
    EXPECT_LE(share, std::fabs(std::tanh(in[i])) + plain[i]);
    EXPECT_GE(share, in[i] == 0 ? 0.4 : 0.3 * std::fabs(std::tanh(in[i])));
  }
}

TEST_F(ReferenceTest, NudgedReferencesAreOneBinary) {
  auto module = parse(R"(
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.map ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>)
    (%x: f32, %o: f32) {
      %t = math.tanh %x : f32
      %s = arith.addf %t, %half : f32
      %m = math.round %s : f32
      %d = arith.subf %s, %m : f32
      linalg.yield %d : f32
    }
  return %r : tensor<4xf32>
})");
  auto problem = compileReference(*module, "f");
  ASSERT_TRUE(succeeded(problem)) << message;
  ASSERT_TRUE(problem->nudged.has_value());
  ASSERT_EQ(problem->besideSteps.size(), 4u);
  alignas(64) double in[4] = {-2, -1, 0.25, 0.3}, plain[4], nudged[4];
  LoadedKernel(problem->reference)({in, plain});
  LoadedKernel (*problem->nudged)({in, nudged});
  std::vector<std::vector<double>> found = {{nudged, nudged + 4}};
  for (const Artifact &beside : problem->besideSteps) {
    EXPECT_EQ(beside.binary, problem->nudged->binary);
    alignas(64) double moved[4];
    LoadedKernel loaded(beside);
    loaded({in, moved});
    for (int i = 0; i < 4; ++i) {
      EXPECT_NE(moved[i], plain[i]);
      EXPECT_NEAR(moved[i], plain[i], 32 * 0x1p-24);
    }
    found.emplace_back(moved, moved + 4);
  }
  // Each has factors of its own.
  std::ranges::sort(found);
  EXPECT_EQ(std::ranges::adjacent_find(found), found.end());
}

TEST_F(ReferenceTest, ComputesInDouble) {
  auto module = parse(productText);
  auto problem = compileReference(*module, "product");
  ASSERT_TRUE(succeeded(problem)) << message;
  EXPECT_EQ(problem->reductionLength, 30u);
  EXPECT_TRUE(problem->exact);
  EXPECT_TRUE(problem->sumsOfProducts);
  EXPECT_EQ(problem->accumulator, ElementType::f32);
  ASSERT_EQ(problem->reference.plan.buffers.size(), 3u);
  for (const BufferSpec &buffer : problem->reference.plan.buffers)
    EXPECT_EQ(buffer.elementType, ElementType::f64);

  alignas(64) static double a[20 * 30], b[30 * 10], c[20 * 10];
  for (int i = 0; i < 600; ++i)
    a[i] = 1.0 / (i + 1);
  for (int i = 0; i < 300; ++i)
    b[i] = 1.0 / (i + 7);
  LoadedKernel(problem->reference)({a, b, c});
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 10; ++j) {
      double sum = 0;
      for (int k = 0; k < 30; ++k)
        sum += a[i * 30 + k] * b[k * 10 + j];
      EXPECT_NEAR(c[i * 10 + j], sum, 1e-14);
    }
  // The module is as it was: a candidate can still be compiled from it.
  auto kernel = module->lookupSymbol<mlir::func::FuncOp>("product");
  auto plan = launchPlan(kernel);
  ASSERT_TRUE(succeeded(plan));
  EXPECT_EQ(plan->buffers[0].elementType, ElementType::f32);
}

TEST_F(ReferenceTest, KnowsWhatIsNotExact) {
  auto isExact = [&](const std::string &body) {
    auto module =
        parse("func.func @f(%x: f32) -> f32 { " + body + " return %r : f32 }");
    auto problem = compileReference(*module, "f");
    EXPECT_TRUE(succeeded(problem)) << message;
    return succeeded(problem) && problem->exact;
  };
  EXPECT_TRUE(isExact("%r = arith.mulf %x, %x : f32"));
  EXPECT_TRUE(isExact("%c = arith.constant 2.0 : f32 "
                      "%r = arith.maximumf %x, %c : f32"));
  EXPECT_FALSE(isExact("%c = arith.constant 0.1 : f32 "
                       "%r = arith.addf %x, %c : f32"));
  EXPECT_FALSE(isExact("%r = arith.divf %x, %x : f32"));
  EXPECT_FALSE(isExact("%r = math.sqrt %x : f32"));
  // On integers the reference computes the very same.
  EXPECT_TRUE(isExact("%n = arith.fptosi %x : f32 to i32 "
                      "%m = arith.shli %n, %n : i32 "
                      "%r = arith.sitofp %m : i32 to f32"));
  // Conversions are gone from the reference, but not from the candidates.
  EXPECT_FALSE(isExact("%n = arith.truncf %x : f32 to bf16 "
                       "%r = arith.extf %n : bf16 to f32"));
  EXPECT_TRUE(isExact("%n = arith.fptosi %x : f32 to i32 "
                      "%r = arith.sitofp %n : i32 to f32"));
}

TEST_F(ReferenceTest, KnowsSumsOfProducts) {
  auto isSum = [&](const std::string &body) {
    auto module =
        parse("func.func @f(%x: f32) -> f32 { " + body + " return %r : f32 }");
    auto problem = compileReference(*module, "f");
    EXPECT_TRUE(succeeded(problem)) << message;
    return succeeded(problem) && problem->sumsOfProducts;
  };
  EXPECT_TRUE(isSum("%p = arith.mulf %x, %x : f32 "
                    "%r = arith.addf %p, %x : f32"));
  EXPECT_TRUE(isSum("%c = arith.constant 2.0 : f32 "
                    "%r = arith.mulf %x, %c : f32"));
  // The larger is as large as the magnitudes' at most.
  EXPECT_TRUE(isSum("%c = arith.constant 0.0 : f32 "
                    "%r = arith.maximumf %x, %c : f32"));
  // On magnitudes, these ops lower the value.
  EXPECT_FALSE(isSum("%c = arith.constant -2.0 : f32 "
                     "%r = arith.mulf %x, %c : f32"));
  EXPECT_FALSE(isSum("%r = arith.subf %x, %x : f32"));
  EXPECT_FALSE(isSum("%r = arith.minimumf %x, %x : f32"));
  EXPECT_FALSE(isSum("%c = arith.constant -1.0 : f32 "
                     "%r = arith.maximumf %x, %c : f32"));
  EXPECT_FALSE(isSum("%r = arith.divf %x, %x : f32"));
}

TEST_F(ReferenceTest, KnowsProductsOfResults) {
  auto multiplies = [&](const std::string &body) {
    auto module = parse("func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {"
                        " %e = tensor.empty() : tensor<4x4xf32> " +
                        body + " return %r : tensor<4x4xf32> }");
    auto problem = compileReference(*module, "f");
    EXPECT_TRUE(succeeded(problem)) << message;
    return succeeded(problem) && problem->multipliesResults;
  };
  auto op = [](const std::string &result, const std::string &name,
               const std::string &a, const std::string &b,
               const std::string &to) {
    std::string type = "tensor<4x4xf32>";
    return result + " = linalg." + name + " ins(" + a + ", " + b + " : " +
           type + ", " + type + ") outs(" + to + " : " + type + ") -> " + type;
  };
  EXPECT_TRUE(multiplies(op("%s", "matmul", "%x", "%x", "%e") +
                         op(" %r", "mul", "%s", "%s", "%e")));
  EXPECT_TRUE(multiplies(op("%s", "mul", "%x", "%x", "%e") +
                         op(" %r", "mul", "%s", "%x", "%e")));
  // Sums of many products are as large as their errors.
  EXPECT_FALSE(multiplies(op("%s", "matmul", "%x", "%x", "%e") +
                          op(" %r", "matmul", "%s", "%x", "%e")));
  EXPECT_FALSE(multiplies(op("%r", "mul", "%x", "%x", "%e")));
  EXPECT_FALSE(multiplies(op("%s", "mul", "%x", "%x", "%e") +
                          op(" %r", "div", "%s", "%x", "%e")));
}

TEST_F(ReferenceTest, KnobsNeedNoValue) {
  std::string text = productText;
  text.replace(text.find("[4, 8, 0]"), 9,
               "[#tonno.knob<\"M\" from [2, 4]>, 8, 0]");
  auto module = parse(text);
  EXPECT_TRUE(succeeded(compileReference(*module, "product"))) << message;
}

/// Fixture for a kernel's longest sum, and its accumulator's type.
class PrecisionTest : public KernelTest {
protected:
  std::string of(const std::string &arguments, const std::string &body) {
    auto module =
        parse("func.func @f(" + arguments + ") { " + body + " return }");
    auto problem = compileReference(*module, "f");
    EXPECT_TRUE(succeeded(problem)) << message;
    if (failed(problem))
      return message;
    return std::to_string(problem->reductionLength) + " in " +
           std::string(toString(problem->accumulator));
  }
};

TEST_F(PrecisionTest, LoopsThatHandSumsOnCount) {
  auto of = [&](const std::string &output) {
    return this->of(
        "%w: tensor<24xf32>, %x: tensor<24xf32>, %y: memref<24xf32>",
        "%c0 = arith.constant 0 : index"
        " %c1 = arith.constant 1 : index"
        " %c64 = arith.constant 64 : index"
        " %e = tensor.empty() : tensor<24xf32>"
        " %r = scf.for %i = %c0 to %c64 step %c1"
        " iter_args(%a = %x) -> tensor<24xf32> {"
        " %s = linalg.add ins(%w, %a : tensor<24xf32>,"
        " tensor<24xf32>) outs(" +
            output +
            " : tensor<24xf32>) -> tensor<24xf32>"
            " scf.yield %s : tensor<24xf32> }"
            " bufferization.materialize_in_destination %r in"
            " restrict writable %y"
            " : (tensor<24xf32>, memref<24xf32>) -> ()");
  };
  EXPECT_EQ(of("%a"), "64 in f32");
  EXPECT_EQ(of("%e"), "64 in f32");
}

TEST_F(PrecisionTest, LoopsThatAddInPlaceCount) {
  EXPECT_EQ(of("%a: memref<24x40xf32>, %b: memref<24xf32>",
               "affine.for %i = 0 to 24 { affine.for %k = 0 to 40 {"
               " %x = affine.load %a[%i, %k] : memref<24x40xf32>"
               " %y = affine.load %b[%i] : memref<24xf32>"
               " %z = arith.addf %x, %y : f32"
               " affine.store %z, %b[%i] : memref<24xf32> } }"),
            "40 in f32");
}

TEST_F(PrecisionTest, LoopsThatCarryASumCount) {
  EXPECT_EQ(
      of("%a: memref<24x40xf32>, %b: memref<24xf64>",
         "%z = arith.constant 0.0 : f64 affine.for %i = 0 to 24 {"
         " %s = affine.for %k = 0 to 40 step 2 iter_args(%c = %z) -> f64 {"
         " %x = affine.load %a[%i, %k] : memref<24x40xf32>"
         " %w = arith.extf %x : f32 to f64"
         " %y = arith.addf %c, %w : f64 affine.yield %y : f64 }"
         " affine.store %s, %b[%i] : memref<24xf64> }"),
      "20 in f64");
}

TEST_F(PrecisionTest, OpsWithinTiledLoopsCount) {
  EXPECT_EQ(of("%a: memref<8x64xf32>, %b: memref<64x16xf32>, %c: "
               "memref<8x16xf32>",
               "%c0 = arith.constant 0 : index %c16 = arith.constant 16 : index"
               " %c64 = arith.constant 64 : index"
               " scf.for %k = %c0 to %c64 step %c16 {"
               " %x = memref.subview %a[0, %k] [8, 16] [1, 1] : "
               "memref<8x64xf32> to memref<8x16xf32, strided<[64, 1], offset: "
               "?>> %y = memref.subview %b[%k, 0] [16, 16] [1, 1] : "
               "memref<64x16xf32> to memref<16x16xf32, strided<[16, 1], offset:"
               " ?>> linalg.matmul ins(%x, %y : memref<8x16xf32, "
               "strided<[64, 1], offset: ?>>, memref<16x16xf32, strided<[16, "
               "1], offset: ?>>) outs(%c : memref<8x16xf32>) }"),
            "64 in f32");
}

TEST_F(PrecisionTest, SumsThatGoOnFromOthersCount) {
  std::string type = "tensor<4x4xf32>";
  std::string product =
      " = linalg.matmul ins(%x, %x : " + type + ", " + type + ") outs(";
  EXPECT_EQ(of("%a: memref<4x4xf32>, %b: memref<4x4xf32>",
               "%z = arith.constant 0.0 : f32 %x = bufferization.to_tensor %a "
               "restrict : memref<4x4xf32> to " +
                   type + " %e = tensor.empty() : " + type +
                   " %f = linalg.fill ins(%z : f32) outs(%e : " + type +
                   ") -> " + type + " %s" + product + "%f : " + type + ") -> " +
                   type + " %r" + product + "%s : " + type + ") -> " + type +
                   " bufferization.materialize_in_destination %r in restrict "
                   "writable %b : (" +
                   type + ", memref<4x4xf32>) -> ()"),
            "8 in f32");
}

TEST_F(PrecisionTest, LoopsThatPassASumOnAsATensorCount) {
  auto loop = [&](const std::string &type, const std::string &body) {
    std::string held = "memref<8x" + type + ">";
    return of("%a: memref<8x" + type + ">, %b: memref<8x" + type + ">",
              "%c0 = arith.constant 0 : index %c1 = arith.constant 1 : index"
              " %c8 = arith.constant 8 : index"
              " %x = bufferization.to_tensor %a restrict : " +
                  held + " to tensor<8x" + type +
                  "> %e = tensor.empty() : tensor<8x" + type +
                  "> %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %e)"
                  " -> tensor<8x" +
                  type + "> { " + body + " scf.yield %n : tensor<8x" + type +
                  "> } bufferization.materialize_in_destination %r in restrict "
                  "writable %b : (tensor<8x" +
                  type + ">, " + held + ") -> ()");
  };
  std::string sum = " %n = linalg.add ins(%s, %x : tensor<8xf32>, "
                    "tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>";
  EXPECT_EQ(loop("f32", sum), "8 in f32");
  // Sums are rounded to the type they are passed on in, whatever the type of
  // the computation.
  EXPECT_EQ(
      loop("bf16",
           "%n = linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, "
           "affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = "
           "[\"parallel\"]} ins(%s, %x : tensor<8xbf16>, tensor<8xbf16>) "
           "outs(%e : tensor<8xbf16>) { ^bb0(%p: bf16, %q: bf16, %o: bf16):"
           " %u = arith.extf %p : bf16 to f32 %v = arith.extf %q : bf16 to f32"
           " %w = arith.addf %u, %v : f32 %t = arith.truncf %w : f32 to bf16"
           " linalg.yield %t : bf16 } -> tensor<8xbf16>"),
      "8 in bf16");
  // Each iteration has its own part.
  EXPECT_EQ(loop("f32",
                 "%y = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to "
                 "tensor<1xf32> %z = tensor.extract_slice %s[%i] [1] [1] : "
                 "tensor<8xf32> to tensor<1xf32> %w = linalg.add ins(%y, %z : "
                 "tensor<1xf32>, tensor<1xf32>) outs(%z : tensor<1xf32>) -> "
                 "tensor<1xf32> %n = tensor.insert_slice %w into %s[%i] [1] [1]"
                 " : tensor<1xf32> into tensor<8xf32>"),
            "1 in f32");
}

TEST_F(PrecisionTest, OpsThatStandForSeveralCount) {
  EXPECT_EQ(of("%a: memref<2x100xf32>, %b: memref<2x100xf32>",
               "%t = bufferization.to_tensor %a restrict : memref<2x100xf32> to"
               " tensor<2x100xf32> %e = tensor.empty() : tensor<2x100xf32>"
               " %r = linalg.softmax dimension(1) ins(%t : tensor<2x100xf32>)"
               " outs(%e : tensor<2x100xf32>) -> tensor<2x100xf32>"
               " bufferization.materialize_in_destination %r in restrict "
               "writable %b : (tensor<2x100xf32>, memref<2x100xf32>) -> ()"),
            "100 in f32");
}

// One rounding to f16 exceeds all roundings of a sum in f32.
TEST_F(PrecisionTest, NarrowArithmeticCounts) {
  std::string sum = "%v = vector.load %a[%c0] : memref<64xf32>, vector<64xf32>"
                    " %s = vector.reduction <add>, %v : vector<64xf32> into f32"
                    " %h = arith.truncf %s : f32 to f16 ";
  std::string zero = "%c0 = arith.constant 0 : index ";
  std::string store = " memref.store %r, %b[%c0] : memref<1xf16>";
  std::string arguments = "%a: memref<64xf32>, %b: memref<1xf16>";
  EXPECT_EQ(of(arguments, zero + sum + "%r = arith.negf %h : f16" + store),
            "64 in f32");
  EXPECT_EQ(of(arguments, zero + sum + "%r = arith.addf %h, %h : f16" + store),
            "1 in f16");
}

TEST_F(ReferenceTest, AnotherFunctionMayBeTheReference) {
  auto module = parse(
      "func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) attributes "
      "{tonno.reference = @g} {"
      " linalg.exp ins(%x : memref<4xf32>) outs(%y : memref<4xf32>) return }"
      "func.func private @g(%x: memref<4xf32>, %y: memref<4xf32>) {"
      " linalg.add ins(%x, %x : memref<4xf32>, memref<4xf32>)"
      " outs(%y : memref<4xf32>) return }");
  auto problem = compileReference(*module, "f");
  ASSERT_TRUE(succeeded(problem)) << message;
  EXPECT_TRUE(problem->sumsOfProducts);
  alignas(64) double x[] = {1, 2, 3, 4}, y[4] = {};
  LoadedKernel(problem->reference)({x, y});
  EXPECT_EQ(y[3], 8);
}

TEST_F(ReferenceTest, TheReferenceHasTheKernelsSignature) {
  auto messageOf = [&](const std::string &reference) {
    auto module = parse("func.func @f(%x: f32) -> f32 attributes "
                        "{tonno.reference = @g} { return %x : f32 }" +
                        reference);
    EXPECT_TRUE(failed(compileReference(*module, "f")));
    return message;
  };
  EXPECT_EQ(messageOf("func.func @g(%x: f64) -> f64 { return %x : f64 }"),
            "the reference of kernel 'f' has type '(f64) -> f64', the kernel "
            "'(f32) -> f32'");
  EXPECT_EQ(messageOf("func.func private @g(%x: f32) -> f32"),
            "the reference @g of kernel 'f' is not a function with a body");
}

// Buffer properties that the kernel's ops imply hold for the reference too.
TEST_F(ReferenceTest, HasTheKernelsBuffers) {
  auto module = parse(
      "func.func @f(%x: memref<4x4xf32, strided<[8, 1]>> {tonno.alignment = 4 "
      ": i64}, %y: memref<4x4xi32> {tonno.access = \"read_write\"}) attributes"
      " {tonno.reference = @g} { return }"
      "func.func private @g(%x: memref<4x4xf32, strided<[8, 1]>>, %y: "
      "memref<4x4xi32>) { return }");
  auto problem = compileReference(*module, "f");
  ASSERT_TRUE(succeeded(problem)) << message;
  auto &buffers = problem->reference.plan.buffers;
  ASSERT_EQ(buffers.size(), 2u);
  EXPECT_EQ(buffers[0].elementType, ElementType::f64);
  EXPECT_EQ(buffers[0].strides, (std::vector<int64_t>{8, 1}));
  EXPECT_EQ(buffers[0].alignment, 8u);
  EXPECT_EQ(buffers[1].access, Access::read_write);
}

} // namespace

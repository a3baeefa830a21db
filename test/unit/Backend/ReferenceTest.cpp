//===- ReferenceTest.cpp - References in f64 ------------------------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "tonno/Backend/Compile.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

using namespace tonno;

namespace {

using ReferenceTest = KernelTest;

/// Loads a shared object from memory and calls its only launch.
void launch(const Artifact &artifact, std::vector<void *> buffers) {
  char path[] = "/tmp/tonno-reference-XXXXXX";
  int descriptor = mkstemp(path);
  FILE *file = fdopen(descriptor, "wb");
  fwrite(artifact.binary.data(), 1, artifact.binary.size(), file);
  fclose(file);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  remove(path);
  ASSERT_TRUE(library) << dlerror();
  auto *entry = reinterpret_cast<void (*)(void **)>(
      dlsym(library, artifact.plan.launches[0].symbol.c_str()));
  ASSERT_TRUE(entry);
  entry(buffers.data());
  dlclose(library);
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
  launch(problem->reference, {a, b, c});
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
  // On magnitudes these give less than what they meet.
  EXPECT_FALSE(isSum("%c = arith.constant -2.0 : f32 "
                     "%r = arith.mulf %x, %c : f32"));
  EXPECT_FALSE(isSum("%r = arith.subf %x, %x : f32"));
  EXPECT_FALSE(isSum("%r = arith.maximumf %x, %x : f32"));
  EXPECT_FALSE(isSum("%r = arith.divf %x, %x : f32"));
}

TEST_F(ReferenceTest, KnobsNeedNoValue) {
  std::string text = productText;
  text.replace(text.find("[4, 8, 0]"), 9,
               "[#tonno.knob<\"M\" from [2, 4]>, 8, 0]");
  auto module = parse(text);
  EXPECT_TRUE(succeeded(compileReference(*module, "product"))) << message;
}

} // namespace

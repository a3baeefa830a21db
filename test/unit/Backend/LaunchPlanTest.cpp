//===- Launch plans and headers -------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"

#include "tonno/Backend/Emission.h"

using namespace tonno;

namespace {

class LaunchPlanTest : public KernelTest {
protected:
  mlir::FailureOr<LaunchPlan> plan(llvm::StringRef text) {
    module = parse(text);
    return launchPlan(module->lookupSymbol<mlir::func::FuncOp>("f"));
  }

  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(LaunchPlanTest, ArgumentsThenResults) {
  auto found = plan("func.func @f(%a: tensor<2x3xf32>, %s: bf16) -> (i1, "
                    "tensor<4xi64>) { %r = arith.constant true "
                    "%t = arith.constant dense<0> : tensor<4xi64> "
                    "return %r, %t : i1, tensor<4xi64> }");
  ASSERT_TRUE(succeeded(found)) << message;
  LaunchPlan expected;
  expected.buffers = {
      {"arg0", ElementType::f32, {2, 3}, Access::read, 16},
      {"arg1", ElementType::bf16, {}, Access::read, 16},
      {"result0", ElementType::i1, {}, Access::write, 64},
      {"result1", ElementType::i64, {4}, Access::write, 64},
  };
  expected.launches = {{"f_entry", {0, 1, 2, 3}, {}}};
  EXPECT_EQ(*found, expected);

  std::string header = cHeader(*found, "f");
  EXPECT_NE(header.find("static inline void f(const float *arg0, const "
                        "uint16_t *arg1, uint8_t *result0, int64_t *result1)"),
            std::string::npos)
      << header;
}

TEST_F(LaunchPlanTest, RefusesWhatHasNoBuffer) {
  EXPECT_TRUE(failed(plan("func.func private @f(tensor<2xf32>)")));
  EXPECT_EQ(message, "kernel 'f' has no body");
  EXPECT_TRUE(failed(plan("func.func @f(%a: tensor<2xf32>) { return }")));
  EXPECT_EQ(message,
            "kernel 'f' has no result, and writes to none of its arguments");
  EXPECT_TRUE(failed(plan("func.func @f(%a: tensor<*xf32>) -> tensor<*xf32> {"
                          " return %a : tensor<*xf32> }")));
  EXPECT_EQ(message, "kernel 'f' has argument 0 of type 'tensor<*xf32>': only "
                     "ranked tensors, memrefs and scalars are supported");
  EXPECT_TRUE(failed(plan("func.func @f(%a: memref<2xf32>) -> memref<2xf32> { "
                          "return %a : memref<2xf32> }")));
  EXPECT_EQ(message, "kernel 'f' returns 'memref<2xf32>'; take it as an "
                     "argument and write into it");
  EXPECT_TRUE(failed(plan("func.func @f(%a: memref<2x2xf32, strided<[1, 1]>>)"
                          "{ return }")));
  EXPECT_NE(message.find("two of its elements may share memory"),
            std::string::npos)
      << message;
}

TEST_F(LaunchPlanTest, AnIndexHas64Bits) {
  auto found = plan("func.func @f(%a: index) -> index { return %a : index }");
  ASSERT_TRUE(succeeded(found)) << message;
  EXPECT_EQ(found->buffers[0].elementType, ElementType::i64);
}

TEST_F(LaunchPlanTest, AttributesSayMore) {
  auto found =
      plan("func.func @f(%a: memref<2x3xf32, strided<[8, 1]>> {tonno.access = "
           "\"write\", tonno.alignment = 16 : i64}, %b: tensor<4xi32> "
           "{tonno.input = #tonno.input<\"permutation\">}) { return }");
  ASSERT_TRUE(succeeded(found)) << message;
  ASSERT_EQ(found->buffers.size(), 2u);
  EXPECT_EQ(found->buffers[0].access, Access::write);
  EXPECT_EQ(found->buffers[0].alignment, 16u);
  EXPECT_EQ(found->buffers[0].strides, (std::vector<int64_t>{8, 1}));
  ASSERT_TRUE(found->buffers[1].input);
  EXPECT_EQ(found->buffers[1].input->kind, InputSpec::Kind::permutation);
}

TEST_F(LaunchPlanTest, ValuesAreAlignedAsNumPyAllocatesThem) {
  auto found = plan("func.func @f(%a: tensor<4xi32>, %b: f32, %c: "
                    "memref<4xi32>, %d: tensor<4xi32> {tonno.alignment = 128 : "
                    "i64}) -> tensor<4xi32> { return %a : tensor<4xi32> }");
  ASSERT_TRUE(succeeded(found)) << message;
  std::vector<uint64_t> alignments;
  for (const BufferSpec &buffer : found->buffers)
    alignments.push_back(buffer.alignment);
  EXPECT_EQ(alignments, (std::vector<uint64_t>{16, 16, 64, 128, 64}));
}

/// Returns the accesses of the arguments, as letters.
std::string accesses(const mlir::FailureOr<LaunchPlan> &plan) {
  std::string letters;
  if (succeeded(plan))
    for (const BufferSpec &buffer : plan->buffers)
      letters += buffer.access == Access::read    ? 'r'
                 : buffer.access == Access::write ? 'w'
                                                  : 'b';
  return letters;
}

TEST_F(LaunchPlanTest, AccessIsAsTheOpsShow) {
  auto of = [&](const std::string &body) {
    return accesses(
        plan("func.func private @callee(%x: memref<8xf32>, %y: memref<8xf32>) {"
             " linalg.copy ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)"
             " return }"
             "func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {"
             " %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index"
             " %c8 = arith.constant 8 : index %z = arith.constant 0.0 : f32 " +
             body + " return }"));
  };
  // All of it is overwritten first; what reads it then does not matter.
  EXPECT_EQ(of("linalg.exp ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)"),
            "rw");
  EXPECT_EQ(of("linalg.map { math.exp } ins(%a : memref<8xf32>)"
               " outs(%b : memref<8xf32>)"),
            "rw");
  EXPECT_EQ(of("linalg.fill ins(%z : f32) outs(%b : memref<8xf32>)"
               "linalg.add ins(%a, %b : memref<8xf32>, memref<8xf32>)"
               " outs(%b : memref<8xf32>)"),
            "rw");
  EXPECT_EQ(of("memref.copy %a, %b : memref<8xf32> to memref<8xf32>"), "rw");
  EXPECT_EQ(of("%v = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>"
               " vector.store %v, %b[%c0] : memref<8xf32>, vector<8xf32>"),
            "rw");
  EXPECT_EQ(of("%t = bufferization.to_tensor %a restrict : memref<8xf32> to "
               "tensor<8xf32> bufferization.materialize_in_destination %t in "
               "restrict writable %b : (tensor<8xf32>, memref<8xf32>) -> ()"),
            "rw");
  // Through a call.
  EXPECT_EQ(of("call @callee(%a, %b) : (memref<8xf32>, memref<8xf32>) -> ()"),
            "rw");
  // Read first, or in part only, or perhaps.
  EXPECT_EQ(of("linalg.add ins(%a, %b : memref<8xf32>, memref<8xf32>)"
               " outs(%b : memref<8xf32>)"),
            "rb");
  EXPECT_EQ(of("linalg.map ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)"
               " (%x: f32, %o: f32) { %s = arith.addf %x, %o : f32"
               " linalg.yield %s : f32 }"),
            "rb");
  EXPECT_EQ(of("%s = memref.subview %b[0] [4] [1] : memref<8xf32> to "
               "memref<4xf32, strided<[1]>> linalg.fill ins(%z : f32)"
               " outs(%s : memref<4xf32, strided<[1]>>)"
               " linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)"),
            "rb");
  EXPECT_EQ(of("%x = memref.load %a[%c0] : memref<8xf32>"
               " memref.store %x, %b[%c1] : memref<8xf32>"),
            "rb");
  EXPECT_EQ(of("%v = vector.load %a[%c0] : memref<8xf32>, vector<4xf32>"
               " vector.store %v, %b[%c0] : memref<8xf32>, vector<4xf32>"),
            "rb");
  // Through a loop's values and a choice.
  EXPECT_EQ(of("%r = scf.for %i = %c0 to %c8 step %c1 iter_args(%p = %a) -> "
               "memref<8xf32> { memref.store %z, %p[%i] : memref<8xf32>"
               " scf.yield %b : memref<8xf32> }"),
            "bb");
  EXPECT_EQ(of("%t = arith.constant true %r = arith.select %t, %a, %b : "
               "memref<8xf32> memref.store %z, %r[%c0] : memref<8xf32>"),
            "bb");
  // Accesses by an escaped address are unknown.
  EXPECT_EQ(of("%p = memref.extract_aligned_pointer_as_index %a : "
               "memref<8xf32> -> index"),
            "br");
}

} // namespace

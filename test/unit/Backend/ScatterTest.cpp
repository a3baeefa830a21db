//===- tensor.scatter -----------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels.h"
#include "LoadedKernel.h"

#include "tonno/Backend/Compile.h"

using namespace tonno;

namespace {

class ScatterTest : public KernelTest {
protected:
  /// Calls the kernel compiled from `text`, as a candidate and as the
  /// reference.
  void expectResult(const std::string &text, std::vector<void *> buffers,
                    const double *result, std::vector<double> expected) {
    auto module = parse(text);
    auto reference = compileReference(*module, "f");
    ASSERT_TRUE(succeeded(reference)) << message;
    auto backend = createBackend({"host", "native"});
    auto candidate = compileCandidate(**backend, *module, "f");
    ASSERT_TRUE(succeeded(candidate)) << message;
    for (const Artifact *compiled : {&reference->reference, &*candidate}) {
      LoadedKernel run(*compiled);
      run(buffers);
      EXPECT_EQ(std::vector(result, result + expected.size()), expected);
    }
  }
};

TEST_F(ScatterTest, PutsRowsWhereTheyBelong) {
  alignas(64) double rows[4] = {1, 2, 3, 4};
  alignas(64) double table[8] = {-1, -2, -3, -4, -5, -6, -7, -8};
  alignas(64) int32_t where[2] = {3, 1};
  alignas(64) double result[8];
  for (std::string rowType : {"tensor<2x1x2xf64>", "tensor<2x2xf64>"})
    expectResult("func.func @f(%rows: " + rowType +
                     R"(, %table: tensor<4x2xf64>, %where: tensor<2x1xi32>)
    -> tensor<4x2xf64> {
  %r = tensor.scatter %rows into %table[%where] scatter_dims([0]) unique
    : ()" + rowType +
                     R"(, tensor<4x2xf64>, tensor<2x1xi32>) -> tensor<4x2xf64>
  return %r : tensor<4x2xf64>
})",
                 {rows, table, where, result}, result,
                 {-1, -2, 3, 4, -5, -6, 1, 2});
}

TEST_F(ScatterTest, PutsElementsInSeveralDimensions) {
  alignas(64) double elements[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  alignas(64) double table[12] = {};
  alignas(64) int64_t where[8] = {0, 0, 2, 1, 0, 1, 1, 0};
  alignas(64) double result[12];
  // Each of 2x2 pairs indexes the first and the last dimension.
  expectResult(R"(
func.func @f(%elements: tensor<2x2x2xf64>, %table: tensor<3x2x2xf64>,
             %where: tensor<2x2x2xindex>) -> tensor<3x2x2xf64> {
  %r = tensor.scatter %elements into %table[%where] scatter_dims([0, 2]) unique
    : (tensor<2x2x2xf64>, tensor<3x2x2xf64>, tensor<2x2x2xindex>)
    -> tensor<3x2x2xf64>
  return %r : tensor<3x2x2xf64>
})",
               {elements, table, where, result}, result,
               {1, 5, 2, 6, 7, 0, 8, 0, 0, 3, 0, 4});
}

} // namespace

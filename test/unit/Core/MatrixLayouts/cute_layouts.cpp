//===- Fragments of mma.sync, as CuTe has them ----------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints the coordinates of each lane's elements as JSON. Built by
// make_layouts.py against CUTLASS; a host compiler is enough.

#include <cstdio>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm89.hpp>

using namespace cute;

template <typename Layout>
static void printOperand(const char *name, Layout layout, int rows) {
  std::printf("\"%s\": [", name);
  for (int lane = 0; lane < size<0>(layout); ++lane) {
    std::printf("%s[", lane ? ", " : "");
    for (int element = 0; element < size<1>(layout); ++element) {
      int place = layout(lane, element);
      std::printf("%s[%d, %d]", element ? ", " : "", place % rows,
                  place / rows);
    }
    std::printf("]");
  }
  std::printf("]");
}

/// Prints a layout. CuTe numbers the elements of A from M to K, of B from N to
/// K.
template <typename Op> static void print(const char *name, bool isLast) {
  using Traits = MMA_Traits<Op>;
  auto shape = typename Traits::Shape_MNK();
  std::printf("\"%s\": {", name);
  printOperand("A", typename Traits::ALayout(), size<0>(shape));
  std::printf(", ");
  printOperand("B", typename Traits::BLayout(), size<1>(shape));
  std::printf(", ");
  printOperand("D", typename Traits::CLayout(), size<0>(shape));
  std::printf("}%s\n", isLast ? "" : ",");
}

int main() {
  std::printf("{");
  print<SM80_16x8x8_F32F16F16F32_TN>("m16n8k8.f32.f16", false);
  print<SM80_16x8x16_F32F16F16F32_TN>("m16n8k16.f32.f16", false);
  print<SM80_16x8x16_F16F16F16F16_TN>("m16n8k16.f16.f16", false);
  print<SM80_16x8x8_F32BF16BF16F32_TN>("m16n8k8.f32.bf16", false);
  print<SM80_16x8x16_F32BF16BF16F32_TN>("m16n8k16.f32.bf16", false);
  print<SM80_16x8x4_F32TF32TF32F32_TN>("m16n8k4.f32.tf32", false);
  print<SM80_16x8x8_F32TF32TF32F32_TN>("m16n8k8.f32.tf32", false);
  print<SM80_16x8x16_S32S8S8S32_TN>("m16n8k16.s32.s8", false);
  print<SM80_16x8x32_S32S8S8S32_TN>("m16n8k32.s32.s8", false);
  print<SM89_16x8x32_F32E4M3E4M3F32_TN>("m16n8k32.f32.e4m3", true);
  std::printf("}\n");
}

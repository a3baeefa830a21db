//===- Fragments and descriptors, as CuTe has them ------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Prints the coordinates of each lane's elements, and matrix descriptors with
// the places of what they describe, as JSON. Built by make_layouts.py against
// CUTLASS; a host compiler is enough.

#include <cstdint>
#include <cstdio>
#include <cute/arch/util.hpp>
#include <cute/atom/mma_traits_sm100.hpp>
#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm89.hpp>
#include <cute/atom/mma_traits_sm90_gmma.hpp>

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

/// Prints the sums of a warpgroup with 16 columns.
static void printWarpgroup() {
  using Layout = SM90::GMMA::CLayout_64x16;
  std::printf("\"fragments of wgmma\": {\"m64n16.f32\": {");
  printOperand("D", Layout(), 64);
  std::printf("}}");
}

/// Prints the descriptor of the first instruction's part of a tile, and where
/// elements lie, in bytes: those of the tile along contiguous bytes, by rows.
template <SM90::GMMA::Major major, typename Element, typename Atom,
          typename Shape>
static void printDescribed(const char *name, Shape shape, bool isLast) {
  constexpr int depth = 32 / sizeof(Element);
  constexpr bool isAlongSide = major == SM90::GMMA::Major::MN;
  alignas(1024) static Element memory[size(Shape())];
  // Rows first, then parts of rows.
  using Order = std::conditional_t<isAlongSide, Step<_2, _1>, Step<_1, _2>>;
  auto tile = tile_to_shape(Atom(), shape, Order());
  auto tensor = make_tensor(make_smem_ptr(memory), tile);
  auto part = local_tile(tensor, make_shape(size<0>(shape), Int<depth>()),
                         make_coord(0, 0));
  uint64_t descriptor = SM90::GMMA::make_gmma_desc<major>(part).desc_;
  // The same layouts by the code for tcgen05.
  constexpr auto same = isAlongSide ? UMMA::Major::MN : UMMA::Major::K;
  uint64_t ofTensor = uint64_t(UMMA::make_umma_desc<same>(part));
  std::printf("\"%s\": {\"descriptor\": %llu, \"tensor\": %llu, \"side\": %d, "
              "\"depth\": %d, "
              "\"alongSide\": %s, \"bytes\": %d, \"places\": [",
              name, (unsigned long long)(descriptor & ~uint64_t(0x3fff)),
              (unsigned long long)(ofTensor & ~uint64_t(0x3fff)),
              int(size<0>(shape)), int(size<1>(shape)),
              isAlongSide ? "true" : "false", int(sizeof(Element)));
  int rows = isAlongSide ? size<1>(shape) : size<0>(shape),
      columns = isAlongSide ? size<0>(shape) : size<1>(shape);
  for (int row = 0; row < rows; ++row) {
    std::printf("%s[", row ? ", " : "");
    for (int column = 0; column < columns; column += 16 / sizeof(Element)) {
      auto &element = isAlongSide ? tensor(column, row) : tensor(row, column);
      std::printf("%s%d", column ? ", " : "",
                  int((const char *)&element - (const char *)memory));
    }
    std::printf("]");
  }
  std::printf("]}%s\n", isLast ? "" : ",");
}

static void printDescriptors() {
  using namespace SM90::GMMA;
  std::printf("\"descriptors\": {\n");
  constexpr auto k = Major::K, mn = Major::MN;
  printDescribed<k, half_t, Layout_K_SW128_Atom<half_t>>(
      "f16 along k, 128 bytes", Shape<_128, _64>(), false);
  printDescribed<k, half_t, Layout_K_SW128_Atom<half_t>>(
      "f16 along k, two parts", Shape<_64, _128>(), false);
  printDescribed<k, half_t, Layout_K_SW64_Atom<half_t>>(
      "f16 along k, 64 bytes", Shape<_64, _32>(), false);
  printDescribed<k, half_t, Layout_K_SW32_Atom<half_t>>(
      "f16 along k, 32 bytes", Shape<_16, _16>(), false);
  printDescribed<k, int8_t, Layout_K_SW128_Atom<int8_t>>(
      "i8 along k, 128 bytes", Shape<_64, _128>(), false);
  printDescribed<k, int8_t, Layout_K_SW32_Atom<int8_t>>(
      "i8 along k, 32 bytes", Shape<_64, _32>(), false);
  printDescribed<mn, half_t, Layout_MN_SW128_Atom<half_t>>(
      "f16 along n, 128 bytes", Shape<_64, _32>(), false);
  printDescribed<mn, half_t, Layout_MN_SW128_Atom<half_t>>(
      "f16 along n, four parts", Shape<_256, _64>(), false);
  printDescribed<mn, half_t, Layout_MN_SW64_Atom<half_t>>(
      "f16 along n, 64 bytes", Shape<_96, _32>(), false);
  printDescribed<mn, half_t, Layout_MN_SW32_Atom<half_t>>(
      "f16 along n, 32 bytes", Shape<_48, _16>(), false);
  printDescribed<mn, int8_t, Layout_MN_SW128_Atom<int8_t>>(
      "i8 along n, 128 bytes", Shape<_128, _64>(), false);
  printDescribed<mn, int8_t, Layout_MN_SW64_Atom<int8_t>>(
      "i8 along n, 64 bytes", Shape<_128, _32>(), true);
  std::printf("}");
}

/// Prints an instruction descriptor of tcgen05.
template <typename Operand, typename Sum, int columns, UMMA::Major left,
          UMMA::Major right>
static void printInstruction(const char *name, bool isLast) {
  auto descriptor =
      UMMA::make_instr_desc<Operand, Operand, Sum, 128, columns, left, right>();
  std::printf("\"%s\": %u%s\n", name, descriptor.desc_, isLast ? "" : ",");
}

static void printInstructions() {
  constexpr auto k = UMMA::Major::K, mn = UMMA::Major::MN;
  std::printf("\"instructions\": {\n");
  printInstruction<half_t, float, 256, k, mn>("f16 256 k n", false);
  printInstruction<half_t, float, 16, mn, k>("f16 16 m k", false);
  printInstruction<bfloat16_t, float, 128, k, k>("bf16 128 k k", false);
  printInstruction<float_e4m3_t, float, 64, k, k>("f8E4M3FN 64 k k", false);
  printInstruction<float_e5m2_t, float, 96, k, k>("f8E5M2 96 k k", false);
  printInstruction<int8_t, int32_t, 32, k, k>("i8 32 k k", true);
  std::printf("}");
}

int main() {
  std::printf("{\"fragments\": {");
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
  std::printf("},\n");
  printWarpgroup();
  std::printf(",\n");
  printDescriptors();
  std::printf(",\n");
  printInstructions();
  std::printf("}\n");
}

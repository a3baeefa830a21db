//===- Matrix instructions simulated --------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simulation.h"

#include <stdexcept>

using namespace tonno;

namespace {

/// Row and column of an element.
struct Place {
  uint32_t row, column;
};
using Places = Place (*)(uint32_t lane, uint32_t element);

enum class Number { f16, bf16, f32, i8, i32 };

/// An operand as a lane has it.
struct Operand {
  Number number;
  uint32_t elements;
  std::string registers; ///< the type of each
  uint32_t count;        ///< of the registers
  Places places;         ///< as the vendor's document has them
};

/// An intrinsic that multiplies an m x k and a k x n matrix. Its operands are
/// registers of %a, %b and %c.
struct Product {
  std::string name;
  bool isAmd;
  uint32_t lanes, m, n, k;
  Operand a, b, c;
  std::string result, call;
};

std::ostream &operator<<(std::ostream &stream, const Product &product) {
  return stream << product.name;
}

uint32_t bytesOf(Number number) {
  return number == Number::i8                              ? 1
         : number == Number::f16 || number == Number::bf16 ? 2
                                                           : 4;
}

void encode(Number number, int value, std::byte *to) {
  auto put = [&](auto bits) { std::memcpy(to, &bits, sizeof bits); };
  auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  switch (number) {
  case Number::f16:
    return put(static_cast<_Float16>(value));
  case Number::bf16:
    return put(static_cast<uint16_t>(bits >> 16));
  case Number::f32:
    return put(bits);
  case Number::i8:
    return put(static_cast<int8_t>(value));
  case Number::i32:
    return put(value);
  }
}

int decode(Number number, const std::byte *from) {
  int value = 0;
  std::memcpy(&value, from, sizeof value);
  return number == Number::f32 ? static_cast<int>(std::bit_cast<float>(value))
                               : value;
}

// Numbers whose products and sums are exact. They differ in each direction,
// and from one subgroup to the next.
int left(uint32_t subgroup, uint32_t row, uint32_t k) {
  return static_cast<int>((row * 7 + k * 5 + row * k + subgroup * 3) % 23) - 11;
}
int right(uint32_t subgroup, uint32_t k, uint32_t column) {
  return static_cast<int>((column * 3 + k * 11 + column * k + subgroup) % 19) -
         9;
}
int before(uint32_t subgroup, uint32_t row, uint32_t column) {
  return static_cast<int>(row * 100 + column + subgroup * 7) - 900;
}

/// Returns the operand's elements of the threads of several subgroups, thread
/// by thread.
std::vector<std::byte> fill(const Operand &operand, uint32_t lanes,
                            uint32_t subgroups,
                            int (*value)(uint32_t, uint32_t, uint32_t)) {
  uint32_t size = bytesOf(operand.number);
  std::vector<std::byte> bytes(size_t(subgroups) * lanes * operand.elements *
                               size);
  for (uint32_t thread = 0; thread < subgroups * lanes; ++thread)
    for (uint32_t i = 0; i < operand.elements; ++i) {
      Place place = operand.places(thread % lanes, i);
      encode(operand.number, value(thread / lanes, place.row, place.column),
             &bytes[(size_t(thread) * operand.elements + i) * size]);
    }
  return bytes;
}

/// Loads the registers %a0, %a1, .. from %a_in.
std::string loads(const std::string &name, const Operand &operand) {
  std::string text, array = "[" + std::to_string(operand.count) + " x " +
                            operand.registers + "]";
  for (uint32_t i = 0; i < operand.count; ++i) {
    std::string one = name + std::to_string(i);
    text += "  %p" + one + " = getelementptr " + array + ", ptr %" + name +
            "_in, i32 %tid, i32 " + std::to_string(i) + "\n  %" + one +
            " = load " + operand.registers + ", ptr %p" + one + ", align 4\n";
  }
  return text;
}

std::string listOf(const std::string &name, const Operand &operand) {
  std::string text;
  for (uint32_t i = 0; i < operand.count; ++i)
    text += (i == 0 ? "" : ", ") + operand.registers + " %" + name +
            std::to_string(i);
  return text;
}

/// Returns the module whose kernel multiplies a fragment of each of its
/// subgroups. `call` has $A, $B and $C.
std::string moduleOf(const Product &product, std::string call) {
  for (const auto &[word, list] : {std::pair("$A", listOf("a", product.a)),
                                   std::pair("$B", listOf("b", product.b)),
                                   std::pair("$C", listOf("c", product.c))})
    if (size_t at = call.find(word); at != std::string::npos)
      call.replace(at, 2, list);
  std::string thread = product.isAmd ? "@llvm.amdgcn.workitem.id.x()"
                                     : "@llvm.nvvm.read.ptx.sreg.tid.x()";
  return std::string(product.isAmd ? amdgpuHeader : nvptxHeader) + "define " +
         (product.isAmd ? "amdgpu_kernel" : "ptx_kernel") +
         " void @k(ptr %a_in, ptr %b_in, ptr %c_in, ptr %out) {\n"
         "  %tid = call i32 " +
         thread + "\n" + loads("a", product.a) + loads("b", product.b) +
         loads("c", product.c) + "  %d = call " + product.result + " " + call +
         "\n  %to = getelementptr " + product.result +
         ", ptr %out, i32 %tid\n  store " + product.result +
         " %d, ptr %to, align 4\n  ret void\n}\n";
}

//===----------------------------------------------------------------------===//
// Positions of elements in the vendors' documents
//===----------------------------------------------------------------------===//

// "AMD Instinct MI300" instruction set, matrix arithmetic: A's row and B's
// column by the lane within the side, k by the lane's part of the subgroup.
template <uint32_t side, uint32_t perLane>
Place mfmaLeft(uint32_t lane, uint32_t i) {
  return {lane % side, lane / side * perLane + i};
}
template <uint32_t side, uint32_t perLane>
Place mfmaRight(uint32_t lane, uint32_t i) {
  return {lane / side * perLane + i, lane % side};
}
// D: four rows at a time for each part of the subgroup.
template <uint32_t side> Place mfmaSums(uint32_t lane, uint32_t i) {
  return {i / 4 * (64 / side) * 4 + lane / side * 4 + i % 4, lane % side};
}

// "RDNA 3" instruction set, WMMA: lanes 16 to 31 repeat the factors of lanes 0
// to 15; D's even rows are in the lower half, odd ones in the upper one.
Place wmma11Left(uint32_t lane, uint32_t i) { return {lane % 16, i}; }
Place wmma11Right(uint32_t lane, uint32_t i) { return {i, lane % 16}; }
Place wmma11Sums(uint32_t lane, uint32_t i) {
  return {2 * i + lane / 16, lane % 16};
}

// "RDNA 4" instruction set, WMMA: 64 bits of k in the lower half, 64 bits in
// the upper one, and so on; D's rows 0 to 7 in the lower half.
template <uint32_t run> Place wmma12Left(uint32_t lane, uint32_t i) {
  return {lane % 16, (i / run * 2 + lane / 16) * run + i % run};
}
template <uint32_t run> Place wmma12Right(uint32_t lane, uint32_t i) {
  return {(i / run * 2 + lane / 16) * run + i % run, lane % 16};
}
Place wmma12Sums(uint32_t lane, uint32_t i) {
  return {lane / 16 * 8 + i, lane % 16};
}

// "PTX ISA", matrix fragments for mma.m16n8k16 with 16-bit factors: groupID is
// lane / 4, threadID_in_group is lane % 4.
Place mma16Left(uint32_t lane, uint32_t i) {
  uint32_t row = i < 2 || (i >= 4 && i < 6) ? lane / 4 : lane / 4 + 8;
  return {row, lane % 4 * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}
Place mma16Right(uint32_t lane, uint32_t i) {
  return {lane % 4 * 2 + (i & 1) + (i < 2 ? 0 : 8), lane / 4};
}
// The same for mma.m16n8k32 with 8-bit factors.
Place mma32Left(uint32_t lane, uint32_t i) {
  uint32_t row = i < 4 || (i >= 8 && i < 12) ? lane / 4 : lane / 4 + 8;
  return {row, lane % 4 * 4 + (i & 3) + (i < 8 ? 0 : 16)};
}
Place mma32Right(uint32_t lane, uint32_t i) {
  return {lane % 4 * 4 + (i & 3) + (i < 4 ? 0 : 16), lane / 4};
}
Place mmaSums(uint32_t lane, uint32_t i) {
  return {i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)};
}

const std::vector<Product> products = {
    {"mfma_f16",
     true,
     64,
     32,
     32,
     8,
     {Number::f16, 4, "<4 x half>", 1, mfmaLeft<32, 4>},
     {Number::f16, 4, "<4 x half>", 1, mfmaRight<32, 4>},
     {Number::f32, 16, "<16 x float>", 1, mfmaSums<32>},
     "<16 x float>",
     "@llvm.amdgcn.mfma.f32.32x32x8f16($A, $B, $C, i32 0, i32 0, i32 0)"},
    {"mfma_bf16",
     true,
     64,
     16,
     16,
     16,
     {Number::bf16, 4, "<4 x i16>", 1, mfmaLeft<16, 4>},
     {Number::bf16, 4, "<4 x i16>", 1, mfmaRight<16, 4>},
     {Number::f32, 4, "<4 x float>", 1, mfmaSums<16>},
     "<4 x float>",
     "@llvm.amdgcn.mfma.f32.16x16x16bf16.1k($A, $B, $C, i32 0, i32 0, i32 0)"},
    {"mfma_i8",
     true,
     64,
     16,
     16,
     32,
     {Number::i8, 8, "i64", 1, mfmaLeft<16, 8>},
     {Number::i8, 8, "i64", 1, mfmaRight<16, 8>},
     {Number::i32, 4, "<4 x i32>", 1, mfmaSums<16>},
     "<4 x i32>",
     "@llvm.amdgcn.mfma.i32.16x16x32.i8($A, $B, $C, i32 0, i32 0, i32 0)"},
    {"mfma_gfx950",
     true,
     64,
     32,
     32,
     16,
     {Number::bf16, 8, "<8 x bfloat>", 1, mfmaLeft<32, 8>},
     {Number::bf16, 8, "<8 x bfloat>", 1, mfmaRight<32, 8>},
     {Number::f32, 16, "<16 x float>", 1, mfmaSums<32>},
     "<16 x float>",
     "@llvm.amdgcn.mfma.f32.32x32x16.bf16($A, $B, $C, i32 0, i32 0, i32 0)"},
    {"wmma_gfx11",
     true,
     32,
     16,
     16,
     16,
     {Number::f16, 16, "<16 x half>", 1, wmma11Left},
     {Number::f16, 16, "<16 x half>", 1, wmma11Right},
     {Number::f32, 8, "<8 x float>", 1, wmma11Sums},
     "<8 x float>",
     "@llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16($A, $B, $C)"},
    {"wmma_gfx11_i8",
     true,
     32,
     16,
     16,
     16,
     {Number::i8, 16, "<4 x i32>", 1, wmma11Left},
     {Number::i8, 16, "<4 x i32>", 1, wmma11Right},
     {Number::i32, 8, "<8 x i32>", 1, wmma11Sums},
     "<8 x i32>",
     "@llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32(i1 true, $A, i1 true, "
     "$B, $C, i1 false)"},
    {"wmma_gfx12",
     true,
     32,
     16,
     16,
     16,
     {Number::f16, 8, "<8 x half>", 1, wmma12Left<4>},
     {Number::f16, 8, "<8 x half>", 1, wmma12Right<4>},
     {Number::f32, 8, "<8 x float>", 1, wmma12Sums},
     "<8 x float>",
     "@llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16($A, $B, $C)"},
    {"wmma_gfx12_i8",
     true,
     32,
     16,
     16,
     16,
     {Number::i8, 8, "<2 x i32>", 1, wmma12Left<8>},
     {Number::i8, 8, "<2 x i32>", 1, wmma12Right<8>},
     {Number::i32, 8, "<8 x i32>", 1, wmma12Sums},
     "<8 x i32>",
     "@llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v2i32(i1 true, $A, i1 true, "
     "$B, $C, i1 false)"},
    {"mma_f16",
     false,
     32,
     16,
     8,
     16,
     {Number::f16, 8, "<2 x half>", 4, mma16Left},
     {Number::f16, 4, "<2 x half>", 2, mma16Right},
     {Number::f32, 4, "float", 4, mmaSums},
     "{float, float, float, float}",
     "@llvm.nvvm.mma.m16n8k16.row.col.f32.f32($A, $B, $C)"},
    {"mma_bf16",
     false,
     32,
     16,
     8,
     16,
     {Number::bf16, 8, "i32", 4, mma16Left},
     {Number::bf16, 4, "i32", 2, mma16Right},
     {Number::f32, 4, "float", 4, mmaSums},
     "{float, float, float, float}",
     "@llvm.nvvm.mma.m16n8k16.row.col.bf16($A, $B, $C)"},
    {"mma_i8",
     false,
     32,
     16,
     8,
     32,
     {Number::i8, 16, "i32", 4, mma32Left},
     {Number::i8, 8, "i32", 2, mma32Right},
     {Number::i32, 4, "i32", 4, mmaSums},
     "{i32, i32, i32, i32}",
     "@llvm.nvvm.mma.m16n8k32.row.col.s8($A, $B, $C)"}};

class SimMatrixTest : public SimulationTest,
                      public testing::WithParamInterface<Product> {};

/// Intrinsics that no row of the table describes.
const std::vector<Product> unknownProducts = {
    {"two_blocks",
     true,
     64,
     32,
     32,
     4,
     {Number::f16, 4, "<4 x half>", 1, nullptr},
     {Number::f16, 4, "<4 x half>", 1, nullptr},
     {Number::f32, 32, "<32 x float>", 1, nullptr},
     "<32 x float>",
     ""},
    {"wmma_in_64_lanes",
     true,
     64,
     16,
     16,
     16,
     {Number::f16, 16, "<16 x half>", 1, nullptr},
     {Number::f16, 16, "<16 x half>", 1, nullptr},
     {Number::f32, 4, "<4 x float>", 1, nullptr},
     "<4 x float>",
     ""}};

/// Returns the product of that name.
const Product &find(const std::string &name) {
  for (const auto *list : {&products, &unknownProducts})
    for (const Product &product : *list)
      if (product.name == name)
        return product;
  throw std::out_of_range(name);
}

} // namespace

TEST_P(SimMatrixTest, Multiplies) {
  const Product &product = GetParam();
  constexpr uint32_t subgroups = 2;
  uint32_t threads = subgroups * product.lanes;
  auto executable = load(moduleOf(product, product.call), "k",
                         {{1, 1, 1}, {threads, 1, 1}}, 4, {product.lanes});
  ASSERT_NE(executable, nullptr);
  std::vector<std::vector<std::byte>> data = {
      fill(product.a, product.lanes, subgroups, left),
      fill(product.b, product.lanes, subgroups, right),
      fill(product.c, product.lanes, subgroups, before)};
  data.emplace_back(data.back().size());
  std::vector<DevicePointer> buffers;
  for (std::vector<std::byte> &bytes : data)
    buffers.push_back({bytes.data()});
  auto ran = device->launch(*executable, buffers);
  ASSERT_TRUE(ran.ok()) << ran.error().message;
  std::vector<uint32_t> seen(size_t(subgroups) * product.m * product.n);
  for (uint32_t thread = 0; thread < threads; ++thread)
    for (uint32_t i = 0; i < product.c.elements; ++i) {
      uint32_t subgroup = thread / product.lanes;
      Place place = product.c.places(thread % product.lanes, i);
      int sum = before(subgroup, place.row, place.column);
      for (uint32_t k = 0; k < product.k; ++k)
        sum += left(subgroup, place.row, k) * right(subgroup, k, place.column);
      size_t element = size_t(thread) * product.c.elements + i;
      EXPECT_EQ(decode(product.c.number, &data[3][element * 4]), sum)
          << "thread " << thread << ", element " << i;
      ++seen[(subgroup * product.m + place.row) * product.n + place.column];
    }
  EXPECT_EQ(seen, std::vector<uint32_t>(seen.size(), 1));
}

INSTANTIATE_TEST_SUITE_P(Families, SimMatrixTest, testing::ValuesIn(products),
                         [](const testing::TestParamInfo<Product> &info) {
                           return info.param.name;
                         });

namespace {

/// A use of an intrinsic that the simulation has no model of.
struct Refusal {
  std::string name, product, call, intrinsic;
};

class SimMatrixRefusalTest : public SimulationTest,
                             public testing::WithParamInterface<Refusal> {};

} // namespace

TEST_P(SimMatrixRefusalTest, IsByName) {
  const Product &product = find(GetParam().product);
  auto compiled = compile(moduleOf(product, GetParam().call), {product.lanes});
  ASSERT_FALSE(compiled.ok());
  EXPECT_NE(compiled.error().message.find(GetParam().intrinsic),
            std::string::npos)
      << compiled.error().message;
}

static const char *const mfma = "llvm.amdgcn.mfma.f32.32x32x8f16";
static const char *const wmma = "llvm.amdgcn.wmma.i32.16x16x16.iu8";

INSTANTIATE_TEST_SUITE_P(
    Modifiers, SimMatrixRefusalTest,
    testing::Values(
        Refusal{"cbsz", "mfma_f16",
                "@llvm.amdgcn.mfma.f32.32x32x8f16($A, $B, $C, i32 1, i32 0, "
                "i32 0)",
                mfma},
        Refusal{"abid", "mfma_f16",
                "@llvm.amdgcn.mfma.f32.32x32x8f16($A, $B, $C, i32 0, i32 1, "
                "i32 0)",
                mfma},
        Refusal{"blgp", "mfma_f16",
                "@llvm.amdgcn.mfma.f32.32x32x8f16($A, $B, $C, i32 0, i32 0, "
                "i32 3)",
                mfma},
        Refusal{"unsigned_left", "wmma_gfx11_i8",
                "@llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32(i1 false, $A, "
                "i1 true, $B, $C, i1 false)",
                wmma},
        Refusal{"unsigned_right", "wmma_gfx11_i8",
                "@llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32(i1 true, $A, "
                "i1 false, $B, $C, i1 false)",
                wmma},
        Refusal{"clamp", "wmma_gfx11_i8",
                "@llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v4i32(i1 true, $A, "
                "i1 true, $B, $C, i1 true)",
                wmma},
        Refusal{"two_blocks", "two_blocks",
                "@llvm.amdgcn.mfma.f32.32x32x4f16($A, $B, $C, i32 0, i32 0, "
                "i32 0)",
                "llvm.amdgcn.mfma.f32.32x32x4f16"},
        Refusal{"subgroups_of_64", "wmma_in_64_lanes",
                "@llvm.amdgcn.wmma.f32.16x16x16.f16.v4f32.v16f16($A, $B, $C)",
                "llvm.amdgcn.wmma.f32.16x16x16.f16.v4f32.v16f16"},
        Refusal{"saturation", "mma_i8",
                "@llvm.nvvm.mma.m16n8k32.row.col.satfinite.s8($A, $B, $C)",
                "llvm.nvvm.mma.m16n8k32.row.col.satfinite.s8"},
        Refusal{"unsigned_nvidia", "mma_i8",
                "@llvm.nvvm.mma.m16n8k32.row.col.u8($A, $B, $C)",
                "llvm.nvvm.mma.m16n8k32.row.col.u8"}),
    [](const testing::TestParamInfo<Refusal> &info) {
      return info.param.name;
    });

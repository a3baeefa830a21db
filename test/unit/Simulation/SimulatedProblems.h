//===- Kernels and their results ------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TONNO_SIMULATION_SIMULATEDPROBLEMS_H
#define TONNO_SIMULATION_SIMULATEDPROBLEMS_H

#include "Simulation.h"

#include <map>
#include <string>
#include <vector>

namespace tonno {

/// Vendor-specific parts of the kernels below.
struct SimulatedVendor {
  std::string name, header;
  std::map<std::string, std::string> words;
  uint32_t subgroupSize;
};

inline const SimulatedVendor nvidia = {
    "nvptx",
    nvptxHeader,
    {{"$KERNEL", "ptx_kernel"},
     {"$TX", "call i32 @llvm.nvvm.read.ptx.sreg.tid.x()"},
     {"$TY", "call i32 @llvm.nvvm.read.ptx.sreg.tid.y()"},
     {"$BX", "call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()"},
     {"$BY", "call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()"},
     {"$BARRIER", "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"},
     {"$XOR", "%w = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float "
              "%v, i32 %d, i32 31)"}},
    32};

inline const SimulatedVendor amd = {
    "amdgpu",
    amdgpuHeader,
    {{"$KERNEL", "amdgpu_kernel"},
     {"$TX", "call i32 @llvm.amdgcn.workitem.id.x()"},
     {"$TY", "call i32 @llvm.amdgcn.workitem.id.y()"},
     {"$BX", "call i32 @llvm.amdgcn.workgroup.id.x()"},
     {"$BY", "call i32 @llvm.amdgcn.workgroup.id.y()"},
     {"$BARRIER", "fence syncscope(\"workgroup\") release\n"
                  "call void @llvm.amdgcn.s.barrier()\n"
                  "fence syncscope(\"workgroup\") acquire"},
     {"$XOR", "%other = xor i32 %tx, %d\n"
              "%index = shl i32 %other, 2\n"
              "%bits = bitcast float %v to i32\n"
              "%there = call i32 @llvm.amdgcn.ds.bpermute(i32 %index, i32 "
              "%bits)\n"
              "%w = bitcast i32 %there to float"}},
    64};

/// 300 sums, 64 a workgroup.
inline constexpr const char *addition = R"(
define $KERNEL void @k(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out) {
  %tx = $TX
  %bx = $BX
  %start = mul i32 %bx, 64
  %i = add i32 %start, %tx
  %in = icmp ult i32 %i, 300
  br i1 %in, label %work, label %end
work:
  %pa = getelementptr float, ptr addrspace(1) %a, i32 %i
  %pb = getelementptr float, ptr addrspace(1) %b, i32 %i
  %pc = getelementptr float, ptr addrspace(1) %out, i32 %i
  %va = load float, ptr addrspace(1) %pa
  %vb = load float, ptr addrspace(1) %pb
  %vc = fadd float %va, %vb
  store float %vc, ptr addrspace(1) %pc
  br label %end
end:
  ret void
})";

/// The sum of 128 numbers for each workgroup, in memory that the launch gives.
inline constexpr const char *treeReduction = R"(
@buffer = external addrspace(3) global [0 x float], align 16
define $KERNEL void @k(ptr %a, ptr %out) {
  %tx = $TX
  %bx = $BX
  %start = mul i32 %bx, 128
  %i = add i32 %start, %tx
  %pa = getelementptr float, ptr %a, i32 %i
  %va = load float, ptr %pa
  %own = getelementptr float, ptr addrspace(3) @buffer, i32 %tx
  store float %va, ptr addrspace(3) %own
  br label %loop
loop:
  %s = phi i32 [64, %0], [%half, %next]
  $BARRIER
  %in = icmp ult i32 %tx, %s
  br i1 %in, label %add, label %next
add:
  %j = add i32 %tx, %s
  %other = getelementptr float, ptr addrspace(3) @buffer, i32 %j
  %x = load float, ptr addrspace(3) %own
  %y = load float, ptr addrspace(3) %other
  %z = fadd float %x, %y
  store float %z, ptr addrspace(3) %own
  br label %next
next:
  %half = lshr i32 %s, 1
  %more = icmp ne i32 %half, 0
  br i1 %more, label %loop, label %last
last:
  %first = icmp eq i32 %tx, 0
  br i1 %first, label %write, label %end
write:
  %sum = load float, ptr addrspace(3) @buffer
  %po = getelementptr float, ptr %out, i32 %bx
  store float %sum, ptr %po
  br label %end
end:
  ret void
})";

/// The sum of a subgroup's numbers, by shuffles.
inline constexpr const char *shuffleReduction = R"(
define $KERNEL void @k(ptr %a, ptr %out) {
  %tx = $TX
  %pa = getelementptr float, ptr %a, i32 %tx
  %va = load float, ptr %pa
  br label %loop
loop:
  %v = phi float [%va, %0], [%z, %loop]
  %d = phi i32 [1, %0], [%twice, %loop]
  $XOR
  %z = fadd float %v, %w
  %twice = shl i32 %d, 1
  %more = icmp ult i32 %twice, $LANES
  br i1 %more, label %loop, label %end
end:
  %po = getelementptr float, ptr %out, i32 %tx
  store float %z, ptr %po
  ret void
})";

/// 48x32 to 32x48 by tiles of 16x16 whose rows have 17 elements.
inline constexpr const char *transposition = R"(
@tile = internal addrspace(3) global [272 x float] undef, align 16
define $KERNEL void @k(ptr %a, ptr %out) {
  %tx = $TX
  %ty = $TY
  %bx = $BX
  %by = $BY
  %x0 = mul i32 %bx, 16
  %y0 = mul i32 %by, 16
  %x = add i32 %x0, %tx
  %y = add i32 %y0, %ty
  %row = mul i32 %y, 32
  %i = add i32 %row, %x
  %pa = getelementptr float, ptr %a, i32 %i
  %va = load float, ptr %pa
  %trow = mul i32 %ty, 17
  %t = add i32 %trow, %tx
  %pt = getelementptr [272 x float], ptr addrspace(3) @tile, i32 0, i32 %t
  store float %va, ptr addrspace(3) %pt
  $BARRIER
  %urow = mul i32 %tx, 17
  %u = add i32 %urow, %ty
  %pu = getelementptr [272 x float], ptr addrspace(3) @tile, i32 0, i32 %u
  %vu = load float, ptr addrspace(3) %pu
  %xo = add i32 %y0, %tx
  %yo = add i32 %x0, %ty
  %orow = mul i32 %yo, 48
  %o = add i32 %orow, %xo
  %po = getelementptr float, ptr %out, i32 %o
  store float %vu, ptr %po
  ret void
})";

/// A 256x128 matrix times a 128x256 one by tiles of 16x16.
inline constexpr const char *product = R"(
@as = internal addrspace(3) global [16 x [16 x float]] undef, align 16
@bs = internal addrspace(3) global [16 x [16 x float]] undef, align 16
define $KERNEL void @k(ptr %a, ptr %b, ptr %out) {
  %tx = $TX
  %ty = $TY
  %bx = $BX
  %by = $BY
  %x0 = mul i32 %bx, 16
  %y0 = mul i32 %by, 16
  %x = add i32 %x0, %tx
  %y = add i32 %y0, %ty
  %arow = mul i32 %y, 128
  %pas = getelementptr [16 x [16 x float]], ptr addrspace(3) @as, i32 0, i32 %ty, i32 %tx
  %pbs = getelementptr [16 x [16 x float]], ptr addrspace(3) @bs, i32 0, i32 %ty, i32 %tx
  br label %outer
outer:
  %k0 = phi i32 [0, %0], [%k1, %done]
  %sum0 = phi float [0.0, %0], [%sum, %done]
  %ak = add i32 %k0, %tx
  %ai = add i32 %arow, %ak
  %pa = getelementptr float, ptr %a, i32 %ai
  %va = load float, ptr %pa
  store float %va, ptr addrspace(3) %pas
  %bk = add i32 %k0, %ty
  %brow = mul i32 %bk, 256
  %bi = add i32 %brow, %x
  %pb = getelementptr float, ptr %b, i32 %bi
  %vb = load float, ptr %pb
  store float %vb, ptr addrspace(3) %pbs
  $BARRIER ; loaded
  br label %inner
inner:
  %k = phi i32 [0, %outer], [%kn, %inner]
  %acc = phi float [%sum0, %outer], [%sum, %inner]
  %qa = getelementptr [16 x [16 x float]], ptr addrspace(3) @as, i32 0, i32 %ty, i32 %k
  %qb = getelementptr [16 x [16 x float]], ptr addrspace(3) @bs, i32 0, i32 %k, i32 %tx
  %xa = load float, ptr addrspace(3) %qa
  %xb = load float, ptr addrspace(3) %qb
  %m = fmul contract float %xa, %xb
  %sum = fadd contract float %acc, %m
  %kn = add i32 %k, 1
  %more = icmp ult i32 %kn, 16
  br i1 %more, label %inner, label %done
done:
  $BARRIER ; used
  %k1 = add i32 %k0, 16
  %again = icmp ult i32 %k1, 128
  br i1 %again, label %outer, label %end
end:
  %orow = mul i32 %y, 256
  %o = add i32 %orow, %x
  %po = getelementptr float, ptr %out, i32 %o
  store float %sum, ptr %po
  ret void
})";

/// A kernel of two or three buffers, the last of which it writes.
struct SimulatedProblem {
  std::string name, text;
  LaunchGeometry geometry;
  size_t inputs;
  size_t inputSize, outputSize;
  std::function<std::vector<float>(const std::vector<std::vector<float>> &,
                                   uint32_t subgroupSize)>
      compute;
};

inline std::vector<float> addInputs(const std::vector<std::vector<float>> &in,
                                    uint32_t) {
  std::vector<float> out(320, -1);
  for (size_t i = 0; i < 300; ++i)
    out[i] = in[0][i] + in[1][i];
  return out;
}

inline std::vector<float> sumGroups(const std::vector<float> &in,
                                    size_t group) {
  std::vector<float> out(in.size() / group);
  for (size_t i = 0; i < in.size(); ++i)
    out[i / group] += in[i];
  return out;
}

inline std::vector<float> transpose(const std::vector<float> &in) {
  std::vector<float> out(in.size());
  for (size_t y = 0; y < 48; ++y)
    for (size_t x = 0; x < 32; ++x)
      out[x * 48 + y] = in[y * 32 + x];
  return out;
}

inline std::vector<float> multiply(const std::vector<std::vector<float>> &in,
                                   uint32_t) {
  std::vector<float> out(size_t(256) * 256);
  for (size_t y = 0; y < 256; ++y)
    for (size_t k = 0; k < 128; ++k)
      for (size_t x = 0; x < 256; ++x)
        out[y * 256 + x] += in[0][y * 128 + k] * in[1][k * 256 + x];
  return out;
}

inline std::vector<float>
sumSubgroups(const std::vector<std::vector<float>> &in, uint32_t subgroupSize) {
  std::vector<float> out;
  for (float sum : sumGroups(in[0], subgroupSize))
    out.insert(out.end(), subgroupSize, sum);
  return out;
}

inline const SimulatedProblem additionProblem = {
    "addition", addition, {{5, 1, 1}, {64, 1, 1}}, 2, 320, 320, addInputs};
inline const SimulatedProblem treeProblem = {
    "tree reduction",
    treeReduction,
    {{16, 1, 1}, {128, 1, 1}, 512},
    1,
    2048,
    16,
    [](const auto &in, uint32_t) { return sumGroups(in[0], 128); }};
inline const SimulatedProblem shuffleProblem = {"shuffle reduction",
                                                shuffleReduction,
                                                {{1, 1, 1}, {256, 1, 1}},
                                                1,
                                                256,
                                                256,
                                                sumSubgroups};
inline const SimulatedProblem transpositionProblem = {
    "transposition",
    transposition,
    {{2, 3, 1}, {16, 16, 1}},
    1,
    1536,
    1536,
    [](const auto &in, uint32_t) { return transpose(in[0]); }};
inline const SimulatedProblem productProblem = {
    "product", product, {{16, 16, 1}, {16, 16, 1}}, 2, 32768, 65536, multiply};

} // namespace tonno

#endif // TONNO_SIMULATION_SIMULATEDPROBLEMS_H

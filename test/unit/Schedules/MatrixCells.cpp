//===- Products on matrix units to verify ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatrixCells.h"

#include "tonno/Core/MatrixInstruction.h"

#include "KernelFamily.h"
#include "PairwiseSample.h"

#include <algorithm>
#include <array>

using namespace tonno;

namespace {

/// A family of contractionFamilies, and its loops: "bmnk".
struct Form {
  const char *family, *loops;
};

/// Numbers of parts along rows and columns.
struct Tiles {
  uint32_t subgroupRows, subgroupColumns;   ///< instructions of a subgroup
  uint32_t workgroupRows, workgroupColumns; ///< subgroups of a workgroup
};

} // namespace

static constexpr const char *chips[] = {"sm_80", "gfx942", "gfx950", "gfx1100",
                                        "gfx1201"};

static constexpr Form forms[] = {{"matmul", "mnk"},
                                 {"matmul_bias_relu", "mnk"},
                                 {"matmul_residual", "mnk"},
                                 {"matmul_accumulate", "mnk"},
                                 {"matmul_transposed_a", "mnk"},
                                 {"matmul_transposed_b", "mnk"},
                                 {"matmul_transposed_result", "mnk"},
                                 {"matmul_chain", "mnk"},
                                 {"batch_matmul", "bmnk"},
                                 {"two_reduced_loops", "mnjk"},
                                 {"two_loops_of_rows", "jmnk"},
                                 {"two_loops_of_columns", "mjnk"}};

static constexpr const char *types[] = {"f16.f32", "bf16.f32", "i8.i32", "f16"};

/// m, n, k; no tile divides the second.
static constexpr std::array<uint32_t, 3> shapes[] = {
    {32, 32, 48}, {33, 41, 17}, {7, 5, 70}, {20, 24, 36}};

static constexpr Tiles tiles[] = {
    {1, 1, 1, 1}, {2, 1, 1, 2}, {1, 2, 2, 1}, {2, 2, 1, 1}};

/// Tiles along k, in instructions; then stages and order.
static constexpr std::array<uint32_t, 3> depths[] = {
    {1, 2, 1}, {2, 1, 2}, {3, 2, 2}, {1, 1, 3}};

static std::string describe(const MatrixInstruction &instruction,
                            const Form &form, const Tiles &parts,
                            const std::array<uint32_t, 3> &depth,
                            std::string_view copy) {
  // The roles of rows and columns may be exchanged.
  bool isSquare = std::string(form.family) == "matmul_transposed_result";
  uint32_t rows = isSquare ? std::max(instruction.m, instruction.n)
                           : instruction.m,
           columns = isSquare ? rows : instruction.n;
  // Tiles of 64 columns are large as they are.
  if (!isSquare || !instruction.readsShared()) {
    rows *= parts.subgroupRows;
    columns *= parts.subgroupColumns;
  }
  auto sizes = [&](uint32_t m, uint32_t n, uint32_t k) {
    std::string list;
    for (const char *loop = form.loops; *loop; ++loop)
      list += std::string(list.empty() ? "" : ", ") +
              std::to_string(*loop == 'm'   ? m
                             : *loop == 'n' ? n
                             : *loop == 'k' ? k
                                            : 0);
    return "[" + list + "]";
  };
  return "instruction = \"" + std::string(instruction.name) +
         "\", subgroup = " + sizes(rows, columns, 0) + ", workgroup = " +
         sizes(rows * parts.workgroupRows, columns * parts.workgroupColumns,
               0) +
         ", reduction = " + sizes(0, 0, instruction.k * depth[0]) +
         ", stages = " + std::to_string(depth[1]) +
         ", order = " + std::to_string(depth[2]) + ", copy = \"" +
         std::string(copy) + "\"";
}

static const KernelFamily &familyOf(const Form &form) {
  static const std::vector<KernelFamily> families = contractionFamilies();
  return *std::ranges::find(families, form.family, &KernelFamily::name);
}

static MatrixCell makeCell(const GpuChip &chip, const Form &form,
                           std::string type, std::array<uint32_t, 3> shape,
                           size_t instruction, const Tiles &parts,
                           const std::array<uint32_t, 3> &depth,
                           std::string_view copy) {
  const KernelFamily &family = familyOf(form);
  // The first product of a chain is an operand of the second one.
  if (family.name == "matmul_chain")
    type = type.starts_with("b") ? "bf16" : "f16";
  // Sums in buffers are not widened.
  if (family.name == "matmul_accumulate" && type == "f16")
    type = "f16.f32";
  std::string factor = type.substr(0, type.find('.'));
  ElementType operand = *parseEnum<ElementType>(factor);
  auto all = matrixInstructions(chip, operand,
                                operand == ElementType::i8 ? ElementType::i32
                                                           : ElementType::f32);
  std::string config =
      describe(all[instruction % all.size()], form, parts, depth, copy);
  std::vector<int64_t> extents;
  std::string name;
  for (char dim : family.dims) {
    extents.push_back(dim == 'M'   ? shape[0]
                      : dim == 'N' ? shape[1]
                      : dim == 'K' ? shape[2]
                                   : 2);
    name += " " + std::to_string(extents.back());
  }
  std::string target(chip.name);
  return {family.name,
          family.name + name + " " + type + " " + target + " {" + config + "}",
          target, family.write(extents, type, config)};
}

/// Adds products by warpgroups: of larger tiles, so of fewer kernels.
static void addWarpgroups(std::vector<MatrixCell> &cells) {
  static constexpr const char *warpgroupTypes[] = {
      "f16.f32", "bf16.f32", "i8.i32", "f16", "f8E4M3FN.f32", "f8E5M2.f32"};
  // No tile divides the first.
  static constexpr std::array<uint32_t, 3> warpgroupShapes[] = {
      {75, 41, 100}, {64, 64, 96}, {130, 72, 33}};
  static constexpr Tiles warpgroupTiles[] = {
      {1, 2, 1, 1}, {1, 4, 2, 1}, {2, 5, 1, 1}, {1, 12, 1, 2}};
  // Tiles along k, in instructions; then stages and order.
  static constexpr std::array<uint32_t, 3> warpgroupDepths[] = {
      {1, 2, 1}, {2, 5, 2}, {4, 3, 1}, {8, 2, 1}, {3, 4, 1}};
  constexpr size_t first = 0; // of the chip's instructions for the types
  const GpuChip &chip = **findGpuChip("sm_90a");
  for (const std::vector<size_t> &point :
       samplePairs({std::size(forms), std::size(warpgroupTypes),
                    std::size(warpgroupShapes), std::size(warpgroupTiles),
                    std::size(warpgroupDepths), 2})) {
    std::array<uint32_t, 3> depth = warpgroupDepths[point[4]];
    bool isAsync = point[5] == 1;
    if (!isAsync)
      depth[1] = 1 + depth[1] % 2;
    cells.push_back(makeCell(chip, forms[point[0]], warpgroupTypes[point[1]],
                             warpgroupShapes[point[2]], first,
                             warpgroupTiles[point[3]], depth,
                             isAsync ? "async" : "registers"));
  }
}

/// Adds products with sums in tensor memory.
static void addTensorMemory(std::vector<MatrixCell> &cells) {
  static constexpr const char *tensorTypes[] = {
      "f16.f32", "bf16.f32", "i8.i32", "f16", "f8E4M3FN.f32", "f8E5M2.f32"};
  static constexpr std::array<uint32_t, 3> tensorShapes[] = {
      {75, 41, 100}, {128, 64, 96}, {260, 72, 33}};
  static constexpr Tiles tensorTiles[] = {
      {1, 2, 1, 1}, {1, 4, 2, 1}, {2, 6, 1, 1}, {1, 12, 1, 2}};
  // Tiles along k, in instructions; then stages and order.
  static constexpr std::array<uint32_t, 3> tensorDepths[] = {
      {1, 2, 1}, {2, 4, 2}, {4, 3, 1}, {8, 2, 1}, {3, 5, 1}};
  constexpr size_t first = 0; // of the chip's instructions for the types
  const GpuChip &chip = **findGpuChip("sm_100a");
  for (const std::vector<size_t> &point : samplePairs(
           {std::size(forms), std::size(tensorTypes), std::size(tensorShapes),
            std::size(tensorTiles), std::size(tensorDepths), 2})) {
    // To cover pairs of forms and types, not of the others.
    if ((point[2] + point[3] + point[4]) % 2 == 1 && point[0] % 3 != 0)
      continue;
    std::array<uint32_t, 3> depth = tensorDepths[point[4]];
    bool isAsync = point[5] == 1;
    if (!isAsync)
      depth[1] = 1 + depth[1] % 2;
    cells.push_back(makeCell(
        chip, forms[point[0]], tensorTypes[point[1]], tensorShapes[point[2]],
        first, tensorTiles[point[3]], depth, isAsync ? "async" : "registers"));
  }
}

/// Adds products whose sums are split into parts, which another launch adds.
static void addSplits(std::vector<MatrixCell> &cells) {
  constexpr Tiles one = {1, 4, 1, 1};
  for (auto [chip, type, parts] : {std::tuple("sm_90", "f16.f32", 2),
                                   {"sm_90a", "bf16.f32", 4},
                                   {"sm_90a", "f16", 3},
                                   {"sm_100a", "i8.i32", 2},
                                   {"gfx942", "f16.f32", 4}})
    for (size_t form : {0, 1, 2, 5}) {
      MatrixCell cell = makeCell(**findGpuChip(chip), forms[form], type,
                                 {70, 33, 192}, 0, one, {1, 2, 1}, "registers");
      std::string split = "split = " + std::to_string(parts) + ", ";
      for (std::string *text : {&cell.name, &cell.text})
        text->insert(text->find("instruction = "), split);
      cells.push_back(std::move(cell));
    }
}

std::vector<MatrixCell> tonno::matrixCells() {
  // Largest number of instructions of a chip for the same types.
  constexpr size_t instructions = 4;
  std::vector<MatrixCell> cells;
  for (const std::vector<size_t> &point :
       samplePairs({std::size(forms), std::size(types), std::size(shapes),
                    instructions, std::size(tiles), std::size(depths)})) {
    auto add = [&](const char *chip, std::array<uint32_t, 3> depth,
                   std::string_view copy) {
      cells.push_back(makeCell(**findGpuChip(chip), forms[point[0]],
                               types[point[1]], shapes[point[2]], point[3],
                               tiles[point[4]], depth, copy));
    };
    for (const char *chip : chips)
      add(chip, depths[point[5]], "registers");
    auto depth = depths[point[5]];
    depth[1] = static_cast<uint32_t>(2 + cells.size() % 5);
    add("sm_90", depth, "async");
  }
  addWarpgroups(cells);
  addTensorMemory(cells);
  addSplits(cells);
  // f8, of the chips that have instructions for it.
  for (auto [chip, one] : {std::pair("sm_89", "f8E4M3FN.f32"),
                           {"sm_89", "f8E5M2.f32"},
                           {"gfx942", "f8E4M3FNUZ.f32"},
                           {"gfx942", "f8E5M2FNUZ.f32"},
                           {"gfx950", "f8E4M3FN.f32"},
                           {"gfx950", "f8E5M2.f32"},
                           {"gfx1201", "f8E4M3FN.f32"},
                           {"gfx1201", "f8E5M2.f32"}})
    for (size_t i = 0; i < 4; ++i) {
      bool isAsync = chip == std::string_view("sm_89") && i % 2;
      std::array<uint32_t, 3> depth = depths[i];
      depth[1] = isAsync ? 3 : depth[1];
      cells.push_back(makeCell(**findGpuChip(chip),
                               forms[std::array{0, 5, 1, 4}[i]], one,
                               shapes[std::array{1, 0, 3, 2}[i]], i, tiles[i],
                               depth, isAsync ? "async" : "registers"));
    }
  // Tiles that take more shared memory than is there without asking.
  for (auto [form, type] : {std::pair(0, "f16.f32"), {4, "i8.i32"}})
    cells.push_back(makeCell(**findGpuChip("sm_80"), forms[form], type,
                             {60, 64, 400}, 0, {2, 4, 2, 2}, {8, 2, 1},
                             "registers"));
  return cells;
}

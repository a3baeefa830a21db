//===- Fragments against vendors' own code --------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Core/MatrixInstruction.h"
#include "tonno/Core/Json.h"
#include "tonno/Core/MatrixDescriptor.h"

#include <fstream>
#include <gtest/gtest.h>

using namespace tonno;

namespace {

/// Returns the layouts written by MatrixLayouts/make_layouts.py.
const Json &vendorLayouts() {
  static const Json layouts = [] {
    std::ifstream file(MATRIX_LAYOUTS);
    return Json::parse(file);
  }();
  return layouts;
}

struct Case {
  const char *chip;
  ElementType operand, sum;
  const char *name;
  const char *vendor; ///< nvidia or amd
  const char *theirs;
};

class VendorLayouts : public testing::TestWithParam<Case> {};

/// Returns the coordinates of an element, from those of the bits of its
/// numbers.
FragmentCoordinates placeOf(const Json &basis, uint32_t lane,
                            uint32_t element) {
  FragmentCoordinates place;
  auto add = [&](const Json &bits, uint32_t number) {
    for (size_t bit = 0; bit < bits.size(); ++bit)
      if (number >> bit & 1) {
        place.side ^= bits[bit][0].get<uint32_t>();
        place.depth ^= bits[bit][1].get<uint32_t>();
      }
  };
  add(basis.at("lane"), lane);
  add(basis.at("element"), element);
  return place;
}

/// Returns the first element that lies elsewhere; empty if there is none.
std::string findDifference(const Fragment &ours, const Json &basis) {
  uint32_t lanes = 1u << basis.at("lane").size();
  if (ours.size() != 1u << basis.at("element").size())
    return std::to_string(ours.size()) + " elements";
  for (uint32_t lane = 0; lane < lanes; ++lane)
    for (uint32_t element = 0; element < ours.size(); ++element)
      if (ours.place(lane, element) != placeOf(basis, lane, element))
        return "lane " + std::to_string(lane) + ", element " +
               std::to_string(element);
  return "";
}

const Json &layoutOf(const Case &of) {
  return vendorLayouts().at(of.vendor).at(of.theirs);
}

constexpr std::pair<Fragment MatrixInstruction::*, const char *> matrices[] = {
    {&MatrixInstruction::lhs, "A"},
    {&MatrixInstruction::rhs, "B"},
    {&MatrixInstruction::sums, "D"}};

/// Returns fragments with a mistake that tables can have, by its name. Some are
/// equivalent: both dimensions are equal, or a stride has one lane.
std::vector<std::pair<std::string, Fragment>>
mistakesIn(const Fragment &fragment) {
  std::vector<std::pair<std::string, Fragment>> all;
  using Number = uint32_t FragmentDimension::*;
  constexpr std::pair<Number, const char *> numbers[] = {
      {&FragmentDimension::outer, "outer"},
      {&FragmentDimension::lanes, "lanes"},
      {&FragmentDimension::laneStride, "laneStride"},
      {&FragmentDimension::elements, "elements"}};
  constexpr std::pair<FragmentDimension Fragment::*, const char *>
      dimensions[] = {{&Fragment::side, "side"}, {&Fragment::depth, "depth"}};
  for (auto [dimension, ofDimension] : dimensions)
    for (auto [number, name] : numbers) {
      auto add = [&](const std::string &what, auto change) {
        Fragment other = fragment;
        change(other.*dimension);
        all.emplace_back(std::string(ofDimension) + "." + name + what, other);
      };
      add(" doubled", [&](FragmentDimension &one) { one.*number *= 2; });
      if (fragment.*dimension.*number > 1)
        add(" halved", [&](FragmentDimension &one) { one.*number /= 2; });
      for (auto [other, theirs] : numbers) {
        if (number == other)
          break; // the others are exchanged with this one
        add(" exchanged with " + std::string(theirs),
            [&](FragmentDimension &one) {
              std::swap(one.*number, one.*other);
            });
      }
    }
  for (auto [number, name] : numbers) {
    Fragment other = fragment;
    std::swap(other.side.*number, other.depth.*number);
    all.emplace_back(std::string(name) + " of side and depth exchanged", other);
  }
  return all;
}

/// Checks that two fragments are the same as far as lanes and elements go.
bool isSame(const Fragment &one, const Fragment &other, uint32_t lanes) {
  if (one.size() != other.size())
    return false;
  for (uint32_t lane = 0; lane < lanes; ++lane)
    for (uint32_t element = 0; element < one.size(); ++element)
      if (one.place(lane, element) != other.place(lane, element))
        return false;
  return true;
}

} // namespace

TEST_P(VendorLayouts, AreTheTables) {
  const Case &param = GetParam();
  const GpuChip *chip = *findGpuChip(param.chip);
  const MatrixInstruction *ours =
      findMatrixInstruction(*chip, param.operand, param.sum, param.name);
  ASSERT_NE(ours, nullptr);
  const Json &theirs = layoutOf(param);
  for (auto [fragment, matrix] : matrices)
    EXPECT_EQ(findDifference(ours->*fragment, theirs.at(matrix)), "") << matrix;
  if (theirs.contains("cycles"))
    EXPECT_EQ(ours->cycles, theirs.at("cycles").get<uint32_t>());
}

TEST_P(VendorLayouts, ShowMistakesInTables) {
  const Case &param = GetParam();
  const GpuChip *chip = *findGpuChip(param.chip);
  const MatrixInstruction *ours =
      findMatrixInstruction(*chip, param.operand, param.sum, param.name);
  ASSERT_NE(ours, nullptr);
  size_t count = 0;
  for (auto [fragment, matrix] : matrices)
    for (const auto &[name, mistake] : mistakesIn(ours->*fragment)) {
      bool isNone = isSame(mistake, ours->*fragment, chip->subgroupSize);
      EXPECT_EQ(findDifference(mistake, layoutOf(param).at(matrix)).empty(),
                isNone)
          << matrix << ": " << name;
      count += !isNone;
    }
  EXPECT_GE(count, 40u);
}

static constexpr ElementType f32 = ElementType::f32, f16 = ElementType::f16,
                             bf16 = ElementType::bf16, i8 = ElementType::i8,
                             i32 = ElementType::i32;

INSTANTIATE_TEST_SUITE_P(
    Table, VendorLayouts,
    testing::Values(
        Case{"gfx90a", f16, f32, "mfma_32x32x8", "amd",
             "CDNA2 v_mfma_f32_32x32x8f16"},
        Case{"gfx90a", f16, f32, "mfma_16x16x16", "amd",
             "CDNA2 v_mfma_f32_16x16x16f16"},
        Case{"gfx90a", bf16, f32, "mfma_32x32x8", "amd",
             "CDNA2 v_mfma_f32_32x32x8bf16_1k"},
        Case{"gfx90a", bf16, f32, "mfma_16x16x16", "amd",
             "CDNA2 v_mfma_f32_16x16x16bf16_1k"},
        Case{"gfx90a", i8, i32, "mfma_32x32x8", "amd",
             "CDNA2 v_mfma_i32_32x32x8i8"},
        Case{"gfx90a", i8, i32, "mfma_16x16x16", "amd",
             "CDNA2 v_mfma_i32_16x16x16i8"},
        Case{"gfx942", f16, f32, "mfma_32x32x8", "amd",
             "CDNA3 v_mfma_f32_32x32x8_f16"},
        Case{"gfx942", f16, f32, "mfma_16x16x16", "amd",
             "CDNA3 v_mfma_f32_16x16x16_f16"},
        Case{"gfx942", bf16, f32, "mfma_32x32x8", "amd",
             "CDNA3 v_mfma_f32_32x32x8_bf16"},
        Case{"gfx942", bf16, f32, "mfma_16x16x16", "amd",
             "CDNA3 v_mfma_f32_16x16x16_bf16"},
        Case{"gfx942", i8, i32, "mfma_32x32x16", "amd",
             "CDNA3 v_mfma_i32_32x32x16_i8"},
        Case{"gfx942", i8, i32, "mfma_16x16x32", "amd",
             "CDNA3 v_mfma_i32_16x16x32_i8"},
        Case{"gfx1100", f16, f32, "wmma_16x16x16", "amd",
             "RDNA3 v_wmma_f32_16x16x16_f16"},
        Case{"gfx1100", bf16, f32, "wmma_16x16x16", "amd",
             "RDNA3 v_wmma_f32_16x16x16_bf16"},
        Case{"gfx1100", i8, i32, "wmma_16x16x16", "amd",
             "RDNA3 v_wmma_i32_16x16x16_iu8"},
        Case{"gfx1201", f16, f32, "wmma_16x16x16", "amd",
             "RDNA4 v_wmma_f32_16x16x16_f16"},
        Case{"gfx1201", bf16, f32, "wmma_16x16x16", "amd",
             "RDNA4 v_wmma_f32_16x16x16_bf16"},
        Case{"gfx1201", i8, i32, "wmma_16x16x16", "amd",
             "RDNA4 v_wmma_i32_16x16x16_iu8"},
        Case{"sm_80", f16, f32, "mma_16x8x16", "nvidia", "m16n8k16.f32.f16"},
        Case{"sm_80", bf16, f32, "mma_16x8x16", "nvidia", "m16n8k16.f32.bf16"},
        Case{"sm_80", i8, i32, "mma_16x8x32", "nvidia", "m16n8k32.s32.s8"}),
    [](const testing::TestParamInfo<Case> &info) {
      std::string name = std::string(info.param.chip) + "_" + info.param.name +
                         "_" + std::string(toString(info.param.operand));
      return name;
    });

TEST(MatrixInstruction, WarpgroupsHoldSumsAsTheVendorSays) {
  const MatrixInstruction *ours =
      findMatrixInstruction(MatrixFamily::wgmma, f16, f32);
  ASSERT_NE(ours, nullptr);
  const Json &theirs = vendorLayouts().at("nvidia").at("m64n16.f32").at("D");
  for (uint32_t thread = 0; thread < 128; ++thread)
    for (uint32_t element = 0; element < 8; ++element) {
      FragmentCoordinates place = ours->sums.place(thread % 32, element % 4);
      place.side += thread / 32 * ours->m / ours->subgroups;
      place.depth += element / 4 * ours->n;
      EXPECT_EQ(place, placeOf(theirs, thread, element))
          << thread << ", " << element;
    }
}

/// Returns how many 16 bytes of a tile's first part along k lie elsewhere than
/// the vendor's code has them.
static size_t countMisplaced(const MatrixDescriptor &ours, const Json &tile) {
  bool alongSide = tile.at("alongSide").get<bool>();
  uint64_t bytes = tile.at("bytes").get<uint64_t>();
  uint64_t across = alongSide ? 32 / bytes : tile.at("side").get<uint64_t>(),
           along = alongSide ? tile.at("side").get<uint64_t>() * bytes / 16 : 2;
  size_t count = 0;
  for (uint64_t row = 0; row < across; ++row)
    for (uint64_t chunk = 0; chunk < along; ++chunk)
      count += ours.address(chunk, row) !=
               tile.at("places")[row][chunk].get<uint64_t>();
  return count;
}

TEST(MatrixDescriptor, DescribesWhatTheVendorSays) {
  size_t numMistakes = 0;
  for (const auto &[name, tile] : vendorLayouts().at("descriptors").items()) {
    SCOPED_TRACE(name);
    auto bits = tile.at("descriptor").get<uint64_t>();
    MatrixDescriptor ours =
        MatrixDescriptor::decode(bits, tile.at("alongSide").get<bool>());
    EXPECT_EQ(ours.encode(), bits);
    EXPECT_EQ(ours.version, 0u);
    MatrixDescriptor ofTensor = ours;
    ofTensor.version = 1;
    EXPECT_EQ(ofTensor.encode(), tile.at("tensor").get<uint64_t>());
    EXPECT_EQ(ours.start, 0u);
    EXPECT_EQ(ours.baseOffset, 0u);
    EXPECT_EQ(countMisplaced(ours, tile), 0u);
    auto expectMistake = [&](auto change) {
      MatrixDescriptor other = ours;
      change(other);
      // Rows along k have no other part within 32 bytes.
      bool isOther = other.encode() != bits && countMisplaced(other, tile) > 0;
      numMistakes += isOther;
    };
    expectMistake([](MatrixDescriptor &one) { one.start += 16; });
    expectMistake([](MatrixDescriptor &one) { one.stride *= 2; });
    expectMistake([](MatrixDescriptor &one) { one.leading *= 2; });
    expectMistake([](MatrixDescriptor &one) { one.rowBytes = 64; });
    expectMistake([](MatrixDescriptor &one) { one.rowBytes = 128; });
    expectMistake(
        [](MatrixDescriptor &one) { std::swap(one.leading, one.stride); });
  }
  // Others make no difference: the part has one group, or rows of that length.
  EXPECT_GE(numMistakes, 40u);
}

TEST(InstructionDescriptor, IsWhatTheVendorSays) {
  using enum ElementType;
  auto expect = [](const char *name, const InstructionDescriptor &ours) {
    EXPECT_EQ(ours.encode(), vendorLayouts().at("instructions").at(name))
        << name;
  };
  expect("f16 256 k n", {f16, f32, 128, 256, false, true});
  expect("f16 16 m k", {f16, f32, 128, 16, true, false});
  expect("bf16 128 k k", {bf16, f32, 128, 128});
  expect("f8E4M3FN 64 k k", {f8E4M3FN, f32, 128, 64});
  expect("f8E5M2 96 k k", {f8E5M2, f32, 128, 96});
  expect("i8 32 k k", {i8, i32, 128, 32});
}

TEST(MatrixInstruction, FragmentsHoldEachElementOnce) {
  for (const GpuChip &chip : gpuChips())
    for (auto [operand, sum] : {std::pair(f16, f32), {bf16, f32}, {i8, i32}})
      for (const MatrixInstruction &one :
           matrixInstructions(chip, operand, sum)) {
        auto holds = [&](const Fragment &fragment, uint32_t side,
                         uint32_t depth) {
          std::vector<uint32_t> count(size_t(side) * depth);
          for (uint32_t lane = 0; lane < chip.subgroupSize; ++lane)
            for (uint32_t i = 0; i < fragment.size(); ++i) {
              FragmentCoordinates place = fragment.place(lane, i);
              ASSERT_LT(place.side, side);
              ASSERT_LT(place.depth, depth);
              ++count[place.side * depth + place.depth];
            }
          uint32_t copies =
              chip.subgroupSize * fragment.size() / (side * depth);
          EXPECT_EQ(count, std::vector<uint32_t>(count.size(), copies));
        };
        holds(one.sums, one.m / one.subgroups, one.n);
        if (one.readsShared())
          continue;
        holds(one.lhs, one.m, one.k);
        holds(one.rhs, one.n, one.k);
      }
}

TEST(MatrixInstruction, UnknownTypesHaveNone) {
  EXPECT_TRUE(matrixInstructions(**findGpuChip("gfx942"), f32, f16).empty());
  EXPECT_EQ(
      findMatrixInstruction(**findGpuChip("gfx942"), f16, f32, "mfma_1x1x1"),
      nullptr);
}

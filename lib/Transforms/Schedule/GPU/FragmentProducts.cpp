//===- Products of fragments in registers ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Schedule/GPU/FragmentLoad.h"
#include "Schedule/GPU/TileProducts.h"

using namespace mlir;
using namespace tonno;

namespace {

class FragmentProducts : public TileProducts {
public:
  FragmentProducts(const OrientedInstruction &instruction,
                   const ProductTiles &tiles)
      : instruction(instruction), tiles(tiles),
        left(*this->instruction, this->instruction.rows(), tiles.rows,
             tiles.depth, tiles.leftAlongSide),
        right(*this->instruction, this->instruction.columns(), tiles.columns,
              tiles.depth, tiles.rightAlongSide) {}

  const SharedTile &leftTile() const override { return left.tile(); }
  const SharedTile &rightTile() const override { return right.tile(); }
  int64_t getSharedBytes() const override {
    return left.getSharedBytes(tiles.staging.stages) +
           right.getSharedBytes(tiles.staging.stages);
  }

  void prepare(KernelLaunch &launch, const SubgroupPlace &own) override {
    kernel = &launch;
    place = own;
  }

  SmallVector<Value> add(const OperandCopy &leftCopy,
                         const OperandCopy &rightCopy, Value, Value stage,
                         ValueRange sums,
                         function_ref<void()> moveNext) override {
    moveNext();
    ThreadCode &code = kernel->code;
    auto load = [&](const FragmentLoad &fragments, const OperandCopy &copy,
                    Value start, int64_t count, int64_t first) {
      bool isMmaSync = instruction->family == MatrixFamily::mmaSync;
      FragmentLoad::Context context{
          .memory = isMmaSync ? kernel->asBytes(copy.shared) : copy.shared,
          .firstRow = copy.firstRow(code, stage),
          .lane = place.lane,
          .start = start,
          .subgroupSize = place.subgroupSize,
          .numFragments = count};
      return fragments.load(code, context, first);
    };
    SmallVector<Value> current(sums);
    for (int64_t k = 0; k < tiles.depth / instruction->k;
         k += left.numAtOnce()) {
      auto a = load(left, leftCopy, place.rowStart,
                    tiles.subgroupRows / instruction.numRows(), k),
           b = load(right, rightCopy, place.columnStart,
                    tiles.subgroupColumns / instruction.numColumns(), k);
      for (auto [ofRows, ofColumns] : llvm::zip_equal(a, b))
        instruction.addProducts(code, ofRows, ofColumns, current);
    }
    return current;
  }

  void finish(OpFoldResult, ValueRange sums) override {
    complete.assign(sums.begin(), sums.end());
  }
  Value getSums(size_t tile) override { return complete[tile]; }

private:
  const OrientedInstruction instruction;
  const ProductTiles tiles;
  const FragmentLoad left, right;

  KernelLaunch *kernel = nullptr;
  SubgroupPlace place = {};
  SmallVector<Value> complete;
};

} // namespace

std::unique_ptr<TileProducts>
tonno::createFragmentProducts(const OrientedInstruction &instruction,
                              const ProductTiles &tiles) {
  return std::make_unique<FragmentProducts>(instruction, tiles);
}

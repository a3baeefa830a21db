//===- Features of a kernel -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/DescribeKernel.h"
#include "tonno/Dialect/LoopRoles.h"
#include "tonno/Dialect/LoweringConfig.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"

using namespace mlir;
using namespace tonno;

namespace {

/// Names the loops of an op by their roles.
class LoopNames {
public:
  explicit LoopNames(linalg::LinalgOp op) : names(op.getNumLoops()) {}

  /// Names the loops, of which the last one is the innermost.
  void add(ArrayRef<unsigned> loops, StringRef role) {
    for (unsigned loop : llvm::reverse(loops))
      add(loop, role);
  }
  void add(unsigned loop, StringRef role) {
    if (!names[loop].empty())
      return;
    unsigned earlier = counts[role]++;
    names[loop] = role.str() + (earlier ? std::to_string(earlier) : "");
  }
  /// Names loops without a role by their type, from the innermost.
  void addOthers(linalg::LinalgOp op) {
    unsigned parallel = 0, reductions = 0;
    for (unsigned loop : llvm::reverse(llvm::seq<unsigned>(0, names.size())))
      if (names[loop].empty())
        names[loop] =
            linalg::isReductionIterator(op.getIteratorTypesArray()[loop])
                ? "r" + std::to_string(reductions++)
                : "p" + std::to_string(parallel++);
  }

  ArrayRef<std::string> all() const { return names; }

private:
  SmallVector<std::string> names;
  llvm::StringMap<unsigned> counts;
};

} // namespace

/// Returns true if an input's dimensions are in another order than the
/// result's.
static bool permutes(linalg::LinalgOp op) {
  return llvm::any_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isPermutation() && !map.isIdentity();
  });
}

/// Returns the kind of an op that is no contraction or convolution.
static std::string nameOtherKind(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() == 0)
    return permutes(op) ? "transposition" : "elementwise";
  std::string kind = "reduction ";
  for (utils::IteratorType type : op.getIteratorTypesArray())
    kind += linalg::isReductionIterator(type) ? 'r' : 'p';
  return kind;
}

/// Names the loops, and returns the kind of op that they tell.
static std::string nameLoops(linalg::LinalgOp op, LoopNames &names) {
  auto dims = linalg::isaConvolutionOpInterface(op)
                  ? linalg::inferConvolutionDims(op)
                  : FailureOr<linalg::ConvolutionDimensions>(failure());
  auto loops = findContractionLoops(op);
  if (failed(dims) && succeeded(loops)) {
    names.add(loops->depth, "k");
    names.add(loops->rows, "m");
    names.add(loops->columns, "n");
    names.add(loops->allRows, "m");
    names.add(loops->allColumns, "n");
    for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
      names.add(unsigned(loop), linalg::isReductionIterator(type) ? "k" : "b");
    return "contraction";
  }
  if (failed(dims)) {
    names.addOthers(op);
    return nameOtherKind(op);
  }
  names.add(dims->outputImage, "m");
  names.add(dims->outputChannel, "n");
  names.add(dims->depth, "n");
  names.add(dims->inputChannel, "k");
  names.add(dims->filterLoop, "t");
  names.add(dims->batch, "b");
  names.addOthers(op);
  if (!dims->depth.empty())
    return "depthwise convolution";
  return dims->inputChannel.empty() ? "pooling" : "convolution";
}

static OpSetting readSetting(Attribute value) {
  if (auto knob = dyn_cast<KnobAttr>(value))
    return {Json(), knob.getName().str()};
  return {toOption(value), {}};
}

/// Returns, for each loop of an op, the tile in which the last op of its group
/// is computed together with its producers; null where there is none.
static SmallVector<Attribute> findGroupTiles(linalg::LinalgOp op) {
  SmallVector<Attribute> tiles(op.getNumLoops());
  DictionaryAttr config = getLoweringConfig(op);
  if (auto fuse = config ? config.getAs<ArrayAttr>(lowering_config::kFuse)
                         : ArrayAttr();
      fuse && fuse.size() == tiles.size()) {
    llvm::copy(fuse, tiles.begin());
    return tiles;
  }
  for (OpOperand &use : op->getUses()) {
    auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
    if (!user)
      continue;
    AffineMap read = user.getMatchingIndexingMap(&use);
    AffineMap written =
        op.getIndexingMapMatchingResult(cast<OpResult>(use.get()));
    SmallVector<Attribute> ofUser = findGroupTiles(user);
    for (auto [in, out] :
         llvm::zip_equal(read.getResults(), written.getResults()))
      if (auto from = dyn_cast<AffineDimExpr>(in))
        if (auto to = dyn_cast<AffineDimExpr>(out))
          tiles[to.getPosition()] = ofUser[from.getPosition()];
    break;
  }
  return tiles;
}

/// Adds the tiles of the op's group: those of the workgroup, unless it has its
/// own.
static void addGroupTiles(linalg::LinalgOp op, const LoopNames &names,
                          OpFeatures &features) {
  bool hasOwn = getLoweringConfig(op).contains(lowering_config::kWorkgroup);
  std::string key = hasOwn ? "within." : "workgroup.";
  for (auto [name, tile] : llvm::zip_equal(names.all(), findGroupTiles(op)))
    if (tile)
      if (OpSetting setting = readSetting(tile);
          !setting.knob.empty() || setting.value != 0)
        features.settings[key + name] = std::move(setting);
}

/// Replaces tiles of 0, and those that are not stated, by the loop's size.
static void addWholeTiles(linalg::LinalgOp op, const LoopNames &names,
                          OpFeatures &features) {
  for (auto [loop, name] : llvm::enumerate(names.all())) {
    bool isReduction =
        linalg::isReductionIterator(op.getIteratorTypesArray()[loop]);
    for (StringRef key :
         {lowering_config::kWorkgroup, lowering_config::kSubgroup,
          lowering_config::kReduction}) {
      if (key == lowering_config::kReduction && !isReduction)
        continue;
      OpSetting &tile = features.settings[key.str() + "." + name];
      if (tile.knob.empty() && (tile.value.is_null() || tile.value == 0))
        tile.value = features.sizes[name];
    }
  }
}

static OpFeatures describeOp(linalg::LinalgOp op, DictionaryAttr config) {
  OpFeatures features;
  LoopNames names(op);
  features.kind = nameLoops(op, names);
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (element.isIntOrFloat())
    features.bits = element.getIntOrFloatBitWidth();
  for (auto [name, range] :
       llvm::zip_equal(names.all(), op.getStaticLoopRanges()))
    features.sizes[name] = ShapedType::isDynamic(range) ? 0 : range;
  for (NamedAttribute entry : config) {
    auto list = dyn_cast<ArrayAttr>(entry.getValue());
    std::string key = entry.getName().str();
    if (key == lowering_config::kFuse)
      continue; // of the group
    if (!list || list.size() != names.all().size()) {
      features.settings[key] = readSetting(entry.getValue());
      continue;
    }
    for (auto [name, value] : llvm::zip_equal(names.all(), list))
      if (OpSetting setting = readSetting(value);
          !setting.knob.empty() || setting.value != 0)
        features.settings[key + "." + name] = std::move(setting);
  }
  addGroupTiles(op, names, features);
  addWholeTiles(op, names, features);
  for (OpOperand *input : op.getDpsInputOperands())
    if (auto loop = rowLoop(op.getMatchingIndexingMap(input)))
      features.settings["row." + std::to_string(input->getOperandNumber())] = {
          names.all()[*loop], {}};
  return features;
}

KernelFeatures tonno::describeKernel(func::FuncOp kernel) {
  KernelFeatures features;
  kernel.walk([&](linalg::LinalgOp op) {
    if (DictionaryAttr config = getLoweringConfig(op))
      features.ops.push_back(describeOp(op, config));
  });
  return features;
}

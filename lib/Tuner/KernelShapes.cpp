//===- Shapes of one kernel -----------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelShapes.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/Constraint.h"
#include "tonno/Transforms/DynamicDimensions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tonno;

/// The most shapes that a kernel is tuned at.
static constexpr size_t mostAnchors = 14;

/// Returns the listed shapes, without dimensions of other kernels.
static std::vector<ListedShape> findListed(const Shapes &all,
                                           ArrayRef<SizeRange> ranges) {
  std::vector<ListedShape> listed;
  for (const ListedShape &shape : all.listed) {
    ListedShape &own = listed.emplace_back(ListedShape{{}, shape.weight});
    for (const SizeRange &range : ranges)
      own.sizes.push_back(
          *std::ranges::find(shape.sizes, range.name, &Dimension::name));
  }
  mergeEqual(listed);
  return listed;
}

/// Fails if one of the kernel's dimensions has several ranges.
static Result<void, LocatedError>
checkRanges(func::FuncOp kernel, const DynamicDimensions &dimensions,
            ArrayRef<SizeRange> ranges) {
  for (const DynamicDimension &dimension : dimensions.all())
    if (llvm::count_if(ranges, [&](const SizeRange &range) {
          return llvm::is_contained(dimension.names, range.name);
        }) > 1)
      return LocatedError{"dimensions " + llvm::join(dimension.names, ", ") +
                          " are equal in @" + kernel.getSymName().str() +
                          "; give one of them a range"};
  return {};
}

/// Returns the ranges of the kernel's own dimensions.
static std::vector<SizeRange> findOwnRanges(const DynamicDimensions &dimensions,
                                            ArrayRef<SizeRange> ranges) {
  ArrayRef<DynamicDimension> all = dimensions.all();
  bool hasAnyName =
      all.size() == 1 && !all.front().isNamed && ranges.size() == 1;
  std::vector<SizeRange> own;
  for (const SizeRange &range : ranges)
    if (hasAnyName || llvm::any_of(all, [&](const auto &dimension) {
          return llvm::is_contained(dimension.names, range.name);
        }))
      own.push_back(range);
  return own;
}

Result<KernelShapes, LocatedError> KernelShapes::find(func::FuncOp kernel) {
  auto all = parseStatedShapes(
      kernel->getAttrOfType<StringAttr>(TonnoDialect::kShapes).getValue());
  if (!all)
    return LocatedError{all.error().message};
  auto dimensions = DynamicDimensions::find(kernel);
  if (failed(dimensions))
    return LocatedError{"the dynamic dimensions of @" +
                        kernel.getSymName().str() + " contradict each other"};
  TONNO_TRY(checkRanges(kernel, *dimensions, all->ranges));
  KernelShapes found;
  Shapes &own = found.stated;
  own.ranges = findOwnRanges(*dimensions, all->ranges);
  own.listed = findListed(*all, own.ranges);
  auto isOwn = [&](const std::string &name) {
    return std::ranges::find(own.ranges, name, &SizeRange::name) !=
           own.ranges.end();
  };
  // Weights over other kernels' dimensions are not this one's.
  llvm::copy_if(all->weights, std::back_inserter(own.weights),
                [&](const ShapeWeight &weight) {
                  auto condition = Constraint::parse(weight.condition);
                  return llvm::all_of(condition->getNames(), isOwn);
                });
  auto chosen = chooseAnchors(own, mostAnchors);
  if (!chosen)
    return LocatedError{chosen.error().message};
  found.anchors = std::move(*chosen);
  found.probes = chooseProbes(own, found.anchors);
  return found;
}

//===- Maps that read what they write -------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/Schedule/ReadingMaps.h"
#include "tonno/Dialect/LoopRoles.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

using namespace mlir;

LogicalResult tonno::generalizeReadingMaps(func::FuncOp function) {
  SmallVector<linalg::MapOp> maps;
  function.walk([&](linalg::MapOp map) {
    if (readsElements(map, *map.getDpsInitOperand(0)))
      maps.push_back(map);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::MapOp map : maps) {
    DictionaryAttr attributes = map->getDiscardableAttrDictionary();
    rewriter.setInsertionPoint(map);
    auto generic = linalg::generalizeNamedOp(
        rewriter, cast<linalg::LinalgOp>(map.getOperation()));
    if (failed(generic))
      return map.emitOpError() << "can't be made a generic op";
    (*generic)->setDiscardableAttrs(attributes);
  }
  return success();
}

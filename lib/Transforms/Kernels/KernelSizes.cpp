//===- A kernel, and what of it are sizes ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/KernelSizes.h"
#include "tonno/Transforms/KernelClosure.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tonno;

/// What every extent becomes, but those that are not known.
static SmallVector<int64_t> sizeless(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result;
  for (int64_t extent : shape)
    result.push_back(ShapedType::isDynamic(extent) ? extent : 1);
  return result;
}

static MemRefType sizeless(MemRefType type) {
  MemRefLayoutAttrInterface layout = type.getLayout();
  if (!layout.isIdentity()) {
    SmallVector<int64_t> strides(type.getRank(), ShapedType::kDynamic);
    layout = StridedLayoutAttr::get(type.getContext(), ShapedType::kDynamic,
                                    strides);
  }
  return MemRefType::get(sizeless(type.getShape()), type.getElementType(),
                         layout, type.getMemorySpace());
}

/// Of a table the first element stands for all.
static Attribute sizeless(DenseElementsAttr elements) {
  if (elements.empty())
    return elements;
  ShapedType type = elements.getType();
  SmallVector<int64_t> ones(type.getRank(), 1);
  return DenseElementsAttr::get(type.clone(ones, type.getElementType()),
                                *elements.value_begin<Attribute>());
}

/// Bounds are results that are constant; 0 and 1 stand for more than a size.
static AffineMap sizeless(AffineMap map) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults()) {
    auto constant = dyn_cast<AffineConstantExpr>(result);
    results.push_back(constant && constant.getValue() > 1
                          ? getAffineConstantExpr(2, map.getContext())
                          : result);
  }
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        map.getContext());
}

/// The operations' `static_sizes`, `static_offsets` and the like.
static void dropStaticSizes(ModuleOp module) {
  module->walk([](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs()) {
      auto numbers = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
      if (numbers && attribute.getName().strref().starts_with("static_"))
        op->setAttr(attribute.getName(),
                    DenseI64ArrayAttr::get(op->getContext(),
                                           sizeless(numbers.asArrayRef())));
    }
  });
}

std::string tonno::sizelessHash(ModuleOp closure, StringRef kernel) {
  OwningOpRef<ModuleOp> canonical = canonicalClosure(closure, kernel);
  dropStaticSizes(*canonical);
  AttrTypeReplacer replacer;
  replacer.addReplacement([](RankedTensorType type) -> Type {
    return RankedTensorType::get(sizeless(type.getShape()),
                                 type.getElementType(), type.getEncoding());
  });
  replacer.addReplacement(
      [](MemRefType type) -> Type { return sizeless(type); });
  replacer.addReplacement([](VectorType type) -> Type {
    return VectorType::get(sizeless(type.getShape()), type.getElementType(),
                           type.getScalableDims());
  });
  replacer.addReplacement([](DenseElementsAttr elements) -> Attribute {
    return sizeless(elements);
  });
  replacer.addReplacement([](AffineMapAttr map) -> Attribute {
    return AffineMapAttr::get(sizeless(map.getValue()));
  });
  replacer.addReplacement([](IntegerAttr number) -> Attribute {
    bool isSize = number.getType().isIndex() && number.getValue().sgt(1);
    return isSize ? IntegerAttr::get(number.getType(), 2) : number;
  });
  replacer.recursivelyReplaceElementsIn(*canonical, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return bytecodeHash(*canonical);
}

std::vector<std::vector<int64_t>> tonno::shapesOf(func::FuncOp kernel) {
  std::vector<std::vector<int64_t>> shapes;
  auto add = [&](TypeRange types) {
    for (Type type : types)
      if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
        shapes.emplace_back(shaped.getShape().begin(), shaped.getShape().end());
  };
  add(kernel.getArgumentTypes());
  add(kernel.getResultTypes());
  return shapes;
}

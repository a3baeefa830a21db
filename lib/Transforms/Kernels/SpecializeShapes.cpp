//===- Kernels for given sizes --------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/SpecializeShapes.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Space/Shapes.h"
#include "tonno/Transforms/Dispatch.h"
#include "tonno/Transforms/Passes.h"
#include "Kernels/Specializer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tonno {
#define GEN_PASS_DEF_SPECIALIZESHAPES
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

/// Returns the size of a dimension, from the IR or by one of its names. One
/// that is alone and has no name of its own has any.
static FailureOr<int64_t> findSize(func::FuncOp kernel,
                                   const DynamicDimension &dimension,
                                   bool isAlone, ArrayRef<Dimension> sizes,
                                   llvm::StringSet<> &used) {
  std::optional<int64_t> size = dimension.size;
  StringRef name = dimension.names.front();
  bool hasAnyName = isAlone && !dimension.isNamed && sizes.size() == 1;
  for (const Dimension &given : sizes) {
    if (!hasAnyName && !llvm::is_contained(dimension.names, given.name))
      continue;
    used.insert(given.name);
    if (size && *size != given.size)
      return kernel.emitError()
             << "dimension \"" << name << "\" has size " << *size << ", not "
             << given.size << "; give it one size";
    size = given.size;
  }
  if (!size)
    return kernel.emitError()
           << "dimension \"" << name << "\" is dynamic, and has no size; add "
           << name << "=<size> to the shapes";
  return *size;
}

/// Returns the types of the kernel's arguments at the given sizes.
static FailureOr<SmallVector<Type>>
findArgumentTypes(func::FuncOp kernel, const DynamicDimensions &dimensions,
                  ArrayRef<Dimension> sizes, llvm::StringSet<> &used) {
  SmallVector<int64_t> found;
  for (const DynamicDimension &dimension : dimensions.all()) {
    auto size =
        findSize(kernel, dimension, dimensions.all().size() == 1, sizes, used);
    if (failed(size))
      return failure();
    found.push_back(*size);
  }
  return specializeArguments(kernel, dimensions, found);
}

/// Refuses sizes of dimensions that no kernel has.
static LogicalResult checkUsed(Location loc, ArrayRef<Dimension> sizes,
                               const llvm::StringSet<> &used,
                               ArrayRef<std::string> known) {
  for (const Dimension &size : sizes)
    if (!used.contains(size.name)) {
      InFlightDiagnostic error = emitError(loc)
                                 << "no dynamic dimension is named \""
                                 << size.name << "\"";
      if (!known.empty())
        error << "; the dimensions are: " << llvm::join(known, ", ");
      return error;
    }
  return success();
}

/// Makes the kernel static, and the function that is its reference.
static LogicalResult specializeKernel(Specializer &specializer,
                                      func::FuncOp kernel,
                                      ArrayRef<Type> arguments) {
  if (failed(specializer.specialize(kernel, arguments)))
    return failure();
  for (auto [i, type] : llvm::enumerate(kernel.getResultTypes()))
    if (isDynamic(type))
      return kernel.emitError()
             << "result " << i << " has type " << type
             << ", whose size does not follow from the arguments' sizes";
  auto name =
      kernel->getAttrOfType<FlatSymbolRefAttr>(TonnoDialect::kReference);
  auto reference =
      name ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(kernel, name)
           : func::FuncOp();
  if (!reference || reference.isExternal() ||
      reference.getNumArguments() != arguments.size())
    return success(); // others refuse it
  for (auto [type, wanted] :
       llvm::zip_equal(reference.getArgumentTypes(), arguments))
    if (type != wanted && !isDynamic(type))
      return kernel.emitError()
             << "reference @" << reference.getSymName() << " takes " << type
             << ", not " << wanted << "; write a reference for each size";
  return specializer.specialize(reference, arguments);
}

LogicalResult tonno::specializeShapes(ModuleOp module, StringRef kernel,
                                      ArrayRef<Dimension> sizes) {
  if (!kernel.empty() && !module.lookupSymbol<func::FuncOp>(kernel))
    return success(); // others refuse the name
  // A pass has loaded what it depends on.
  module.getContext()
      ->loadDialect<arith::ArithDialect, linalg::LinalgDialect,
                    memref::MemRefDialect, tensor::TensorDialect>();
  llvm::StringSet<> used;
  SmallVector<std::string> known;
  SmallVector<std::pair<func::FuncOp, SmallVector<Type>>> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isChosen =
        kernel.empty() ? function.isPublic() : function.getSymName() == kernel;
    if (!isChosen || function.isExternal())
      continue;
    auto dimensions = DynamicDimensions::find(function);
    if (failed(dimensions))
      return failure();
    for (const DynamicDimension &dimension : dimensions->all())
      for (const std::string &name : dimension.names)
        if (!llvm::is_contained(known, name))
          known.push_back(name);
    auto types = findArgumentTypes(function, *dimensions, sizes, used);
    if (failed(types))
      return failure();
    if (TypeRange(*types) != TypeRange(function.getArgumentTypes()))
      kernels.emplace_back(function, std::move(*types));
  }
  auto functions = module.getOps<func::FuncOp>();
  Location loc =
      functions.empty() ? module.getLoc() : (*functions.begin()).getLoc();
  if (failed(checkUsed(loc, sizes, used, known)))
    return failure();
  if (kernels.empty())
    return success();
  Specializer specializer(module.getContext());
  for (auto &[function, types] : kernels) {
    if (isDispatch(function)) { // of which one variant is left
      function->removeAttr(TonnoDialect::kVariants);
      function->removeAttr(TonnoDialect::kTuned);
    }
    if (llvm::none_of(types, isDynamic))
      function->removeAttr(TonnoDialect::kShapes);
  }
  for (auto &[function, types] : kernels)
    if (failed(specializeKernel(specializer, function, types)))
      return failure();
  specializer.eraseUnused();
  return success();
}

namespace {

struct SpecializeShapes : tonno::impl::SpecializeShapesBase<SpecializeShapes> {
  using SpecializeShapesBase::SpecializeShapesBase;

  void runOnOperation() override {
    Result<std::vector<Dimension>> sizes = std::vector<Dimension>();
    if (!shapes.empty())
      sizes = parseSizes(shapes.getValue());
    if (!sizes) {
      getOperation().emitError() << sizes.error().message;
      return signalPassFailure();
    }
    if (failed(specializeShapes(getOperation(), kernel.getValue(), *sizes)))
      signalPassFailure();
  }
};

} // namespace

//===- Names of dimensions ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Dialect/Dimensions.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Space/Constraint.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tonno;

/// Calls `visit` with the name, the size and the argument's number of each
/// named axis of the function, in order. Skips attributes that do not fit their
/// argument.
static LogicalResult
walkNamedAxes(FunctionOpInterface function,
              function_ref<LogicalResult(StringRef, int64_t, unsigned)> visit) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto names = function.getArgAttrOfType<ArrayAttr>(i, TonnoDialect::kDims);
    auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[i]);
    if (!names || !type || !type.hasRank() ||
        names.size() != static_cast<size_t>(type.getRank()))
      continue;
    for (auto [name, size] : llvm::zip_equal(names, type.getShape()))
      if (auto text = dyn_cast<StringAttr>(name);
          text && failed(visit(text.getValue(), size, i)))
        return failure();
  }
  return success();
}

FailureOr<SmallVector<NamedDimension>>
tonno::findDimensions(ArrayRef<Operation *> roots) {
  SmallVector<NamedDimension> dimensions;
  auto add = [&](StringRef name, int64_t size,
                 BlockArgument argument) -> LogicalResult {
    if (ShapedType::isDynamic(size))
      return success();
    auto *known = llvm::find_if(dimensions, [&](const NamedDimension &each) {
      return each.name == name;
    });
    if (known == dimensions.end()) {
      dimensions.push_back({name, size, argument});
      return success();
    }
    if (known->size == size)
      return success();
    InFlightDiagnostic error = emitError(argument.getLoc())
                               << "dimension \"" << name << "\" has size "
                               << size
                               << ", but dimensions of one name are equal in a "
                                  "kernel and its callees; "
                                  "rename one";
    error.attachNote(known->argument.getLoc())
        << "here it has size " << known->size;
    return error;
  };
  auto addAll = [&](FunctionOpInterface function) -> LogicalResult {
    if (function.isExternal())
      return success();
    return walkNamedAxes(function,
                         [&](StringRef name, int64_t size, unsigned number) {
                           return add(name, size, function.getArgument(number));
                         });
  };
  for (Operation *root : roots)
    if (failed(checkOps<WalkOrder::PreOrder>(root, addAll)))
      return failure();
  return dimensions;
}

SmallVector<StringRef> tonno::findDynamicNames(ArrayRef<Operation *> roots) {
  llvm::SmallSetVector<StringRef, 4> dynamic, known;
  for (Operation *root : roots)
    root->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
      (void)walkNamedAxes(
          function, [&](StringRef name, int64_t size, unsigned) {
            (ShapedType::isDynamic(size) ? dynamic : known).insert(name);
            return success();
          });
    });
  dynamic.set_subtract(known);
  return dynamic.takeVector();
}

void tonno::dropDimensionNames(Operation *root) {
  root->walk([](FunctionOpInterface function) {
    bool isDynamic = llvm::any_of(function.getArgumentTypes(), [](Type type) {
      auto shaped = dyn_cast<ShapedType>(type);
      return shaped && shaped.hasRank() && !shaped.hasStaticShape();
    });
    for (unsigned i = 0; !isDynamic && i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, TonnoDialect::kDims);
  });
}

/// Returns true if a knob of the name is in an attribute or type of the ops.
static bool hasKnob(Operation *root, StringRef name) {
  AttrTypeWalker knobs;
  knobs.addWalk([&](KnobAttr knob) {
    return knob.getName() == name ? WalkResult::interrupt()
                                  : WalkResult::advance();
  });
  return root
      ->walk([&](Operation *op) {
        bool isFound = knobs.walk(op->getAttrDictionary()).wasInterrupted() ||
                       llvm::any_of(op->getResultTypes(), [&](Type type) {
                         return knobs.walk(type).wasInterrupted();
                       });
        return isFound ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult tonno::verifyDims(Operation *op, unsigned argument,
                                Attribute value) {
  auto refuse = [&]() -> InFlightDiagnostic {
    return op->emitOpError()
           << "argument " << argument << ": '" << TonnoDialect::kDims << "' ";
  };
  auto names = dyn_cast<ArrayAttr>(value);
  if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>))
    return refuse() << "must be an array of names, such as [\"M\", \"K\"]";
  auto function = cast<FunctionOpInterface>(op);
  Type type = function.getArgumentTypes()[argument];
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasRank())
    return refuse() << "needs a ranked tensor, memref or vector, not " << type
                    << "; remove the attribute";
  if (names.size() != static_cast<size_t>(shaped.getRank()))
    return refuse() << "has " << names.size() << " names for "
                    << shaped.getRank() << " axes; give each axis one";
  for (StringRef name : names.getAsValueRange<StringAttr>()) {
    if (!isPlainName(name))
      return refuse() << "has the name \"" << name
                      << "\"; use an identifier that is not a keyword of "
                         "constraints, such as M";
    if (hasKnob(op, name))
      return refuse() << "has the name of knob \"" << name
                      << "\"; rename the dimension";
  }
  SmallVector<std::pair<StringRef, int64_t>> known;
  return walkNamedAxes(
      function,
      [&](StringRef name, int64_t size, unsigned number) -> LogicalResult {
        if (number > argument || ShapedType::isDynamic(size))
          return success();
        auto *earlier = llvm::find_if(
            known, [&](const auto &each) { return each.first == name; });
        if (earlier == known.end()) {
          known.emplace_back(name, size);
          return success();
        }
        if (number < argument || earlier->second == size)
          return success();
        return refuse() << "gives \"" << name << "\" the size " << size
                        << ", and an earlier axis gives it " << earlier->second
                        << "; rename one of them";
      });
}

//===- SearchSpaceExtraction.cpp - From knobs to a search space -----------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/SearchSpaceExtraction.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace tonno;

//===----------------------------------------------------------------------===//
// Knobs
//===----------------------------------------------------------------------===//

LogicalResult
tonno::walkKnobs(Operation *root,
                 function_ref<LogicalResult(Operation *, KnobAttr)> visit) {
  Operation *current = nullptr;
  AttrTypeWalker walker; // which walks no element twice
  walker.addWalk([&](KnobAttr knob) {
    return failed(visit(current, knob)) ? WalkResult::interrupt()
                                        : WalkResult::skip();
  });
  auto walkElement = [&](auto element) {
    return walker.walk<WalkOrder::PreOrder>(element).wasInterrupted();
  };
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    current = op;
    if (walkElement(op->getAttrDictionary()) ||
        llvm::any_of(op->getResultTypes(), walkElement))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (llvm::any_of(block.getArgumentTypes(), walkElement))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct Occurrence {
  KnobAttr knob;
  Operation *op;
};
} // namespace

static std::string describe(KnobAttr knob) {
  return "options " + knob.printOptions() + " and default " +
         optionText(knob.getOption(knob.getDefaultIndex()));
}

/// The first occurrence of each knob, by name.
static FailureOr<llvm::MapVector<StringRef, Occurrence>>
findFirstOccurrences(Operation *root) {
  llvm::MapVector<StringRef, Occurrence> firsts;
  auto visit = [&](Operation *op, KnobAttr knob) -> LogicalResult {
    const auto &[it, inserted] =
        firsts.insert({knob.getName(), Occurrence{knob, op}});
    const Occurrence &first = it->second;
    if (inserted || (knob.getDomain() == first.knob.getDomain() &&
                     knob.getDefaultIndex() == first.knob.getDefaultIndex()))
      return success();
    InFlightDiagnostic error =
        emitError(op->getLoc())
        << "knob \"" << knob.getName() << "\" has " << describe(knob)
        << ", but knobs of one name are one variable; give "
           "it the same everywhere, or another name";
    error.attachNote(first.op->getLoc())
        << "here it has " << describe(first.knob);
    return error;
  };
  if (failed(walkKnobs(root, visit)))
    return failure();
  return firsts;
}

FailureOr<SmallVector<KnobAttr>> tonno::collectKnobs(Operation *root) {
  auto firsts = findFirstOccurrences(root);
  if (failed(firsts))
    return failure();
  return llvm::map_to_vector(*firsts,
                             [](auto &entry) { return entry.second.knob; });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether a knob in `root` satisfies `predicate`.
static bool anyKnob(Operation *root, function_ref<bool(KnobAttr)> predicate) {
  return failed(walkKnobs(root, [&](Operation *, KnobAttr knob) {
    return failure(predicate(knob));
  }));
}

SmallVector<func::FuncOp> tonno::findKernels(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isDeclaration() &&
        anyKnob(function, [](KnobAttr) { return true; }))
      kernels.push_back(function);
  return kernels;
}

bool tonno::isResolved(func::FuncOp kernel) {
  return !anyKnob(kernel, [](KnobAttr knob) { return !knob.isResolved(); });
}

//===----------------------------------------------------------------------===//
// Search space
//===----------------------------------------------------------------------===//

/// JSON of an integer, whose type is told elsewhere; else nothing.
static std::optional<Json> toNumber(IntegerAttr integer) {
  Type type = integer.getType();
  if (type.isSignlessInteger(1))
    return Json(!integer.getValue().isZero());
  if (type.isIndex() ||
      (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64))
    return Json(integer.getValue().getSExtValue());
  return std::nullopt;
}

/// JSON of strings, arrays and, within them, of i64 and i1; else nothing.
static std::optional<Json> toPlainJson(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    Type type = integer.getType();
    if (!type.isSignlessInteger(64) && !type.isSignlessInteger(1))
      return std::nullopt;
    return toNumber(integer);
  }
  if (auto string = dyn_cast<StringAttr>(attribute)) {
    if (!isa<NoneType>(string.getType()) ||
        !llvm::json::isUTF8(string.getValue()))
      return std::nullopt;
    return Json(string.getValue().str());
  }
  auto array = dyn_cast<ArrayAttr>(attribute);
  if (!array)
    return std::nullopt;
  Json list = Json::array();
  for (Attribute element : array) {
    std::optional<Json> value = toPlainJson(element);
    if (!value)
      return std::nullopt;
    list.push_back(*std::move(value));
  }
  return list;
}

Option tonno::toOption(Attribute attribute) {
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (auto value = integer ? toNumber(integer) : toPlainJson(attribute))
    return *std::move(value);
  return Json{{"mlir", optionText(attribute)}};
}

/// Flags that shorten what is printed can make the texts of options equal.
static FailureOr<Knob> toKnob(const Occurrence &occurrence) {
  KnobAttr attribute = occurrence.knob;
  Knob knob;
  knob.name = attribute.getName().str();
  knob.defaultIndex = attribute.getDefaultIndex();
  for (uint64_t i = 0; i < attribute.getNumOptions(); ++i) {
    Option option = toOption(attribute.getOption(i));
    if (auto twin = knob.indexOf(option)) {
      emitError(occurrence.op->getLoc())
          << "options " << *twin << " and " << i << " of knob \"" << knob.name
          << "\" read the same: " << attribute.getOption(i);
      return failure();
    }
    knob.options.push_back(std::move(option));
  }
  return knob;
}

FailureOr<SearchSpace> tonno::extractSearchSpace(Operation *root) {
  auto firsts = findFirstOccurrences(root);
  if (failed(firsts))
    return failure();
  std::vector<Knob> knobs;
  for (const auto &[name, occurrence] : *firsts) {
    FailureOr<Knob> knob = toKnob(occurrence);
    if (failed(knob))
      return failure();
    knobs.push_back(*std::move(knob));
  }
  return SearchSpace(std::move(knobs));
}

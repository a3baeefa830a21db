//===- Kernels with the symbols they use ----------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Core/Hash.h"
#include "tonno/Dialect/Dimensions.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Transforms/SearchSpaceExtraction.h"
#include "tonno/Transforms/UserLowering.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/SMTExtension/SMTExtensionOps.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tonno;

SmallVector<Operation *> tonno::collectClosure(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> closure;
  closure.insert(kernel);
  if (transform::NamedSequenceOp schedule = getSchedule(kernel))
    closure.insert(module.getBody()->findAncestorOpInBlock(*schedule));

  AttrTypeWalker references;
  references.addWalk([&](SymbolRefAttr reference) {
    if (Operation *symbol = symbols.lookup(reference.getRootReference()))
      closure.insert(symbol);
    // Symbols nested in the op are named inside of the root only.
    return WalkResult::skip();
  });
  for (size_t i = 0; i < closure.size(); ++i) // grows meanwhile
    closure[i]->walk([&](Operation *op) {
      references.walk<WalkOrder::PreOrder>(op->getAttrDictionary());
    });
  SmallVector<Operation *> ordered;
  for (Operation &op : *module.getBody())
    if (closure.contains(&op))
      ordered.push_back(&op);
  return ordered;
}

OwningOpRef<ModuleOp> tonno::extractClosure(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  OwningOpRef<ModuleOp> result(cast<ModuleOp>(module->cloneWithoutRegions()));
  OpBuilder builder =
      OpBuilder::atBlockEnd(&result->getBodyRegion().emplaceBlock());
  for (Operation *op : collectClosure(kernel)) {
    Operation *clone = builder.clone(*op);
    if (op == kernel && findLoneSchedule(kernel))
      clone->setAttr(
          TonnoDialect::kSchedule,
          FlatSymbolRefAttr::get(
              builder.getContext(),
              transform::TransformDialect::kTransformEntryPointSymbolName));
  }
  result->walk([](vector::PrintOp print) { print.erase(); });
  return result;
}

void tonno::remarkOnPrints(func::FuncOp kernel) {
  for (Operation *op : collectClosure(kernel))
    op->walk([](vector::PrintOp print) {
      print.emitRemark(
          "printing ops are not compiled: the emitted binary prints nothing");
    });
}

static void dropLocations(ModuleOp module) {
  Location unknown = UnknownLoc::get(module.getContext());
  module->walk([&](Operation *op) { op->setLoc(unknown); });
  module->walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      argument.setLoc(unknown);
  });
}

/// Replaces the op by an unregistered one, which needs no attributes, without
/// the attributes that have knobs in `tonno.knobs`:
///
///   "d.op"(%x) {a = 4 : i64, tonno.knobs = {a = #tonno.knob<...>}}
///
/// becomes
///
///   "tonno.knobs:d.op"(%x) {tonno.knobs = {a = #tonno.knob<...>}}
static void dropSideValues(Operation *op) {
  auto knobs = op->getAttrOfType<DictionaryAttr>(TonnoDialect::kKnobs);
  if (!knobs)
    return;
  NamedAttrList attributes(op->getAttrDictionary());
  for (NamedAttribute entry : knobs)
    attributes.erase(entry.getName());
  OperationState state(
      op->getLoc(), ("tonno.knobs:" + op->getName().getStringRef()).str(),
      op->getOperands(), op->getResultTypes(), {}, op->getSuccessors());
  state.attributes = attributes;
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  Operation *opaque = OpBuilder(op).create(state);
  op->replaceAllUsesWith(opaque);
  op->erase();
}

/// Drops constraints and names of dimensions; leaves of what a schedule's ops
/// offer only their names.
static void dropChoices(ModuleOp module) {
  Builder builder(module.getContext());
  dropDimensionNames(module);
  for (Operation *op : collectOps<Operation *>(module)) {
    op->removeDiscardableAttr(TonnoDialect::kTuned);
    op->removeDiscardableAttr(TonnoDialect::kKernels);
    op->removeDiscardableAttr(TonnoDialect::kConstraints);
    if (auto knob = dyn_cast<transform::tune::KnobOp>(op)) {
      if (isa<DomainAttrInterface>(knob.getOptions())) {
        knob.setOptionsAttr(builder.getArrayAttr({}));
        knob.removeSelectedAttr();
      }
    } else if (auto choice = dyn_cast<transform::tune::AlternativesOp>(op)) {
      choice.removeSelectedRegionAttrAttr();
    } else if (isa<transform::smt::ConstrainParamsOp>(op) && op->use_empty()) {
      op->erase();
    }
  }
  // Innermost first, as regions move.
  for (Operation *op : collectOps<Operation *>(module))
    dropSideValues(op);
}

/// Leaves of each knob its name and the type of its numbers, as a valid knob.
static void reduceKnobsToNames(ModuleOp module) {
  Builder builder(module.getContext());
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](KnobAttr knob) {
    Attribute option = builder.getStringAttr(knob.getName());
    if (auto number = dyn_cast<IntegerAttr>(knob.getOption(0)))
      option = builder.getZeroAttr(number.getType());
    Attribute reduced = KnobAttr::get(
        builder.getContext(), knob.getName(),
        cast<DomainAttrInterface>(Attribute(builder.getArrayAttr({option}))),
        Attribute(), Attribute());
    return std::make_pair(reduced, WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

/// Returns a copy of the closure without the parts that `kernelHash` ignores.
/// Callers may change its types and attributes; it need not be valid.
static OwningOpRef<ModuleOp> canonicalClosure(ModuleOp closure,
                                              StringRef kernel) {
  OwningOpRef<ModuleOp> canonical = closure.clone();
  dropLocations(*canonical);
  // Kernels that differ by name alone are one.
  if (auto function = canonical->lookupSymbol<func::FuncOp>(kernel)) {
    auto name = StringAttr::get(canonical->getContext(), "kernel");
    if (!canonical->lookupSymbol(name) &&
        succeeded(SymbolTable::replaceAllSymbolUses(function, name,
                                                    canonical->getOperation())))
      function.setSymNameAttr(name);
  }
  dropChoices(*canonical);
  reduceKnobsToNames(*canonical);
  return canonical;
}

/// Returns the SHA-256 of the module's bytecode, in hex.
static std::string bytecodeHash(ModuleOp module) {
  // The text form depends on global flags; the producer's name counts.
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  if (failed(writeBytecodeToFile(module, os, BytecodeWriterConfig("tonno"))))
    llvm::report_fatal_error("a module in memory has no bytecode");
  return sha256(bytecode);
}

std::string tonno::kernelHash(ModuleOp closure, StringRef kernel) {
  return bytecodeHash(*canonicalClosure(closure, kernel));
}

/// Returns the shape with every static extent replaced by 1.
static SmallVector<int64_t> sizeless(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(shape, [](int64_t extent) -> int64_t {
    return ShapedType::isDynamic(extent) ? extent : 1;
  });
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

/// Reduces a table to its first element.
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

/// Replaces the static extents in the ops' `static_sizes`, `static_offsets` and
/// similar attributes by 1.
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

std::vector<std::vector<int64_t>> tonno::collectShapes(func::FuncOp kernel) {
  std::vector<std::vector<int64_t>> shapes;
  for (Type type : llvm::concat<const Type>(kernel.getArgumentTypes(),
                                            kernel.getResultTypes()))
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      shapes.emplace_back(shaped.getShape().begin(), shaped.getShape().end());
  return shapes;
}

static SmallVector<FunctionOpInterface> findNestedFunctions(ModuleOp module) {
  SmallVector<FunctionOpInterface> functions;
  // gpu.func is one too.
  module.walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (function->getParentOp() != module && function.isPublic() &&
        !function.isExternal() &&
        function->getParentOp()->hasTrait<OpTrait::SymbolTable>())
      functions.push_back(function);
    return WalkResult::skip();
  });
  return functions;
}

/// Returns "@inner::@k" of @k in module @inner.
static std::string getSymbolPath(FunctionOpInterface function) {
  std::string path = "@" + function.getName().str();
  for (Operation *outer = function->getParentOp(); outer->getParentOp();
       outer = outer->getParentOp())
    if (StringAttr name = SymbolTable::getSymbolName(outer))
      path = "@" + name.str() + "::" + path;
  return path;
}

static LogicalResult refuse(ArrayRef<FunctionOpInterface> functions) {
  if (functions.empty())
    return success();
  InFlightDiagnostic error =
      emitError(functions.front()->getParentOp()->getLoc(),
                "kernels are func.func of the outermost module, not of nested "
                "ones: ");
  llvm::interleaveComma(functions, error, [&](FunctionOpInterface function) {
    error << getSymbolPath(function);
  });
  return error << "; move them there, or their module to a file of its own";
}

LogicalResult tonno::refuseNestedFunctions(ModuleOp module) {
  bool hasOwn =
      llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp function) {
        return function.isPublic() && !function.isExternal();
      });
  return hasOwn ? success() : refuse(findNestedFunctions(module));
}

LogicalResult tonno::refuseNestedFunctions(ModuleOp module, StringRef name) {
  name.consume_front("@");
  SmallVector<FunctionOpInterface> functions = findNestedFunctions(module);
  llvm::erase_if(functions, [&](FunctionOpInterface function) {
    return function.getName() != name &&
           getSymbolPath(function) != ("@" + name).str();
  });
  return refuse(functions);
}

static bool computes(func::FuncOp function) {
  return anyOp(function, [](linalg::LinalgOp) { return true; });
}

void tonno::warnOfNestedKernels(ModuleOp module) {
  for (FunctionOpInterface nested : findNestedFunctions(module)) {
    auto function = dyn_cast<func::FuncOp>(*nested);
    auto inner = dyn_cast<ModuleOp>(nested->getParentOp());
    bool hasKnobs =
        inner && function && llvm::is_contained(findKernels(inner), function);
    if (function && (hasKnobs || computes(function)))
      emitWarning(function.getLoc())
          << getSymbolPath(nested)
          << " is left unchanged: kernels are functions of the outermost "
             "module; move it there";
  }
}

//===- KernelClosure.cpp - A kernel with what it references ---------------===//
//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tonno/Transforms/KernelClosure.h"
#include "tonno/Core/Hash.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/TonnoDialect.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace tonno;

OwningOpRef<ModuleOp> tonno::extractClosure(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> closure;
  closure.insert(kernel);

  AttrTypeWalker references;
  references.addWalk([&](SymbolRefAttr reference) {
    if (Operation *symbol = symbols.lookup(reference.getRootReference()))
      closure.insert(symbol);
    // What is nested in it names symbols inside of the root.
    return WalkResult::skip();
  });
  for (size_t i = 0; i < closure.size(); ++i) // grows meanwhile
    closure[i]->walk([&](Operation *op) {
      references.walk<WalkOrder::PreOrder>(op->getAttrDictionary());
    });

  OwningOpRef<ModuleOp> result(cast<ModuleOp>(module->cloneWithoutRegions()));
  OpBuilder builder =
      OpBuilder::atBlockEnd(&result->getBodyRegion().emplaceBlock());
  for (Operation &op : *module.getBody())
    if (closure.contains(&op))
      builder.clone(op);
  return result;
}

static void dropLocations(ModuleOp module) {
  Location unknown = UnknownLoc::get(module.getContext());
  module->walk([&](Operation *op) { op->setLoc(unknown); });
  module->walk([&](Block *block) {
    for (BlockArgument argument : block->getArguments())
      argument.setLoc(unknown);
  });
}

/// Leaves of each knob its name, and the type of its numbers, which its options
/// as plain data don't tell; in a form that is still a knob.
static void reduceKnobsToNames(ModuleOp module) {
  Builder builder(module.getContext());
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](KnobAttr knob) {
    Attribute option = builder.getStringAttr(knob.getName());
    if (auto number = dyn_cast<IntegerAttr>(knob.getOption(0)))
      option = builder.getZeroAttr(number.getType());
    Attribute reduced =
        KnobAttr::get(builder.getContext(), knob.getName(),
                      builder.getArrayAttr({option}), Attribute(), Attribute());
    return std::make_pair(reduced, WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

std::string tonno::kernelHash(ModuleOp closure) {
  OwningOpRef<ModuleOp> canonical = closure.clone();
  dropLocations(*canonical);
  canonical->walk(
      [](Operation *op) { op->removeDiscardableAttr(TonnoDialect::kTuned); });
  reduceKnobsToNames(*canonical);

  // Bytecode, as the text form depends on global flags; the producer's name is
  // part of it.
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  if (failed(
          writeBytecodeToFile(*canonical, os, BytecodeWriterConfig("tonno"))))
    llvm::report_fatal_error("a module in memory has no bytecode");
  return sha256(bytecode);
}

//===- Schedules and pipelines of kernels ---------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Transforms/UserLowering.h"
#include "tonno/Dialect/KnobNames.h"
#include "tonno/Dialect/TonnoAttrs.h"
#include "tonno/Dialect/Walks.h"
#include "tonno/Process/CapturedErrors.h"
#include "tonno/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtensionOps.h"
#include "mlir/Pass/PassRegistry.h"

namespace tonno {
#define GEN_PASS_DEF_APPLYSCHEDULE
#define GEN_PASS_DEF_RUNPIPELINE
#include "tonno/Transforms/Passes.h.inc"
} // namespace tonno

using namespace mlir;
using namespace tonno;

using transform::NamedSequenceOp;
using transform::TransformDialect;

static bool isLibrary(ModuleOp module) {
  return module->hasAttr(TransformDialect::kWithNamedSequenceAttrName);
}

/// Returns the named sequence with a body that the name refers to, or null.
static NamedSequenceOp lookupSequence(ModuleOp module, SymbolRefAttr name) {
  Operation *found = SymbolTable::lookupSymbolIn(module, name);
  // Upstream's files have schedules in a nested module without a name.
  for (auto nested : module.getOps<ModuleOp>())
    if (!found && isLibrary(nested))
      found = SymbolTable::lookupSymbolIn(nested, name);
  auto sequence = dyn_cast_if_present<NamedSequenceOp>(found);
  return sequence && !sequence.isExternal() ? sequence : NamedSequenceOp();
}

FailureOr<NamedSequenceOp> tonno::findSchedule(func::FuncOp kernel) {
  auto name = kernel->getAttrOfType<SymbolRefAttr>(TonnoDialect::kSchedule);
  if (!name)
    return NamedSequenceOp();
  if (auto sequence = lookupSequence(kernel->getParentOfType<ModuleOp>(), name))
    return sequence;
  return kernel.emitError()
         << "'" << TonnoDialect::kSchedule << "' names " << name
         << ", which is not a transform.named_sequence with a body in this "
            "module";
}

NamedSequenceOp tonno::getSchedule(func::FuncOp kernel) {
  if (auto name = kernel->getAttrOfType<SymbolRefAttr>(TonnoDialect::kSchedule))
    return lookupSequence(kernel->getParentOfType<ModuleOp>(), name);
  return findLoneSchedule(kernel);
}

/// Returns the public functions with a body that no other function references.
static SmallVector<func::FuncOp> findRoots(ModuleOp module) {
  llvm::DenseSet<StringAttr> referenced;
  for (auto function : module.getOps<func::FuncOp>())
    if (std::optional<SymbolTable::UseRange> uses =
            SymbolTable::getSymbolUses(function.getOperation()))
      for (SymbolTable::SymbolUse use : *uses)
        if (use.getSymbolRef().getRootReference() != function.getSymNameAttr())
          referenced.insert(use.getSymbolRef().getRootReference());
  SmallVector<func::FuncOp> roots;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal() &&
        !referenced.contains(function.getSymNameAttr()))
      roots.push_back(function);
  return roots;
}

/// Returns the module's entry points, in it or in modules nested in it.
static SmallVector<NamedSequenceOp> findEntries(ModuleOp module) {
  SmallVector<NamedSequenceOp> entries;
  auto collect = [&](ModuleOp library) {
    auto entry = library.lookupSymbol<NamedSequenceOp>(
        TransformDialect::kTransformEntryPointSymbolName);
    if (entry && !entry.isExternal())
      entries.push_back(entry);
  };
  collect(module);
  for (auto nested : module.getOps<ModuleOp>())
    if (isLibrary(nested))
      collect(nested);
  return entries;
}

static bool anyNamesSchedule(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), [](func::FuncOp f) {
    return f->hasAttr(TonnoDialect::kSchedule);
  });
}

NamedSequenceOp tonno::findLoneSchedule(func::FuncOp kernel) {
  auto module = kernel->getParentOfType<ModuleOp>();
  if (kernel->hasAttr(TonnoDialect::kPipeline) || anyNamesSchedule(module))
    return {};
  SmallVector<NamedSequenceOp> entries = findEntries(module);
  if (entries.size() != 1)
    return {};
  SmallVector<func::FuncOp> roots = findRoots(module);
  return roots.size() == 1 && roots.front() == kernel ? entries.front()
                                                      : NamedSequenceOp();
}

LogicalResult tonno::verifySchedules(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (failed(findSchedule(function)))
      return failure();
  SmallVector<NamedSequenceOp> entries = findEntries(module);
  SmallVector<func::FuncOp> roots = findRoots(module);
  if (entries.size() != 1 || roots.size() < 2 || anyNamesSchedule(module))
    return success();
  if (!anyOp(entries.front(), [](Operation *op) {
        return isa<transform::tune::KnobOp, transform::tune::AlternativesOp>(
            op);
      }))
    return success();
  InFlightDiagnostic error =
      entries.front().emitError()
      << "@" << TransformDialect::kTransformEntryPointSymbolName
      << " could lower several functions; set '" << TonnoDialect::kSchedule
      << " = @" << TransformDialect::kTransformEntryPointSymbolName
      << "' on one of: ";
  llvm::interleaveComma(roots, error, [&](func::FuncOp root) {
    error << "@" << root.getSymName();
  });
  return error;
}

void tonno::eraseSchedules(ModuleOp module) {
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    auto nested = dyn_cast<ModuleOp>(op);
    bool isNestedLibrary = nested && isLibrary(nested);
    if (isNestedLibrary)
      eraseSchedules(nested);
    if ((isNestedLibrary && nested.getBody()->empty()) ||
        isa_and_nonnull<TransformDialect>(op.getDialect()))
      op.erase();
  }
  module->removeAttr(TransformDialect::kWithNamedSequenceAttrName);
}

namespace {

struct ApplySchedulePass : tonno::impl::ApplyScheduleBase<ApplySchedulePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
      auto schedule = findSchedule(function);
      if (failed(schedule) ||
          (*schedule &&
           failed(transform::applyTransformNamedSequence(
               module, *schedule, (*schedule)->getParentOfType<ModuleOp>(),
               transform::TransformOptions()))))
        return signalPassFailure();
    }
    eraseSchedules(module);
  }
};

} // namespace

/// Prints the value as a pass option.
static std::string toText(Attribute value) {
  if (auto knob = dyn_cast<KnobAttr>(value))
    return toText(knob.getValue());
  if (auto flag = dyn_cast<BoolAttr>(value))
    return flag.getValue() ? "true" : "false";
  if (auto string = dyn_cast<StringAttr>(value))
    return string.str();
  if (auto array = dyn_cast<ArrayAttr>(value))
    return llvm::join(llvm::map_range(array, toText), ",");
  std::string text;
  llvm::raw_string_ostream stream(text);
  value.print(stream, /*elideType=*/true);
  return text;
}

/// Checks that the pipeline can refer to each knob by its name.
static LogicalResult checkNames(func::FuncOp kernel, DictionaryAttr knobs) {
  for (NamedAttribute entry : knobs)
    if (std::string why = refuseKnobName(entry.getName()); !why.empty())
      return kernel.emitError()
             << "the 'knobs' of '" << TonnoDialect::kPipeline << "': " << why;
  return success();
}

FailureOr<std::string> tonno::pipelineText(func::FuncOp kernel) {
  auto pipeline =
      kernel->getAttrOfType<DictionaryAttr>(TonnoDialect::kPipeline);
  StringRef rest = pipeline.getAs<StringAttr>("passes").getValue();
  auto knobs = pipeline.getAs<DictionaryAttr>("knobs");
  if (knobs && failed(checkNames(kernel, knobs)))
    return failure();
  std::string text;
  llvm::StringSet<> used;
  while (!rest.empty()) {
    auto [before, behind] = rest.split('@');
    text += before;
    size_t end = behind.find('@');
    if (before.size() == rest.size()) // no more
      break;
    // A lone @, or one of a symbol, is none of ours.
    StringRef name = behind.take_front(end);
    if (end == StringRef::npos || !refuseKnobName(name).empty()) {
      text += '@';
      rest = behind;
      continue;
    }
    Attribute value = knobs ? knobs.get(name) : Attribute();
    if (!value)
      return kernel.emitError()
             << "the pipeline has '@" << name
             << "@', but there is no knob of that name; add it to the 'knobs' "
                "of '"
             << TonnoDialect::kPipeline << "', or give '--knob=" << name
             << "=[1, 2, 4]'";
    used.insert(name);
    text += toText(value);
    rest = behind.drop_front(end + 1);
  }
  for (NamedAttribute entry :
       knobs ? knobs.getValue() : ArrayRef<NamedAttribute>())
    if (!used.contains(entry.getName().strref()))
      return kernel.emitError()
             << "the pipeline does not use knob '" << entry.getName().strref()
             << "'; write '@" << entry.getName().strref()
             << "@' where its value belongs";
  return text;
}

/// Parses a pipeline; `why` it can't be read includes what options of passes
/// report to standard error: "<program>: for the --unroll-factor option: ...".
static FailureOr<OpPassManager> parseQuietly(StringRef text, std::string &why) {
  CapturedErrors printed;
  llvm::raw_string_ostream stream(why);
  FailureOr<OpPassManager> parsed = parsePassPipeline(text, stream);
  if (succeeded(parsed))
    return parsed;
  std::string errors = printed.take();
  StringRef option = StringRef(errors).trim();
  if (size_t start = option.find("for the --"); start != StringRef::npos)
    option = option.drop_front(start);
  if (!option.empty())
    why = (option + "\n" + why).str();
  return failure();
}

FailureOr<OpPassManager> tonno::parseKernelPipeline(func::FuncOp kernel) {
  FailureOr<std::string> text = pipelineText(kernel);
  if (failed(text))
    return failure();
  std::string why;
  FailureOr<OpPassManager> parsed = parseQuietly(*text, why);
  if (failed(parsed)) {
    StringRef reason = StringRef(why).trim();
    reason.consume_front("error: ");
    return kernel.emitError() << "cannot parse the pipeline: " << reason;
  }
  std::optional<StringRef> anchor = parsed->getOpName();
  if (!anchor || *anchor == ModuleOp::getOperationName())
    return parsed;
  if (*anchor == func::FuncOp::getOperationName()) {
    OpPassManager module(ModuleOp::getOperationName());
    module.nest<func::FuncOp>() = *parsed;
    return module;
  }
  return kernel.emitError() << "the pipeline runs on '" << *anchor
                            << "'; it must run on 'builtin.module' or "
                               "'func.func'";
}

namespace {

struct RunPipelinePass : tonno::impl::RunPipelineBase<RunPipelinePass> {
  /// Checks that the pipeline leaves a function that later passes can lower.
  LogicalResult checkResult(Location where, StringAttr name) {
    Operation *result = getOperation().lookupSymbol(name);
    if (isa_and_nonnull<func::FuncOp, LLVM::LLVMFuncOp>(result))
      return success();
    InFlightDiagnostic error = emitError(where) << "the pipeline turns @"
                                                << name.strref() << " into ";
    if (result)
      error << "a '" << result->getName() << "'";
    else
      error << "nothing";
    return error
           << ", not into a func.func that lowers to LLVM, or an llvm.func";
  }

  void runOnOperation() override {
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (!function->hasAttr(TonnoDialect::kPipeline))
        continue;
      FailureOr<OpPassManager> pipeline = parseKernelPipeline(function);
      if (failed(pipeline))
        return signalPassFailure();
      // Runs the pipeline in a pass manager of its own: a pass cannot declare
      // the dependent dialects of a pipeline that is known only when it runs.
      Location where = function.getLoc();
      StringAttr name = function.getSymNameAttr();
      PassManager manager(&getContext(), ModuleOp::getOperationName());
      static_cast<OpPassManager &>(manager) = std::move(*pipeline);
      if (failed(manager.run(getOperation())) ||
          failed(checkResult(where, name)))
        return signalPassFailure();
      return; // it has lowered the module
    }
  }
};

} // namespace

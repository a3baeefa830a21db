//===- Emits tuned kernels ------------------------------------------------===//
// Part of tonno, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tonno/Backend/Shipping.h"
#include "tonno/Backend/Compile.h"
#include "tonno/Core/File.h"
#include "tonno/Core/Hash.h"
#include "tonno/Core/Version.h"
#include "tonno/Dialect/TonnoDialect.h"
#include "tonno/Transforms/ApplyConfiguration.h"
#include "tonno/Transforms/KernelClosure.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tonno;

std::string tonno::compilerVersions() {
  return "tonno " + std::string(version()) + ", LLVM " LLVM_VERSION_STRING;
}

bool tonno::isMeasuredBinary(func::FuncOp kernel, const Backend &backend,
                             StringRef hash) {
  auto tuned = kernel->getAttrOfType<DictionaryAttr>(TonnoDialect::kTuned);
  if (!tuned)
    return true;
  auto entry = [&](StringRef name) {
    auto text = tuned.getAs<StringAttr>(name);
    return text ? text.getValue() : StringRef();
  };
  if (entry("artifact") == hash)
    return true;

  InFlightDiagnostic warning = kernel.emitWarning()
                               << "the binary of kernel '" << kernel.getName()
                               << "' is not the one that was measured: ";
  auto differs = [&](StringRef what, StringRef then, StringRef now) {
    if (then.empty() || then == now)
      return false;
    warning << "it was measured with " << what << " " << then << ", this is "
            << now;
    return true;
  };
  if (entry("artifact").empty())
    warning << "'" << TonnoDialect::kTuned << "' names no artifact";
  else if (!differs("chip", entry("chip"), backend.target().chip) &&
           !differs("versions", entry("versions"), compilerVersions()))
    warning << "chip and versions are the same, so the kernel or the CPU's "
               "features have changed";
  return false;
}

/// Returns the name as an identifier, with `_` for invalid characters.
static std::string toIdentifier(StringRef name) {
  std::string identifier = name.str();
  for (char &c : identifier)
    if (!llvm::isAlnum(c))
      c = '_';
  return identifier;
}

/// Returns the names that a kernel @main may ship under, first the best.
static SmallVector<std::string> namesForMain(func::FuncOp kernel,
                                             StringRef file) {
  SmallVector<std::string> names;
  auto module = kernel->getParentOfType<ModuleOp>();
  if (std::optional<StringRef> name = module.getSymName())
    names.push_back(name->str());
  // "model" of models/model.tuned.mlir
  if (file != "-")
    names.push_back(
        toIdentifier(llvm::sys::path::filename(file).split('.').first));
  return names;
}

FailureOr<std::string> tonno::chooseEmissionName(func::FuncOp kernel,
                                                 StringRef rename,
                                                 StringRef file) {
  if (!rename.empty()) {
    if (isFunctionName(rename))
      return rename.str();
    return kernel.emitError()
           << "'--rename=" << rename
           << "' is not the name of a function in C; give a C identifier";
  }
  if (isFunctionName(kernel.getName()))
    return kernel.getName().str();
  if (kernel.getName() == "main")
    for (const std::string &name : namesForMain(kernel, file))
      if (isFunctionName(name)) {
        kernel.emitRemark() << "@main is emitted as '" << name
                            << "'; give another name by '--rename'";
        return name;
      }
  return kernel.emitError()
         << "kernel " << FlatSymbolRefAttr::get(kernel.getNameAttr())
         << " has a name that C does not allow for functions; give another by "
            "'--rename'";
}

Result<std::filesystem::path> tonno::chooseEmissionFile(const std::string &path,
                                                        StringRef name,
                                                        Emission emission) {
  std::filesystem::path output = path == "-" ? "" : path;
  auto file = output.parent_path() / (name + describe(emission).ending).str();
  if (file == output)
    return Error{"'--emit' would replace the output '" + path + "'"};
  TONNO_TRY(AtomicFile::create(file));
  return file;
}

/// Returns the kernel in a module of its own, with knobs replaced by their
/// values.
static FailureOr<OwningOpRef<ModuleOp>> resolvedClosure(func::FuncOp kernel) {
  OwningOpRef<ModuleOp> closure = extractClosure(kernel);
  if (failed(resolveToCurrentValues(closure->getOperation())))
    return failure();
  return closure;
}

static LogicalResult rename(ModuleOp closure, func::FuncOp kernel,
                            StringRef name) {
  if (closure.lookupSymbol(name))
    return kernel.emitError() << "the kernel cannot be emitted as '" << name
                              << "': a function that it calls has this name; "
                                 "give another by '--rename'";
  return SymbolTable(closure).rename(closure.lookupSymbol(kernel.getName()),
                                     name);
}

/// Adds the names of the arguments' axes, which the kernel's closure has lost.
static void addDims(LaunchPlan &plan, func::FuncOp kernel) {
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i)
    if (auto names = kernel.getArgAttrOfType<ArrayAttr>(i, TonnoDialect::kDims))
      for (StringRef name : names.getAsValueRange<StringAttr>())
        plan.buffers[i].dims.push_back(name.str());
}

static FailureOr<std::string> emitPlan(const Backend &backend, ModuleOp closure,
                                       func::FuncOp kernel, StringRef name) {
  FailureOr<LaunchPlan> plan = lowerKernel(backend, closure, name);
  if (failed(plan))
    return failure();
  addDims(*plan, kernel);
  return planText(*plan, name, backend.name(), backend.target().chip);
}

FailureOr<std::string> tonno::emitNamedKernel(func::FuncOp kernel,
                                              StringRef name,
                                              const Backend &backend,
                                              Emission emission,
                                              AddedCode added) {
  remarkOnPrints(kernel);
  auto closure = resolvedClosure(kernel);
  bool isRenamed = name != kernel.getName();
  if (failed(closure) || (isRenamed && failed(rename(**closure, kernel, name))))
    return failure();
  if (emission == Emission::plan)
    return emitPlan(backend, **closure, kernel, name);
  auto bytes = emitKernel(backend, **closure, name, emission, added);
  if (failed(bytes) || emission == Emission::header ||
      !kernel->hasAttr(TonnoDialect::kTuned))
    return bytes;

  // Measured binaries have one form, the kernel's own name and no added code,
  // whichever form ships.
  bool isMeasuredForm = emission == backend.forms().front() && !isRenamed &&
                        added == AddedCode::none;
  if (isMeasuredForm) {
    (void)isMeasuredBinary(kernel, backend, sha256(*bytes));
    return bytes;
  }
  closure = resolvedClosure(kernel);
  if (failed(closure))
    return failure();
  auto measured = compileCandidate(backend, **closure, kernel.getName());
  if (failed(measured))
    return failure();
  (void)isMeasuredBinary(kernel, backend, measured->hash());
  return bytes;
}
